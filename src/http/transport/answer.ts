import type { RateDecision } from '../../auth/index.ts'
import { type Log, version } from '../../base/index.ts'
import { type ErrorReply, errorReply } from './error-reply.ts'
import type { Exchange } from './exchange.ts'
import { WARNING_HEADER, warningText } from './warning-header.ts'

/** The type of every answer that is a value. */
export const JSON_TYPE = 'application/json; charset=utf-8'

const EXPOSED =
  'Accept-Ranges, Content-Disposition, Content-Range, ETag, Link, RateLimit-Limit, ' +
  'RateLimit-Remaining, RateLimit-Reset, Retry-After, Weir-More, Weir-Version, Weir-Warning, X-Request-Id'

/**
 * What pages of other origins may read. Metrics are for this origin, and scripts of others have no
 * business at the authorization page (RFC 9700, 2.6).
 */
const OPEN_PATHS = /^\/(?:api|\.well-known)\//

/** JSON is for programs: a browser that shows it runs and fetches nothing, and no page frames it. */
export const JSON_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** A browser that was here over TLS once comes back so for a year. */
const STRICT_TRANSPORT = 'max-age=31536000'

/** The names of all headers that commonHeaders() may give, in lower case. */
const COMMON_NAMES: ReadonlySet<string> = new Set([
  'weir-version',
  'x-request-id',
  'x-content-type-options',
  'strict-transport-security',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  WARNING_HEADER.toLowerCase(),
])

/** The headers that every answer carries, as a flat list of names and values. */
export function commonHeaders(exchange: Exchange): string[] {
  const headers = [
    'Weir-Version',
    version,
    'X-Request-Id',
    exchange.id,
    // What an answer is, its type says; browsers must not guess.
    'X-Content-Type-Options',
    'nosniff',
  ]
  const { headers: given, url = '' } = exchange.req
  if (exchange.isSecure) headers.push('Strict-Transport-Security', STRICT_TRANSPORT)
  if (given.origin !== undefined && OPEN_PATHS.test(url)) {
    headers.push('Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED)
  }
  if (exchange.limit !== undefined) headers.push(...limitHeaders(exchange.limit))
  const warning = warningText(exchange.warnings)
  if (warning !== undefined) headers.push(WARNING_HEADER, warning)
  return headers
}

/** The headers with the state of the caller's rate limit. */
function limitHeaders({ limit, remaining, resetSeconds }: RateDecision): string[] {
  return [
    'RateLimit-Limit',
    String(limit),
    'RateLimit-Remaining',
    String(remaining),
    'RateLimit-Reset',
    String(resetSeconds),
  ]
}

/** Headers of an answer beside the common ones; a list stands for one that comes several times. */
type OwnHeaders = Readonly<Record<string, string | number | readonly string[]>>

/**
 * All headers of an answer: the common ones, its own, which come in their place, and the type and length
 * of a body. `length` is undefined where none is given.
 */
export function answerHeaders(
  exchange: Exchange,
  own: OwnHeaders,
  length: number | undefined,
): string[] {
  const names = Object.keys(own).map((name) => name.toLowerCase())
  const common = commonHeaders(exchange)
  const isReplaced = (name: string) => names.includes(name.toLowerCase())
  const isReplacing = names.some((name) => COMMON_NAMES.has(name))
  const headers = isReplacing
    ? common.filter((_, at) => !isReplaced(common[at - (at % 2)]))
    : common
  let type: string | undefined
  for (const [name, value] of Object.entries(own)) {
    if (name.toLowerCase() === 'content-type') type = String(value)
    if (Array.isArray(value)) for (const one of value) headers.push(name, String(one))
    else headers.push(name, String(value))
  }
  // Nothing has no type: a client must not be led to read JSON.
  if (type === undefined && length !== undefined && length > 0) {
    type = JSON_TYPE
    headers.push('Content-Type', JSON_TYPE)
  }
  const isJson = type?.startsWith('application/json') === true
  if (isJson && !names.includes('content-security-policy')) {
    headers.push('Content-Security-Policy', JSON_POLICY)
  }
  if (length !== undefined && !names.includes('content-length')) {
    headers.push('Content-Length', String(length))
  }
  return headers
}

/** How an error is answered. */
interface ErrorForm {
  /** Writes it in the words of the call's protocol; by default in ours. */
  readonly writeError?: (error: unknown, exchange: Exchange) => ErrorReply
  /** The methods that a wrong one is answered with. */
  readonly allow?: string
  readonly headers?: OwnHeaders
}

/** Answers an error, logging it when the fault is ours. */
export function answerError(
  exchange: Exchange,
  error: unknown,
  log: Log,
  { writeError = errorReply, allow, headers }: ErrorForm = {},
): void {
  const reply = writeError(error, exchange)
  exchange.code = reply.code
  exchange.reason = reply.reason
  if (reply.incident !== undefined) {
    log.error({ requestId: exchange.id, incident: reply.incident, error }, 'request failed')
  }
  const isWrongMethod = allow !== undefined && reply.code === 'method_not_allowed'
  if (exchange.reply.isOver) return
  const allHeaders = { ...headers, ...reply.headers }
  const own = isWrongMethod ? { ...allHeaders, Allow: allow } : allHeaders
  const all = answerHeaders(exchange, own, Buffer.byteLength(reply.body))
  exchange.reply.send(reply.status, all, reply.body)
}
