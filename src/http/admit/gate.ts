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
import { invariant, refuse } from '../../base/index.ts'
import { limitHeaders } from '../transport/answer.ts'
import { type Exchange, exchangeOf, type HeadReading } from '../transport/exchange.ts'
import { normalizeForwarded } from '../transport/peer-address.ts'
import { requireOwnSite } from './own-site.ts'
import { readCredentials } from './read-credentials.ts'
import { readSinkCredential } from './read-sink-credential.ts'

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

/** Brings HTTP calls before admission: reads where HTTP carries credentials, and keeps the limit's state. */
export class Gate {
  readonly #admission: Identity['admission']

  constructor({ admission }: Pick<Identity, 'admission'>) {
    this.#admission = admission
  }

  /**
   * The caller, when all that is needed is in memory; undefined: ask `admit`. Refuses with
   * `rate_limited`. For fast lanes: no promise is made.
   */
  admitNow(exchange: Exchange, countedAs: CountedAs): Caller | undefined {
    const answer = this.#admission.admitNow(callOf(exchange, countedAs))
    return answer === undefined ? undefined : settle(exchange, answer)
  }

  /** The caller; refuses when there is none, or when its rate limit is spent. */
  async admit(exchange: Exchange, countedAs: CountedAs): Promise<Caller> {
    return settle(exchange, await this.#admission.admit(callOf(exchange, countedAs)))
  }

  /** The caller where Basic is not for API keys: at endpoints whose OAuth clients sign in by it. */
  async admitWithoutBasic(exchange: Exchange): Promise<Caller> {
    const call = callOf(exchange, undefined)
    const isBasic = call.credential?.place === 'basic'
    const admitted = isBasic ? { ...call, credential: undefined } : call
    return settle(exchange, await this.#admission.admit(admitted))
  }

  /** The caller of a sink when all that is needed is in memory; undefined: ask `admitSink`. */
  admitSinkNow(exchange: Exchange): Caller | undefined {
    const answer = this.#admission.admitNow(sinkCallOf(exchange))
    return answer === undefined ? undefined : settle(exchange, answer)
  }

  /** The caller of a sink, by its API key alone; such calls are not counted. */
  async admitSink(exchange: Exchange): Promise<Caller> {
    const call = sinkCallOf(exchange)
    if (call.credential === undefined) refuse('unauthorized', { what: NO_SINK_KEY })
    return settle(exchange, await this.#admission.admit(call))
  }

  /** The key that a call of a sink was let in by. */
  sinkKeyOf(exchange: Exchange): string {
    return sinkCallOf(exchange).credential?.value ?? ''
  }

  /** What `follow` needs to know from before a caller was let in. */
  get changes(): number {
    return this.#admission.changes
  }

  /** How a caller stands who was let in after `asOf`, for calls whose act is yet to come. */
  follow(exchange: Exchange, caller: Caller, asOf: number): Standing {
    return new Standing(this.#admission, {
      callOf: () => callOf(exchange, undefined),
      caller,
      asOf,
    })
  }

  /** An onRequest hook that lets in a route's calls and sets `request.principal` and `.caller`. */
  guard(countedAs: CountedAs): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
    return async (request, reply) => {
      const exchange = exchangeOf(request.raw)
      invariant(exchange !== undefined, 'a guarded request came past our server')
      const asOf = this.changes
      try {
        const caller = await this.admit(exchange, countedAs)
        if (!READING.has(request.method)) requireOwnSite(request.raw, caller)
        request.caller = caller
        request.principal = caller.principal
        request.standing = this.follow(exchange, caller, asOf)
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

const NO_SINK_KEY =
  'A sink needs an API key: as the parameter or cookie api_key, as Basic authorization with the key as user or as password and the other blank, as the header X-Api-Key, or as Authorization: Bearer'

function sinkCallOf({ req, address }: Exchange): AdmissionCall {
  const { cookie } = req.headers
  const [authorization, apiKey] = [authorizationOf(req), apiKeyOf(req)]
  const credential = readSinkCredential({ url: req.url ?? '', cookie, authorization, apiKey })
  return {
    credential,
    org: undefined,
    address,
    forwardedFor: undefined,
    countedAs: undefined,
  }
}

/** Node keeps the first of several Authorization headers; whoever sends two must be told. */
function authorizationOf({ headers, headersDistinct }: Exchange['req']): string | undefined {
  return headers.authorization && headersDistinct.authorization?.join(', ')
}

function apiKeyOf({ headers }: Exchange['req']): string | undefined {
  const key = headers['x-api-key']
  return key === undefined ? undefined : String(key)
}

function callOf({ req, address }: Exchange, countedAs: CountedAs): AdmissionCall {
  const { credential, org, forwardedFor } = req.kept?.sent ?? readSent(req)
  return { credential, org, address, forwardedFor, countedAs }
}

/** What a head says of the caller; kept with a head that many requests share. */
function readSent(req: Exchange['req']): NonNullable<HeadReading['sent']> {
  const { cookie } = req.headers
  const [authorization, apiKey] = [authorizationOf(req), apiKeyOf(req)]
  const { credential, org } = readCredentials({ url: req.url ?? '', cookie, authorization, apiKey })
  const forwarded = req.headers['x-forwarded-for']
  const forwardedFor = forwarded === undefined ? undefined : normalizeForwarded(String(forwarded))
  const sent = { credential, org, forwardedFor }
  if (req.kept !== undefined) req.kept.sent = sent
  return sent
}
