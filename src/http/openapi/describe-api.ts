import { version } from '../../base/index.ts'
import type { HttpOperation } from '../table/http-operation.ts'
import {
  doorErrors,
  errorResponses,
  errorsOf,
  errorsWith,
  oauthErrors,
  prometheusErrors,
} from './error-responses.ts'
import { nameSchemas } from './name-schemas.ts'
import { credentialsFor, securitySchemes } from './security-schemes.ts'
import { tags } from './tags.ts'

/** The description of the API in OpenAPI 3.1, made of the table's entries. */
export function describeApi(operations: readonly HttpOperation[], publicUrl?: string) {
  const schemes = securitySchemes(publicUrl ?? '')
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations.filter(({ name }) => name !== undefined)) {
    const place = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    const [method] = operation.methods
    paths[place] = { ...paths[place], [method.toLowerCase()]: describeOne(operation, schemes) }
  }
  const schemas = {}
  const named = {
    paths: nameSchemas(paths, schemas),
    responses: nameSchemas(errorResponses(), schemas),
  }
  const sorted = Object.fromEntries(
    Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir',
      version,
      description: 'A time-series data service for devices: durable, fast, exact about calendars.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl ?? '/', description: 'This service' }],
    tags,
    paths: named.paths,
    components: { securitySchemes: schemes, schemas: sorted, responses: named.responses },
  }
}

type Schemes = ReturnType<typeof securitySchemes>

/** Fields of a schema that hold values, and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example', 'examples'])

/** The schema of fields of any name. */
function anyOf(patterns: unknown): unknown {
  return Object.values(patterns as Readonly<Record<string, unknown>>)[0]
}

/** Schemas in the words that generators of clients know: one value is a list of one. */
function withEnums<T>(described: T): T {
  if (Array.isArray(described)) return described.map(withEnums) as T
  if (typeof described !== 'object' || described === null) return described
  const fields = Object.entries(described).map(([name, value]) => {
    if (name === 'const') return ['enum', [value]]
    if (name === 'patternProperties') return ['additionalProperties', withEnums(anyOf(value))]
    return [name, VALUES.has(name) ? value : withEnums(value)]
  })
  return Object.fromEntries(fields) as T
}

/** A JSON schema, as far as it is looked at here. */
interface Schema {
  readonly title?: string
  readonly type?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
  readonly headers?: Readonly<Record<string, Schema>>
  /** Of a response that says it by media type. */
  readonly content?: Readonly<Record<string, Media>>
}

interface Media {
  readonly schema: Schema
  readonly example?: unknown
}

function describeOne(operation: HttpOperation, schemes: Schemes): object {
  const { name, summary, tag, needs, security, input, isBodyOptional = false } = operation
  const body = input.schema as Schema | undefined
  const parameters = [
    ...parametersOf('query', operation.query, credentialsIn('query', operation, schemes)),
    ...parametersOf('path', operation.ids),
    ...parametersOf('header', operation.headers, credentialsIn('header', operation, schemes)),
  ]
  const requestBody = body && {
    required: !isBodyOptional,
    ...withEnums(contentOf(body, operation.consumes)),
  }
  return {
    operationId: name,
    summary,
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(requestBody === undefined ? {} : { requestBody }),
    ...(parameters.length === 0 ? {} : { parameters }),
    security: security ?? credentialsFor(needs),
    ...(needs === undefined ? {} : { 'x-capability': needs }),
    responses: { ...withEnums(responsesOf(operation)), ...errorsIn(operation) },
  }
}

/** The parameters that a credential of the call is given by: security schemes describe them. */
function credentialsIn(
  place: 'query' | 'header',
  { security = [] }: HttpOperation,
  schemes: Schemes,
): readonly string[] {
  return security.flatMap((one) =>
    Object.keys(one).flatMap((key) => {
      const scheme = schemes[key as keyof Schemes]
      return 'in' in scheme && scheme.in === place ? [scheme.name] : []
    }),
  )
}

function parametersOf(
  place: 'query' | 'path' | 'header',
  schema: Schema | undefined,
  ignored: readonly string[] = [],
): object[] {
  const fields = Object.entries(schema?.properties ?? {})
  return fields
    .filter(([name]) => !ignored.includes(name))
    .map(([name, { description, required: _, ...field }]) => ({
      ...withEnums(mediaOf(field)),
      in: place,
      name,
      required: place === 'path' || schema?.required?.includes(name) === true,
      ...(description === undefined ? {} : { description }),
    }))
}

/** A schema with its example beside it: not every reader looks into schemas for one. */
function mediaOf(schema: Schema): Media {
  const { examples, ...rest } = schema
  return examples === undefined ? { schema } : { schema: rest, example: examples[0] }
}

/** The same for media that a response lists; schemas with a title are shown elsewhere, with their examples. */
function withExample(media: Media): Media {
  const { schema, example } = mediaOf(media.schema)
  const { title } = schema
  return {
    ...media,
    schema: title === undefined ? schema : media.schema,
    example: media.example ?? example,
  }
}

function contentOf(schema: Schema, types: readonly string[] = ['application/json']) {
  if (schema.content !== undefined) {
    const listed = Object.entries(schema.content).map(([type, media]) => [type, withExample(media)])
    return { content: Object.fromEntries(listed) }
  }
  const media = mediaOf(schema)
  const content = Object.fromEntries(types.map((type) => [type, media]))
  const { description } = schema
  return description === undefined ? { content } : { content, description }
}

/** What a success answers, by status. */
function responsesOf({ answer, answers, status, produces, summary = '' }: HttpOperation) {
  const given = answers ?? (answer === undefined ? {} : { [status]: answer })
  const responses = Object.entries(given).map(([code, each]) => {
    const schema = each as Schema
    const { description = summary, headers, type } = schema
    const shownHeaders = Object.entries(headers ?? {}).map(([name, header]) => [
      name,
      withDescription(header),
    ])
    const content = type === 'null' ? undefined : contentOf(schema, produces).content
    return [
      code,
      {
        description,
        ...(headers === undefined ? {} : { headers: Object.fromEntries(shownHeaders) }),
        ...(content === undefined ? {} : { content }),
      },
    ]
  })
  return Object.fromEntries(responses)
}

function withDescription({ description, ...schema }: Schema): object {
  return description === undefined ? { schema } : { schema, description }
}

/** The errors of an operation, by status. */
function errorsIn(operation: HttpOperation): Record<number, object> {
  const { answers = {}, errors, input, methods, needs = '', path, security, tag = '' } = operation
  if (errors === 'oauth') return oauthErrors()
  if (errors === 'influx') return doorErrors('InfluxRefused')
  if (errors === 'text') return doorErrors('TextRefused')
  if (errors === 'rpc') return doorErrors('RpcRefused')
  if (errors === 'prometheus') return prometheusErrors()
  if (errors !== undefined) return errorsWith([...errors, 431, 500, 503])
  if (security?.length === 0) return errorsWith([431, 500, 503])
  const isFeed = ['feed', 'files', 'property'].includes(tag)
  return {
    ...errorsOf({
      hasBody: input.schema !== undefined,
      namesThings: isFeed || path.includes(':') || needs.includes('{'),
      // Some GETs do more than read, and ask for the right to.
      changesRecords: methods[0] !== 'GET' || !needs.startsWith('GET '),
    }),
    ...(206 in answers ? errorsWith([416]) : {}),
  }
}
