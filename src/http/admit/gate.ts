import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/index.ts'
import type { Caller, Identity } from '../../auth/index.ts'
import { invariant, type RateClass, refuse } from '../../base/index.ts'
import { limitHeaders } from '../transport/answer.ts'
import { type Exchange, exchangeOf } from '../transport/exchange.ts'
import { requireOwnSite } from './own-site.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the gate's guard, so only on routes that have one. */
    caller: Caller
    principal: Principal
  }
}

/** Which limit a call counts against; undefined: none. */
export type CountedAs = Exclude<RateClass, 'failed'> | undefined

/** Methods that change nothing. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

type GateIdentity = Pick<Identity, 'authenticator' | 'limiter' | 'figuresOf'>

/** Lets a call in: who it is, and whether its rate limit has room. */
export class Gate {
  readonly #identity: GateIdentity

  constructor(identity: GateIdentity) {
    this.#identity = identity
  }

  /**
   * The caller, when all that is needed is in memory; undefined: ask `admit`. Refuses with
   * `rate_limited`. For fast lanes: no promise is made.
   */
  admitNow(exchange: Exchange, countedAs: CountedAs): Caller | undefined {
    const caller = this.#identity.authenticator.authenticateNow(callOf(exchange))
    if (caller !== undefined) this.#count(exchange, caller, countedAs)
    return caller
  }

  /** The caller; refuses when there is none, or when its rate limit is spent. */
  async admit(exchange: Exchange, countedAs: CountedAs): Promise<Caller> {
    const { authenticator } = this.#identity
    const call = callOf(exchange)
    const caller = authenticator.authenticateNow(call) ?? (await authenticator.authenticate(call))
    this.#count(exchange, caller, countedAs)
    return caller
  }

  /** An onRequest hook that lets in a route's calls and sets `request.principal` and `.caller`. */
  guard(countedAs: CountedAs): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
    return async (request, reply) => {
      const exchange = exchangeOf(request.raw)
      invariant(exchange !== undefined, 'a guarded request came past our server')
      try {
        const caller = await this.admit(exchange, countedAs)
        if (!READING.has(request.method)) requireOwnSite(request.raw, caller)
        request.caller = caller
        request.principal = caller.principal
      } finally {
        if (exchange.limit !== undefined) {
          const headers = limitHeaders(exchange.limit)
          for (let at = 0; at < headers.length; at += 2) reply.header(headers[at], headers[at + 1])
        }
      }
    }
  }

  #count(exchange: Exchange, caller: Caller, countedAs: CountedAs): void {
    if (countedAs === undefined) return
    const figure = this.#identity.figuresOf(caller.principal.orgUid)[countedAs]
    if (figure === undefined) return
    const forwarded = exchange.req.headers['x-forwarded-for']
    // The text of the header tells devices behind one gateway apart; it is cut so that keys stay small.
    const from =
      forwarded === undefined
        ? exchange.address
        : `${exchange.address} ${String(forwarded).slice(0, 100)}`
    const credential = `${countedAs} ${caller.credentialName}`
    exchange.limit = this.#identity.limiter.takeCall(figure, { credential, from })
    const { isAllowed, retryAfterSeconds } = exchange.limit
    if (!isAllowed) refuse('rate_limited', { retryAfterSeconds })
  }
}

function callOf({ req, address }: Exchange) {
  const { cookie } = req.headers
  // Node keeps the first of several Authorization headers; whoever sends two must be told.
  const authorization = req.headers.authorization && req.headersDistinct.authorization?.join(', ')
  return { url: req.url ?? '', cookie, authorization, address }
}
