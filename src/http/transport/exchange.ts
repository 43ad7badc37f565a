import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Credentials, RateDecision } from '../../auth/index.ts'
import type { MemoryShare } from '../../base/index.ts'

/** The headers that operations look at; the front keeps no others. */
export const READ_HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'host',
  'if-none-match',
  'if-range',
  'last-event-id',
  'origin',
  'range',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'transfer-encoding',
  'user-agent',
  'weir-otp',
  'weir-password',
  'x-api-key',
  'x-forwarded-for',
  'x-request-id',
] as const

/** Those headers with their values; Node's headers are such, too. */
type ReadHeaders = Readonly<Partial<Pick<IncomingHttpHeaders, (typeof READ_HEADERS)[number]>>>

/** The parts of the request headers that the service reads, whichever reader parsed them. */
export interface RequestHead {
  readonly method?: string
  readonly url?: string
  readonly headers: ReadHeaders
  /** All that came under a name of which Node keeps the first only. */
  readonly headersDistinct: { readonly authorization?: readonly string[] }
  readonly socket: Socket
  /** What was read of it; only where many requests share the head, so that it is read once. */
  readonly kept?: HeadReading
}

/** What a head says, without a look at whether it is true or still holds. */
interface HeadReading {
  /** The claimed identity of a caller. Whether it is known is checked for every request. */
  sent: (Credentials & { readonly forwardedFor: string | undefined }) | undefined
}

/** A body that is sent as it comes. */
export interface SentStream {
  readonly body: Readable
  /** Sent after the body, to clients that accept trailers. */
  readonly trailer: { readonly name: string; readonly value: () => string } | undefined
  /** Called with an error that came before the first byte, when it can still be answered. */
  readonly onEarlyError: (error: unknown) => void
}

/** Where the answer to one request goes. */
export interface Reply {
  /** Whether an answer was begun, or nobody is there to read it. */
  readonly isOver: boolean
  /** What was answered. */
  readonly status: number
  /** Sends the whole answer; headers are a flat list of names and values. */
  send(status: number, headers: string[], body: string | Uint8Array): void
  /** Streams a response. The caller receives an error only while nothing was sent. */
  sendStream(status: number, headers: string[], sent: SentStream): void
  /** Calls back once the answer is sent, or the connection is gone. */
  onceOver(done: () => void): void
  /**
   * Tells a client that has closed its side that its call is processed. It may still wait for the
   * answer, or be gone: only writing, more than once, shows which.
   */
  sendProcessing(): void
}

/** One request and its answer, from the first byte to the last, whichever reader serves it. */
export interface Exchange {
  /** Sent in X-Request-Id and in every log line about this request. */
  readonly id: string
  readonly req: RequestHead
  /** The body: the request to read it from, or its bytes, valid until serve() returns. */
  readonly incoming: IncomingMessage | Buffer
  readonly reply: Reply
  /** The caller's address: the peer's, or what a trusted proxy says. */
  readonly address: string
  /** Whether the caller came over TLS: to this service, or to the proxy before it. */
  readonly isSecure: boolean
  /** On the clock that never goes back. */
  readonly startedAtMs: number
  /** The pattern of the path, for metrics; set by the reader that serves the request. */
  route: string
  /** The state of the rate limit, sent in the response headers. */
  limit: RateDecision | undefined
  /** What the answer holds of the memory budget until it has left. */
  held: MemoryShare | undefined
  /** Why the service could not, with details for the log only; undefined: nothing is kept back. */
  reason: string | undefined
  /** The code of the error that is answered; undefined: none. */
  code: string | undefined
  /** What the caller should hear although the call succeeded: Weir-Warning in the answer. */
  warnings: readonly string[]
}

/** Answers a request, also when it fails. */
export type Serve = (exchange: Exchange) => void

/** Finds who serves requests of a method and target; undefined: nobody does. */
export type FastLookup = (method: string, url: string) => Serve | undefined
