import type { Socket } from 'node:net'
import { type FastLookup, READ_HEADERS, type RequestHead, type Serve } from '../exchange.ts'

/** A head that the front understands in full. */
export interface StrictHead extends RequestHead {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly bodyBytes: number
  /** Who serves it; requests with the same head are not asked about again. */
  readonly serve: Serve
}

/** Visible ASCII: what else a target may hold is for the general parser to judge. */
const REQUEST_LINE = /^(GET|POST|PUT) (\/[!-"$-~]*) HTTP\/1\.1$/
/** No two parts of it can match the same bytes: a line that fails must not be tried in many ways. */
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t -~]*)$/
const LENGTH = /^(?:0|[1-9][0-9]{0,6})$/

type ReadHeader = (typeof READ_HEADERS)[number]

/** One that comes twice is for the general parser. */
const READ: ReadonlySet<string> = new Set(READ_HEADERS)

function isRead(name: string): name is ReadHeader {
  return READ.has(name)
}

/** Headers that change how the body or the connection is read. */
const SPECIAL = new Set([
  'content-encoding',
  'expect',
  'http2-settings',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Reads request headers, without the blank line after them. Returns undefined unless `findServe` knows
 * the target and every byte is of the strict form. So only Node's own parser decides about unusual,
 * ambiguous, or wrong requests.
 */
export function readStrictHead(
  text: string,
  socket: Socket,
  findServe: FastLookup,
): StrictHead | undefined {
  const lines = text.split('\r\n')
  const request = REQUEST_LINE.exec(lines[0])
  if (request === null) return undefined
  const method = request[1] as StrictHead['method']
  const url = request[2]
  const serve = findServe(method, url)
  if (serve === undefined) return undefined
  const headers: Partial<Record<ReadHeader, string>> = {}
  let bodyBytes: number | undefined
  for (let at = 1; at < lines.length; at++) {
    const line = HEADER_LINE.exec(lines[at])
    if (line === null) return undefined
    const name = line[1].toLowerCase()
    const value = line[2].trim()
    if (SPECIAL.has(name)) return undefined
    if (isRead(name)) {
      if (headers[name] !== undefined) return undefined
      headers[name] = value
    }
    if (name === 'content-length') {
      if (!LENGTH.test(value)) return undefined
      bodyBytes = Number(value)
    } else if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined
  }
  if (method === 'GET' && bodyBytes !== undefined && bodyBytes > 0) return undefined
  const { authorization } = headers
  const headersDistinct = authorization === undefined ? {} : { authorization: [authorization] }
  return {
    method,
    url,
    headers,
    headersDistinct,
    socket,
    bodyBytes: bodyBytes ?? 0,
    serve,
    kept: { sent: undefined },
  }
}
