import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { HEADER_BYTES_MAX, refusal } from '../../base/index.ts'
import { answerClientError } from './client-error.ts'

/** PEM files of a certificate chain and its key. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** How long a request's head may take to arrive. */
const HEADERS_TIMEOUT_MS = 60_000
/** How long a connection may stay silent: uploads may last hours, but not silently. */
export const IDLE_TIMEOUT_MS = 120_000
/** Longer than the idle time of the usual proxies, so that they close first. */
export const KEEP_ALIVE_MS = 75_000

const options: ServerOptions = {
  maxHeaderSize: HEADER_BYTES_MAX,
  // Small devices send no Host or an empty one.
  requireHostHeader: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  // A file of gigabytes over a slow line may take any time; the idle time bounds it.
  requestTimeout: 0,
  noDelay: true,
}

/** Serves one request. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void

/** The HTTP or HTTPS server that hands every request to one function. */
export function openListener(handle: Handler, tls: TlsFiles | undefined): Server {
  const server =
    tls === undefined
      ? createServer(options, handle)
      : createTlsServer(
          { ...options, cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) },
          handle,
        )
  server.setTimeout(IDLE_TIMEOUT_MS)
  // Their bytes bound them; beyond a count Node would drop headers without a word.
  server.maxHeadersCount = 0
  // Some clients close their side once the request is sent, and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  // An expectation that is not understood is no reason to refuse a device's request.
  server.on('checkExpectation', handle)
  server.on('clientError', answerClientError)
  server.on('connect', (_, socket: Socket) => {
    const what = 'CONNECT is not supported: this service is not a proxy'
    answerClientError(refusal('method_not_allowed', { what }), socket)
  })
  return server
}
