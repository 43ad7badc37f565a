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
  400: { name: 'BadInput', about: 'Something that was sent cannot be used' },
  401: { name: 'Unauthorized', about: 'No credential, or one that is unknown or over' },
  403: { name: 'Forbidden', about: 'The credential does not allow this, here' },
  404: { name: 'NotFound', about: 'Something that the call names is not there' },
  405: { name: 'MethodNotAllowed', about: 'The path does not take this method' },
  408: { name: 'RequestTimeout', about: 'The body took too long to arrive' },
  409: { name: 'Conflict', about: 'It is taken, in use, or was changed meanwhile' },
  413: { name: 'TooLarge', about: 'The body is too large' },
  415: {
    name: 'UnsupportedMediaType',
    about: 'The body has a type or an encoding that is not taken',
  },
  416: { name: 'RangeNotSatisfiable', about: 'The Range begins past the end of the file' },
  422: { name: 'SqlFailed', about: 'GS SQL failed as it ran' },
  429: { name: 'TooManyCalls', about: 'The rate limit is spent, or credentials failed too often' },
  431: { name: 'HeadersTooLarge', about: 'Request line and headers are too long' },
  500: {
    name: 'Internal',
    about: 'A fault of the service; its log has the incident of the message',
  },
  503: { name: 'Unavailable', about: 'The service stops, is overloaded, or its disk is full' },
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } },
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
    message: { type: 'string', description: 'What was wrong, and where' },
    code: { type: 'string', description: 'Stable, for programs; docs/errors.md lists all' },
    field: {
      type: 'string',
      description: 'The field of a record that it is about, as in unit.symbol; absent without one',
    },
    line: { type: 'integer', description: 'The line of GS SQL, from 1; absent elsewhere' },
    column: { type: 'integer', description: 'The column in that line, from 1' },
    pointer: { type: 'string', description: 'That line, and below it a mark at the place' },
  },
}

/** The errors of RFC 6749, section 5.2. */
const oauthErrorSchema = {
  title: 'OAuthError',
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

/** The responses that operations refer to, by name. */
export function errorResponses(): Record<string, object> {
  const own = Object.entries(STATUSES).map(([status, { name, about }]) => {
    const known = codesOf(Number(status))
    const example = { success: false, message: about, code: known[0] }
    const mayRetry = ['429', '503'].includes(status)
    return [
      name,
      {
        description: `${about} (${known.join(', ')})`,
        ...(mayRetry ? { headers: RETRY_AFTER } : {}),
        content: { 'application/json': { schema: errorSchema, example } },
      },
    ]
  })
  const example = { error: 'invalid_grant', error_description: 'code has expired' }
  const oauth = {
    description: 'Refused, in the words of RFC 6749',
    content: { 'application/json': { schema: oauthErrorSchema, example } },
  }
  return Object.fromEntries([...own, ['OAuthRefused', oauth]])
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
  const refused = refTo('OAuthRefused')
  const statuses = [400, 401, 408, 413, 415].map((status) => [status, refused])
  return { ...Object.fromEntries(statuses), ...errorsWith([431, 500, 503]) }
}
