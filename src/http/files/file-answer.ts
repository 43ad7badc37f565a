import type { FileRecord } from '../../files/index.ts'
import { base64Length } from './base64-text.ts'
import { namesEtag, readContentType, readRange, safetyHeaders } from './file-headers.ts'

/** What a GET of a file asks for. */
export interface AskedFile {
  readonly disposition: 'inline' | 'attachment'
  /** The bytes wanted as base64 text, half-open; undefined: the file as it is. */
  readonly base64: { readonly start: number; readonly end: number } | undefined
  readonly isHead: boolean
  readonly range: string | undefined
  readonly ifRange: string | undefined
  readonly ifNoneMatch: string | undefined
}

/** How a GET of a file is answered. */
interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body, half-open; undefined: there is no body. */
  readonly range: { readonly start: number; readonly end: number } | undefined
}

/** Decides status, headers and bytes of an answer from what was asked and what is stored. */
export function planFileAnswer(asked: AskedFile, file: FileRecord): FileAnswer {
  return asked.base64 === undefined
    ? planWhole(asked, file)
    : planBase64(asked, asked.base64, file.bytes)
}

function planWhole(asked: AskedFile, { type: stored, bytes, sha256 }: FileRecord): FileAnswer {
  // What was stored before types were checked so strictly must not break its answer.
  const type = readContentType(stored)
  const etag = `"${sha256}"`
  const headers = {
    ...safetyHeaders(type),
    etag,
    'accept-ranges': 'bytes',
    // Credentials decide who may see it, and the newest file changes: keep, but ask each time.
    'cache-control': 'private, no-cache',
    'content-disposition': asked.disposition,
  }
  if (namesEtag(asked.ifNoneMatch, etag)) return { status: 304, headers, range: undefined }
  const isRangeMeant = asked.ifRange === undefined || asked.ifRange === etag
  const range = isRangeMeant ? readRange(asked.range, bytes) : undefined
  if (range === 'unsatisfiable') {
    const past = { 'content-range': `bytes */${bytes}` }
    return { status: 416, headers: past, range: undefined }
  }
  const { start, end } = range ?? { start: 0, end: bytes }
  const described = { ...headers, 'content-type': type, 'content-length': String(end - start) }
  const body = asked.isHead ? undefined : { start, end }
  if (range === undefined) return { status: 200, headers: described, range: body }
  const placed = { ...described, 'content-range': `bytes ${start}-${end - 1}/${bytes}` }
  return { status: 206, headers: placed, range: body }
}

function planBase64(
  { disposition, isHead }: AskedFile,
  wanted: { readonly start: number; readonly end: number },
  bytes: number,
): FileAnswer {
  const start = Math.min(wanted.start, bytes)
  const end = Math.min(wanted.end, bytes)
  const headers = {
    'cache-control': 'private, no-cache',
    'content-disposition': disposition,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(base64Length(end - start)),
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers, range: isHead ? undefined : { start, end } }
}
