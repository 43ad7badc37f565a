import { type RateClass, type RateFigures, Refusal, refusal, refuse } from '../base/index.ts'
import type { AuthCall, Authenticator, Caller } from './authenticator.ts'
import type { RateDecision, RateLimiter } from './rate-limiter.ts'

/** Which limit a call counts against; undefined: none. */
export type CountedAs = Exclude<RateClass, 'failed'> | undefined

/** A call that wants to be let in, whichever protocol brought it. */
export interface AdmissionCall extends AuthCall {
  /** What a gateway says of whom it speaks for; it distinguishes devices and is never believed. */
  readonly forwardedFor: string | undefined
  readonly countedAs: CountedAs
}

/** Who was let in, or why nobody was; and how the call stands with its rate limit, when it has one. */
export type AdmissionAnswer =
  | { readonly caller: Caller; readonly refusal: undefined; readonly limit: Limit }
  | { readonly caller: undefined; readonly refusal: Refusal; readonly limit: Limit }

type Limit = RateDecision | undefined

/** Names of buckets stay small whatever a caller sends. */
const FORWARDED_LENGTH_MAX = 100

/** Lets calls in: who calls, and whether the rate limit has room. Knows no protocol. */
export class Admission {
  readonly #authenticator: Authenticator
  readonly #limiter: RateLimiter
  readonly #figuresOf: (orgUid: string) => RateFigures
  readonly #countChanges: () => number

  constructor(deps: {
    readonly authenticator: Authenticator
    readonly limiter: RateLimiter
    readonly figuresOf: (orgUid: string) => RateFigures
    /** Rises with every change of what callers are known and permitted by. */
    readonly countChanges: () => number
  }) {
    this.#authenticator = deps.authenticator
    this.#limiter = deps.limiter
    this.#figuresOf = deps.figuresOf
    this.#countChanges = deps.countChanges
  }

  /** The answer when all that is needed is in memory; undefined: ask `admit`. No promise is made. */
  admitNow(call: AdmissionCall): AdmissionAnswer | undefined {
    const caller = this.#authenticator.authenticateNow(call)
    return caller === undefined ? undefined : this.#count(call, caller)
  }

  /** The answer, from memory or the store; rejects only when the store fails. */
  async admit(call: AdmissionCall): Promise<AdmissionAnswer> {
    try {
      return this.admitNow(call) ?? this.#count(call, await this.#authenticator.authenticate(call))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { caller: undefined, refusal: error, limit: undefined }
    }
  }

  /**
   * Rises when a credential, a role or an organization changes. A caller who was let in at the same
   * number stands as then; at another one, `readmit` decides.
   */
  get changes(): number {
    return this.#countChanges()
  }

  /** The caller of a call that was let in, as of this moment; the call is not counted again. */
  async readmit(call: AuthCall, before: Pick<Caller, 'principal'>): Promise<Caller> {
    const caller =
      this.#authenticator.authenticateNow(call) ?? (await this.#authenticator.authenticate(call))
    if (caller.principal.orgUid !== before.principal.orgUid) {
      // It was meant for the one that the caller has left, whichever comes first among the others.
      refuse('forbidden', { what: 'You no longer belong to the organization of this request' })
    }
    return caller
  }

  #count({ countedAs, address, forwardedFor }: AdmissionCall, caller: Caller): AdmissionAnswer {
    if (countedAs === undefined) return { caller, refusal: undefined, limit: undefined }
    const figure = this.#figuresOf(caller.principal.orgUid)[countedAs]
    if (figure === undefined) return { caller, refusal: undefined, limit: undefined }
    const from =
      forwardedFor === undefined
        ? address
        : `${address} ${forwardedFor.slice(0, FORWARDED_LENGTH_MAX)}`
    const credential = `${countedAs} ${caller.credentialName}`
    const limit = this.#limiter.takeCall(figure, { credential, from })
    if (limit.isAllowed) return { caller, refusal: undefined, limit }
    const { retryAfterSeconds } = limit
    return { caller: undefined, refusal: refusal('rate_limited', { retryAfterSeconds }), limit }
  }
}
