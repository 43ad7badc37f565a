import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HEADER_BYTES_MAX, newUid, Refusal, refusal, version } from '../../base/index.ts'
import { JSON_POLICY } from './answer.ts'
import { errorEnvelope } from './error-reply.ts'

/** How long a client may go on sending what nobody reads, so that it can read the answer. */
const LINGER_MS = 2_000

/** Sockets that have their answer; what still comes on them fails again and is nothing new. */
const answered = new WeakSet<Socket>()

/** Answers what is no HTTP request at all, or one with too long a head, with the usual envelope. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (answered.has(socket)) return
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
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    `Content-Security-Policy: ${JSON_POLICY}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  answered.add(socket)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
}

function explain(error: NodeJS.ErrnoException): Refusal {
  if (error instanceof Refusal) return error
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal('headers_too_large', { limitBytes: HEADER_BYTES_MAX })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal('request_timeout', { what: 'The request took too long to arrive' })
    default:
      return refusal('bad_input', { what: 'This is not a valid HTTP request' })
  }
}
