import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/index.ts'
import {
  type AdmissionAnswer,
  type AdmissionCall,
  type Caller,
  type CountedAs,
  type Identity,
  Standing,
} from '../../auth/index.ts'
import { invariant } from '../../base/index.ts'
import { type Dialect, weirDialect } from '../table/dialect.ts'
import { limitHeaders } from '../transport/answer.ts'
import { type Exchange, exchangeOf } from '../transport/exchange.ts'
import { requireOwnSite } from './own-site.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the gate's guard, so only on routes that have one. */
    caller: Caller
    principal: Principal
    /** How the caller stands while the call goes on; set with it. */
    standing: Standing
  }
}

/** Methods that change nothing. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** How a call comes before admission. */
interface Arrival {
  readonly exchange: Exchange
  /** Says where the call carries its credential. */
  readonly dialect: Dialect
  readonly countedAs: CountedAs
}

/** Brings calls of HTTP before admission, and keeps how they stand with their rate limit. */
export class Gate {
  readonly #admission: Identity['admission']

  constructor({ admission }: Pick<Identity, 'admission'>) {
    this.#admission = admission
  }

  /**
   * The caller, when all that is needed is in memory; undefined: ask `admit`. Refuses with
   * `rate_limited`. No promise is made.
   */
  admitNow(arrival: Arrival): Caller | undefined {
    const answer = this.#admission.admitNow(callOf(arrival))
    return answer === undefined ? undefined : settle(arrival.exchange, answer)
  }

  /** The caller; refuses when there is none, or when its rate limit is spent. */
  async admit(arrival: Arrival): Promise<Caller> {
    const call = callOf(arrival)
    arrival.dialect.requireCredential?.(call)
    return settle(arrival.exchange, await this.#admission.admit(call))
  }

  /** What `follow` needs to know from before a caller was let in. */
  get changes(): number {
    return this.#admission.changes
  }

  /** How a caller stands who was let in after `asOf`, for calls whose act is yet to come. */
  follow(arrival: Arrival, caller: Caller, asOf: number): Standing {
    const uncounted = { ...arrival, countedAs: undefined }
    return new Standing(this.#admission, { callOf: () => callOf(uncounted), caller, asOf })
  }

  /** An onRequest hook that lets in the calls of a route that the table does not have. */
  guard(countedAs: CountedAs): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
    return async (request, reply) => {
      const exchange = exchangeOf(request.raw)
      invariant(exchange !== undefined, 'a guarded request came past our server')
      const arrival = { exchange, dialect: weirDialect, countedAs }
      const asOf = this.changes
      try {
        const caller = await this.admit(arrival)
        if (!READING.has(request.method)) requireOwnSite(request.raw, caller)
        request.caller = caller
        request.principal = caller.principal
        request.standing = this.follow(arrival, caller, asOf)
      } finally {
        if (exchange.limit !== undefined) {
          const headers = limitHeaders(exchange.limit)
          for (let at = 0; at < headers.length; at += 2) reply.header(headers[at], headers[at + 1])
        }
      }
    }
  }
}

function settle(exchange: Exchange, { caller, limit, refusal }: AdmissionAnswer): Caller {
  exchange.limit = limit
  if (refusal !== undefined) throw refusal
  return caller
}

function callOf({ exchange, dialect, countedAs }: Arrival): AdmissionCall {
  const { credential, org, forwardedFor } = dialect.readCredentials(exchange)
  return { credential, org, address: exchange.address, forwardedFor, countedAs }
}
