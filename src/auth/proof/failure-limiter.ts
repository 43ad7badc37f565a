import { createHash } from 'node:crypto'
import type { Clock, RateFigure } from '../../base/index.ts'

/** Something failures are counted for, and how much wider its bucket is than the figure. */
export interface CountedFailure {
  readonly name: string
  readonly factor: number
}

/** What was taken for one attempt, or how long to wait. */
type FailureDecision =
  | { readonly isAllowed: true; readonly taken: readonly Bucket[] }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number }

interface Bucket {
  readonly calls: number
  /** How much is gone of `calls`; 0: the bucket is full, and need not be kept. */
  spent: number
  atMs: number
}

/** Buckets are kept for 200 bytes each; the names in use are far fewer unless many hosts attack at once. */
const BUCKETS_MAX = 100_000
/** How much wider the one bucket is that is left for names when there is room for no more. */
const OVERFLOW_FACTOR = 100
/** Looked at for each attempt, so that what is full goes faster than new ones arrive. */
const SWEPT_AT_ONCE = 8

/**
 * Counts failed sign-ins and credentials, apart from all other limits. Only a full bucket is ever
 * forgotten, so nobody gets their tries back by filling the memory: when all buckets are in use, names
 * without one share a last bucket.
 */
export class FailureLimiter {
  readonly #clock: Clock
  readonly #figure: RateFigure | undefined
  readonly #bucketsMax: number
  readonly #overflow: Bucket
  /** The one that was used longest ago comes first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(deps: {
    readonly clock: Clock
    /** How many failures a bucket of factor 1 allows; undefined: no limit. */
    readonly figure: RateFigure | undefined
    readonly bucketsMax?: number
  }) {
    this.#clock = deps.clock
    this.#figure = deps.figure
    this.#bucketsMax = deps.bucketsMax ?? BUCKETS_MAX
    const calls = (deps.figure?.calls ?? 1) * OVERFLOW_FACTOR
    this.#overflow = { calls, spent: 0, atMs: deps.clock.elapsed() }
  }

  /** How many names have failures that still count. */
  get size(): number {
    return this.#buckets.size
  }

  /** Takes one failure from each bucket ahead of the attempt, or from none when one is empty. */
  take(counted: readonly CountedFailure[]): FailureDecision {
    const figure = this.#figure
    if (figure === undefined) return { isAllowed: true, taken: [] }
    this.#sweep(figure)
    const buckets = counted.map((one) => this.#bucket(figure, one))
    const waits = buckets.map(({ calls, spent }) => (spent + 1 - calls) / calls)
    const longest = Math.max(0, ...waits)
    if (longest > 0) {
      return { isAllowed: false, retryAfterSeconds: Math.ceil((longest * figure.perMs) / 1_000) }
    }
    for (const bucket of buckets) bucket.spent += 1
    return { isAllowed: true, taken: buckets }
  }

  /** Puts back what was taken for an attempt that did not fail. */
  giveBack(decision: FailureDecision): void {
    if (!decision.isAllowed) return
    for (const bucket of decision.taken) bucket.spent = Math.max(0, bucket.spent - 1)
  }

  #bucket(figure: RateFigure, { name, factor }: CountedFailure): Bucket {
    // A name may be as long as an e-mail address that somebody made up.
    const key = createHash('sha256').update(name).digest('base64url')
    const known = this.#buckets.get(key)
    if (known !== undefined) {
      this.#refill(figure, known)
      this.#buckets.delete(key)
      this.#buckets.set(key, known)
      return known
    }
    if (this.#buckets.size >= this.#bucketsMax) return this.#refill(figure, this.#overflow)
    const bucket = { calls: figure.calls * factor, spent: 0, atMs: this.#clock.elapsed() }
    this.#buckets.set(key, bucket)
    return bucket
  }

  #sweep(figure: RateFigure): void {
    let left = SWEPT_AT_ONCE
    for (const [key, bucket] of this.#buckets) {
      if (left === 0) return
      left -= 1
      if (this.#refill(figure, bucket).spent === 0) this.#buckets.delete(key)
    }
  }

  #refill(figure: RateFigure, bucket: Bucket): Bucket {
    const nowMs = this.#clock.elapsed()
    const refill = ((nowMs - bucket.atMs) * bucket.calls) / figure.perMs
    bucket.spent = Math.max(0, bucket.spent - refill)
    bucket.atMs = nowMs
    return bucket
  }
}
