import { BoundedCache, type Clock, type RateFigure } from '../base/index.ts'

/** How a call stands with its bucket. */
export interface RateDecision {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number
  /** Seconds until the next call is allowed; 0 when this one is. */
  readonly retryAfterSeconds: number
}

interface Bucket {
  tokens: number
  atMs: number
}

/** How much wider the bucket of a credential alone is than that of one of its addresses. */
const WIDE_FACTOR = 10
const BUCKETS_MAX = 100_000

/**
 * Token buckets in bounded memory: one that was not used for long is dropped, and is then most likely
 * full anyway.
 */
export class RateLimiter {
  readonly #clock: Clock
  readonly #buckets = new BoundedCache<string, Bucket>(BUCKETS_MAX)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Takes one call of a credential: from the bucket of its address and forwarded text, and from the
   * wide one of the credential alone. Nothing is taken from either when one of them is empty.
   */
  takeCall(
    figure: RateFigure,
    call: { readonly credential: string; readonly from: string },
  ): RateDecision {
    const narrow = this.#bucket(`${call.credential} ${call.from}`, figure)
    const wideFigure = { calls: figure.calls * WIDE_FACTOR, perMs: figure.perMs }
    const wide = this.#bucket(call.credential, wideFigure)
    const isAllowed = narrow.tokens >= 1 && wide.tokens >= 1
    if (isAllowed) {
      narrow.tokens -= 1
      wide.tokens -= 1
      return decide(true, narrow, figure)
    }
    return narrow.tokens < 1 ? decide(false, narrow, figure) : decide(false, wide, wideFigure)
  }

  #bucket(name: string, figure: RateFigure): Bucket {
    const nowMs = this.#clock.elapsed()
    const known = this.#buckets.get(name)
    if (known === undefined) {
      const bucket = { tokens: figure.calls, atMs: nowMs }
      this.#buckets.set(name, bucket)
      return bucket
    }
    const refill = ((nowMs - known.atMs) * figure.calls) / figure.perMs
    known.tokens = Math.min(figure.calls, known.tokens + refill)
    known.atMs = nowMs
    return known
  }
}

function decide(isAllowed: boolean, bucket: Bucket, figure: RateFigure): RateDecision {
  const secondsPerCall = figure.perMs / figure.calls / 1_000
  return {
    isAllowed,
    limit: figure.calls,
    remaining: Math.floor(bucket.tokens),
    resetSeconds: Math.ceil((figure.calls - bucket.tokens) * secondsPerCall),
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) * secondsPerCall)),
  }
}
