import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from '../exchange.ts'

/** A head that the front understands in full. */
export interface StrictHead extends RequestHead {
  readonly method: 'GET' | 'PUT'
  readonly url: string
  readonly bodyBytes: number
}

/** Visible ASCII: what else a target may hold is for the general parser to judge. */
const REQUEST_LINE = /^(GET|PUT) (\/api\/(?:feed|comp\/)[!-"$-~]*) HTTP\/1\.1$/
/** No two parts of it can match the same bytes: a line that fails must not be tried in many ways. */
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t -~]*)$/
const LENGTH = /^(?:0|[1-9][0-9]{0,6})$/

/** Headers that the service looks at; one that comes twice is for the general parser. */
const READ = new Set([
  'authorization',
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-request-id',
])

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
 * Reads the head of a call to the feed, without the empty line behind it, when every byte of it is
 * of the strict kind; undefined for anything else, so that what is unusual, ambiguous or wrong gets
 * judged in one place only: by Node's own parser.
 */
export function readStrictHead(text: string, socket: Socket): StrictHead | undefined {
  const lines = text.split('\r\n')
  const request = REQUEST_LINE.exec(lines[0])
  if (request === null) return undefined
  const headers: IncomingHttpHeaders = {}
  let bodyBytes: number | undefined
  for (let at = 1; at < lines.length; at++) {
    const line = HEADER_LINE.exec(lines[at])
    if (line === null) return undefined
    const name = line[1].toLowerCase()
    const value = line[2].trim()
    if (READ.has(name)) {
      if (headers[name] !== undefined) return undefined
      headers[name] = value
    } else if (name === 'content-length') {
      if (bodyBytes !== undefined || !LENGTH.test(value)) return undefined
      bodyBytes = Number(value)
    } else if (name === 'connection') {
      if (value.toLowerCase() !== 'keep-alive') return undefined
    } else if (SPECIAL.has(name)) return undefined
  }
  const method = request[1] === 'PUT' ? 'PUT' : 'GET'
  if (method === 'GET' && bodyBytes !== undefined && bodyBytes > 0) return undefined
  const { authorization } = headers
  const headersDistinct = authorization === undefined ? {} : { authorization: [authorization] }
  return { method, url: request[2], headers, headersDistinct, socket, bodyBytes: bodyBytes ?? 0 }
}
