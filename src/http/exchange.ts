import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RateDecision } from '../auth/index.ts'

/** One request and its answer, from the first byte to the last, whoever serves it. */
export interface Exchange {
  /** Told in X-Request-Id and in every log line about this request. */
  readonly id: string
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The caller's address: the peer's, or what a trusted proxy says. */
  readonly address: string
  /** On the clock that never goes back. */
  readonly startedAtMs: number
  /** The pattern of the path, for metrics; set by whoever serves the request. */
  route: string
  /** How the call stands with its rate limit, told in the answer's headers. */
  limit: RateDecision | undefined
}

/** Serves a request without Fastify when it can; false hands it on untouched. */
export type FastLane = (req: IncomingMessage, res: ServerResponse, exchange: Exchange) => boolean

type Carrier = IncomingMessage & { weirExchange?: Exchange }

/** Remembers the exchange on the request, so that Fastify's side finds it. */
export function attachExchange(exchange: Exchange): void {
  const carrier: Carrier = exchange.req
  carrier.weirExchange = exchange
}

/** The exchange of a request that came through our server. */
export function exchangeOf(req: IncomingMessage): Exchange | undefined {
  const carrier: Carrier = req
  return carrier.weirExchange
}
