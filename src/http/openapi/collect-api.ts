import { version } from '../../base/index.ts'
import type { HttpOperation } from '../table/http-operation.ts'
import { type ApiOperation, describeApi, type MediaContent } from './describe-api.ts'
import { securitySchemes } from './security-schemes.ts'
import { tags } from './tags.ts'

/** The description of the API in OpenAPI 3.1, made of the table's entries. */
export function collectApi(operations: readonly HttpOperation[], publicUrl?: string): object {
  const schemes = securitySchemes(publicUrl ?? '')
  const paths: Record<string, Record<string, ApiOperation>> = {}
  for (const operation of operations.filter(({ name }) => name !== undefined)) {
    const place = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    const [method] = operation.methods
    paths[place] = { ...paths[place], [method.toLowerCase()]: describeOne(operation, schemes) }
  }
  return describeApi({
    openapi: '3.1.0',
    info: {
      title: 'Weir',
      version,
      description: 'A time-series data service for devices: durable, fast, exact about calendars.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl ?? '/', description: 'This service' }],
    tags: [...tags],
    components: { securitySchemes: schemes },
    paths,
  })
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
  readonly type?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
  readonly headers?: Readonly<Record<string, Schema>>
  readonly content?: MediaContent
}

function describeOne(operation: HttpOperation, schemes: Schemes): ApiOperation {
  const { name, summary, tag, needs, security, errors, input, isBodyOptional } = operation
  const body = input.schema as Schema | undefined
  const parameters = [
    ...parametersOf('query', operation.query, credentialsIn('query', operation, schemes)),
    ...parametersOf('path', operation.ids),
    ...parametersOf('header', operation.headers, credentialsIn('header', operation, schemes)),
  ]
  return {
    operationId: name,
    summary,
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, ...withEnums(contentOf(body, operation.consumes)) } }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(security === undefined ? {} : { security }),
    ...(needs === undefined ? {} : { 'x-capability': needs }),
    ...(errors === undefined ? {} : { 'x-errors': errors }),
    ...(isBodyOptional === true ? { 'x-optional-body': true } : {}),
    responses: withEnums(responsesOf(operation)),
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
function mediaOf(schema: Schema): { readonly schema: Schema; readonly example?: unknown } {
  const { examples, ...rest } = schema
  return examples === undefined ? { schema } : { schema: rest, example: examples[0] }
}

function contentOf(schema: Schema, types: readonly string[] = ['application/json']) {
  if (schema.content !== undefined) return { content: schema.content }
  const media = mediaOf(schema)
  const content = Object.fromEntries(types.map((type) => [type, media]))
  const { description } = schema
  return description === undefined ? { content } : { content, description }
}

function responsesOf({ answer, answers, status, produces }: HttpOperation) {
  const given = answers ?? (answer === undefined ? {} : { [status]: answer })
  const responses = Object.entries(given).map(([code, each]) => {
    const schema = each as Schema
    const { description, headers, type } = schema
    const shownHeaders = Object.entries(headers ?? {}).map(([name, header]) => [
      name,
      withDescription(header),
    ])
    const content = type === 'null' ? undefined : contentOf(schema, produces).content
    return [
      code,
      {
        ...(description === undefined ? {} : { description }),
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
