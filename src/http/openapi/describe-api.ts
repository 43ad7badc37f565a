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
import { credentialsFor } from './security-schemes.ts'

/** What is sent, by media type. */
export type MediaContent = Record<
  string,
  { schema: { title?: string; examples?: readonly unknown[] }; example?: unknown }
>

/** An operation as its entry describes it. */
export interface ApiOperation {
  operationId?: string
  parameters?: readonly object[]
  summary?: string
  tags?: readonly string[]
  security?: readonly object[]
  requestBody?: { required?: boolean; content?: MediaContent }
  responses: Record<string, { description?: string; content?: MediaContent }>
  'x-capability'?: string
  'x-errors'?: HttpOperation['errors']
  'x-optional-body'?: boolean
}

/** The description as the entries give it. */
interface CollectedApi {
  paths?: Record<string, Record<string, unknown>>
  components?: Record<string, unknown>
}

/**
 * Completes what was collected: errors, credentials and scopes of every operation, bodies that may
 * be left out, and schemas by name.
 */
export function describeApi<Api extends object>(collected: Api): Api {
  const { paths = {}, components = {}, ...rest } = collected as CollectedApi
  const described = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      describeOperation(operation as ApiOperation, method, path),
    ])
    return [path, Object.fromEntries(operations)]
  })
  for (const [, item] of described) {
    for (const operation of Object.values(item)) moveExamples(operation as ApiOperation)
  }
  const schemas = {}
  const named = {
    paths: nameSchemas(Object.fromEntries(described), schemas),
    responses: nameSchemas(errorResponses(), schemas),
  }
  const sorted = Object.fromEntries(
    Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  return {
    ...rest,
    paths: named.paths,
    components: { ...components, schemas: sorted, responses: named.responses },
  } as unknown as Api
}

/** A media object shows its example itself: not every reader looks into schemas for one. */
function moveExamples({ requestBody, responses }: ApiOperation): void {
  for (const { content } of [requestBody, ...Object.values(responses)].filter(isPresent)) {
    for (const [type, media] of Object.entries(content ?? {})) {
      const { examples, ...schema } = media.schema
      if (content === undefined || examples === undefined || 'example' in media) continue
      const keeps = schema.title === undefined ? schema : media.schema
      content[type] = { ...media, schema: keeps, example: examples[0] }
    }
  }
}

function isPresent<T>(given: T | undefined): given is T {
  return given !== undefined
}

function describeOperation(operation: ApiOperation, method: string, path: string): object {
  const { 'x-errors': ownErrors, 'x-optional-body': isOptional, ...shown } = operation
  const { security, requestBody, summary = '' } = shown
  const isOpen = security?.length === 0
  const responses = Object.entries(shown.responses).map(([status, response]) => {
    const { description } = response
    const isPlain = description === undefined || description === 'Default Response'
    return [status, isPlain ? { ...response, description: summary } : response]
  })
  return {
    ...shown,
    security: security ?? credentialsFor(shown['x-capability']),
    ...(requestBody && isOptional ? { requestBody: { ...requestBody, required: false } } : {}),
    responses: { ...Object.fromEntries(responses), ...errors() },
  }

  function errors(): Record<number, object> {
    if (ownErrors === 'oauth') return oauthErrors()
    if (ownErrors === 'influx') return doorErrors('InfluxRefused')
    if (ownErrors === 'text') return doorErrors('TextRefused')
    if (ownErrors === 'rpc') return doorErrors('RpcRefused')
    if (ownErrors === 'prometheus') return prometheusErrors()
    if (ownErrors !== undefined) return errorsWith([...ownErrors, 431, 500, 503])
    if (isOpen) return errorsWith([431, 500, 503])
    const { 'x-capability': capability = '' } = shown
    const isFeed = shown.tags?.some((tag) => ['feed', 'files', 'property'].includes(tag)) === true
    return {
      ...errorsOf({
        hasBody: requestBody !== undefined,
        namesThings: isFeed || path.includes('{') || capability.includes('{'),
        // Some GETs do more than read, and ask for the right to.
        changesRecords: method !== 'get' || !capability.startsWith('GET '),
      }),
      ...('206' in shown.responses ? errorsWith([416]) : {}),
    }
  }
}
