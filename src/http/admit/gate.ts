import {
  type AdmissionAnswer,
  type AdmissionCall,
  type Caller,
  CallerCheck,
  type CountedAs,
  type Identity,
} from '../../auth/index.ts'
import type { Dialect } from '../table/dialect.ts'
import type { Exchange } from '../transport/exchange.ts'

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
  follow(arrival: Arrival, caller: Caller, asOf: number): CallerCheck {
    const call = () => callOf({ ...arrival, countedAs: undefined })
    return new CallerCheck(this.#admission, { callOf: call, caller, asOf })
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
