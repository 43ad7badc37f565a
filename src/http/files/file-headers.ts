import { refuse } from '../../base/index.ts'

/** What is stored of a body whose uploader names no type, or nothing that is one. */
const UNKNOWN_TYPE = 'application/octet-stream'
const TYPE_LENGTH_MAX = 255
const TYPE_PATTERN = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[\t ]*;[\x20-\x7e]*)?$/

/** Types that a browser shows without running anything of them; a sandbox would only break PDF. */
const PASSIVE_TYPES = new Set([
  'application/gzip',
  'application/json',
  'application/octet-stream',
  'application/pdf',
  'application/zip',
  'text/csv',
  'text/plain',
])
const PASSIVE_MEDIA = /^(?:audio|video)\/|^image\/(?!svg)/

/** Nothing runs, nothing is fetched, nothing is sent, and the page has an origin of its own. */
const SANDBOX_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
  "form-action 'none'; base-uri 'none'"

/** The content type to keep for an upload: as it was named when it is one, safe to send back. */
export function readContentType(named: string | undefined): string {
  const type = named?.trim() ?? ''
  return type.length <= TYPE_LENGTH_MAX && TYPE_PATTERN.test(type) ? type : UNKNOWN_TYPE
}

/** The headers that keep a stored body from acting on the page or the person that opens it. */
export function safetyHeaders(contentType: string): Record<string, string> {
  const headers = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }
  const type = contentType.split(';')[0].trim().toLowerCase()
  if (PASSIVE_TYPES.has(type) || PASSIVE_MEDIA.test(type)) return headers
  return { ...headers, 'content-security-policy': SANDBOX_POLICY }
}

/**
 * The answer's Content-Disposition: the parameter beats the request's header, inline by default. Of the
 * header the first word counts: clients write parameters behind it, such as a name of the file.
 */
export function readDisposition(parameter: unknown, header: unknown): 'inline' | 'attachment' {
  const word = typeof header === 'string' ? header.trim().split(/[\s;]/, 1)[0] : header
  const wanted = parameter ?? word ?? 'inline'
  if (wanted === 'inline' || wanted === 'attachment') return wanted
  const what = parameter === undefined ? 'header Content-Disposition' : 'parameter disposition'
  return refuse('bad_input', { what: `The ${what} must be "inline" or "attachment"` })
}

/** Whether an If-None-Match or If-Range header names this ETag, by the weak comparison. */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/**
 * The one range of bytes that a Range header asks for, half-open; undefined: the whole body (no
 * header, another unit, several ranges, or not readable, as RFC 9110 allows); 'unsatisfiable': it
 * begins past the end.
 */
export function readRange(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(header ?? '')
  const [, first = '', end = ''] = match ?? []
  if (first === '' && end === '') return undefined
  if (first === '') {
    const suffixBytes = Math.min(Number(end), bytes)
    return suffixBytes === 0 ? 'unsatisfiable' : { start: bytes - suffixBytes, end: bytes }
  }
  const start = Number(first)
  const last = end === '' ? bytes - 1 : Number(end)
  if (last < start && end !== '') return undefined
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: Math.min(last + 1, bytes) }
}
