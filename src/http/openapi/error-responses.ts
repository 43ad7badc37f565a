/** The errors that operations answer, for the description. */
import { type ErrorCode, errorCatalogue } from '../../base/index.ts'

/** What decides which errors an operation has that asks who calls. */
interface Traits {
  readonly hasBody: boolean
  /** Whether it names something that may not be there. */
  readonly namesThings: boolean
  /** Whether it changes records. */
  readonly changesRecords: boolean
}

/** Words of each status, for its name and for people. */
const STATUSES: Readonly<Record<number, { readonly name: string; readonly about: string }>> = {
  400: { name: 'BadInput', about: 'Invalid parameter, field, or body' },
  401: { name: 'Unauthorized', about: 'Missing, unknown, or expired credential' },
  403: { name: 'Forbidden', about: 'The credential does not allow this' },
  404: { name: 'NotFound', about: 'Not found' },
  405: { name: 'MethodNotAllowed', about: 'Method not allowed' },
  408: { name: 'RequestTimeout', about: 'The request body took too long' },
  409: { name: 'Conflict', about: 'Already taken, in use, or changed by another request' },
  413: { name: 'TooLarge', about: 'Body too large' },
  415: {
    name: 'UnsupportedMediaType',
    about: 'Unsupported content type or encoding',
  },
  416: { name: 'RangeNotSatisfiable', about: 'The Range starts after the end of the file' },
  422: { name: 'SqlFailed', about: 'GS SQL failed while running' },
  429: { name: 'TooManyCalls', about: 'Rate limit exceeded, or too many failed sign-ins' },
  431: { name: 'HeadersTooLarge', about: 'Request line and headers too long' },
  500: {
    name: 'Internal',
    about: 'Internal error. The log has the incident of the message',
  },
  503: { name: 'Unavailable', about: 'The service is stopping, overloaded, or read-only' },
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the next attempt',
    schema: { type: 'integer' },
  },
}

const codes = Object.entries(errorCatalogue) as [ErrorCode, { status: number }][]
const codesOf = (status: number) =>
  codes.filter(([, entry]) => entry.status === status).map(([code]) => code)

/** The envelope of every error. */
const errorSchema = {
  title: 'Error',
  type: 'object',
  required: ['success', 'message', 'code'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string', description: 'What is wrong and where' },
    code: { type: 'string', description: 'Stable error code for programs. See docs/errors.md' },
    field: {
      type: 'string',
      description: 'Field of a record with the error, as in unit.symbol. Optional',
    },
    line: { type: 'integer', description: 'GS SQL errors only: line, from 1' },
    column: { type: 'integer', description: 'GS SQL errors only: column, from 1' },
    pointer: {
      type: 'string',
      description: 'GS SQL errors only: the line with a mark below the place',
    },
  },
}

/** The errors of RFC 6749, section 5.2. */
const oauthErrorSchema = {
  title: 'OAuthError',
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

/** The errors of InfluxDB: version 2 has a code and a message, the others an error. */
const influxErrorSchema = {
  title: 'InfluxError',
  type: 'object',
  properties: {
    error: { type: 'string', description: 'What is wrong. Versions 1 and 3' },
    data: {
      type: 'array',
      description: 'The rejected lines. Version 3',
      items: {
        type: 'object',
        required: ['original_line', 'line_number', 'error_message'],
        properties: {
          original_line: { type: 'string' },
          line_number: { type: 'integer' },
          error_message: { type: 'string' },
        },
      },
    },
    code: { type: 'string', description: 'Kind of error. Version 2' },
    message: { type: 'string', description: 'What is wrong. Version 2' },
  },
}

/** The errors of OpenTelemetry. */
const rpcStatusSchema = {
  title: 'RpcStatus',
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'integer', description: 'Code of gRPC' },
    message: { type: 'string', description: 'What is wrong' },
  },
}

/** The errors of Prometheus' query API. */
const prometheusErrorSchema = {
  title: 'PrometheusError',
  type: 'object',
  required: ['status', 'errorType', 'error'],
  properties: {
    status: { type: 'string', const: 'error' },
    errorType: { type: 'string', description: 'Kind of error, such as bad_data' },
    error: { type: 'string', description: 'What is wrong' },
  },
}

/** The responses that operations refer to, by name. */
export function errorResponses(): Record<string, object> {
  const own = Object.entries(STATUSES).map(([status, { name, about }]) => {
    const known = codesOf(Number(status))
    const example = { success: false, message: about, code: known[0] }
    const response = jsonError(`${about} (${known.join(', ')})`, errorSchema, example)
    const mayRetry = ['429', '503'].includes(status)
    return [name, mayRetry ? { ...response, headers: RETRY_AFTER } : response]
  })
  const rpc = jsonError('Error as google.rpc.Status, in the type of the request', rpcStatusSchema, {
    code: 16,
    message: 'This API key is not known',
  })
  const binary = { schema: { type: 'string', format: 'binary' }, example: '(binary)' }
  const others = {
    PrometheusRefused: jsonError('Error in the envelope of Prometheus', prometheusErrorSchema, {
      status: 'error',
      errorType: 'bad_data',
      error: 'unexpected character',
    }),
    OAuthRefused: jsonError('OAuth error (RFC 6749)', oauthErrorSchema, {
      error: 'invalid_grant',
      error_description: 'code has expired',
    }),
    InfluxRefused: jsonError('Error in the form of InfluxDB', influxErrorSchema, {
      error: 'authorization failed',
    }),
    TextRefused: {
      description: 'Error as plain text',
      content: {
        'text/plain': { schema: { type: 'string' }, example: 'This API key is not known' },
      },
    },
    RpcRefused: { ...rpc, content: { ...rpc.content, 'application/x-protobuf': binary } },
  }
  return { ...Object.fromEntries(own), ...others }
}

function jsonError(description: string, schema: object, example: object) {
  return { description, content: { 'application/json': { schema, example } } }
}

/** Reference to the response of a status. */
const refTo = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** The errors of an operation that asks who calls, by status. */
export function errorsOf(traits: Traits): Record<number, object> {
  const { hasBody, namesThings, changesRecords } = traits
  const statuses = [
    400,
    401,
    403,
    ...(namesThings ? [404] : []),
    ...(changesRecords ? [409] : []),
    ...(hasBody ? [408, 413, 415] : []),
    429,
    431,
    500,
    503,
  ]
  return errorsWith(statuses)
}

/** The errors of some statuses. */
export function errorsWith(statuses: readonly number[]): Record<number, object> {
  return Object.fromEntries(statuses.map((status) => [status, refTo(STATUSES[status].name)]))
}

/** The errors of the endpoints that speak as RFC 6749 has it. */
export function oauthErrors(): Record<number, object> {
  return refusedWith('OAuthRefused', [400, 401, 408, 413, 415], [431, 500, 503])
}

/** The errors of Prometheus' query API, by status. */
export function prometheusErrors(): Record<number, object> {
  const statuses = [400, 401, 403, 408, 413, 415, 422, 429, 500, 503]
  return refusedWith('PrometheusRefused', statuses, [431])
}

/** The errors of calls of another protocol, as the response of a name has them. */
export function doorErrors(
  name: 'InfluxRefused' | 'TextRefused' | 'RpcRefused',
): Record<number, object> {
  return refusedWith(name, [400, 401, 403, 413, 415, 500, 503], [431])
}

/** Statuses that have the response of a name, and others that have the usual one. */
function refusedWith(name: string, statuses: readonly number[], usual: readonly number[]) {
  const refused = statuses.map((status) => [status, refTo(name)])
  return { ...Object.fromEntries(refused), ...errorsWith(usual) }
}
