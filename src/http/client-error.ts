import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HEADER_BYTES_MAX, newUid, type Refusal, refusal } from '../base/index.ts'
import { errorEnvelope } from './error-reply.ts'
import { version } from './version.ts'

/** Answers what is no HTTP request at all, or one with too long a head, with the usual envelope. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, code, message } = explain(error)
  const body = errorEnvelope(code, message)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Weir-Version: ${version}`,
    `X-Request-Id: ${newUid()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // The rest of what the client sends is not waited for.
  socket.once('finish', () => socket.destroy())
}

function explain(error: NodeJS.ErrnoException): Refusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal('headers_too_large', { limitBytes: HEADER_BYTES_MAX })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal('request_timeout', { what: 'The request took too long to arrive' })
    default:
      return refusal('bad_input', { what: 'This is not a valid HTTP request' })
  }
}
