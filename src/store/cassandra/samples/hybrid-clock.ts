import type { Clock } from '../../../base/index.ts'
import { APART_MS_MAX } from '../connection/clock-skew.ts'

const MICROS_PER_MS = 1_000

/**
 * Stamps that order what happens to samples: microseconds of the wall clock, never the same twice and
 * never going back in one process, and always after every stamp that it has read. Of two calls through
 * different processes, of which neither has read the other's, the one with the later clock is the later.
 */
export class HybridClock {
  readonly #clock: Clock
  #last = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A stamp after all others that this process gave or read. */
  next(): number {
    this.#last = Math.max(this.#last + 1, this.#clock.now() * MICROS_PER_MS)
    return this.#last
  }

  /** Takes note of a stamp that was read; one from further ahead than clocks may be apart cannot push this clock on. */
  observe(stamp: number): void {
    const latest = (this.#clock.now() + APART_MS_MAX) * MICROS_PER_MS
    this.#last = Math.max(this.#last, Math.min(stamp, latest))
  }

  /** The stamp of a moment so many milliseconds ago. */
  before(ms: number): number {
    return (this.#clock.now() - ms) * MICROS_PER_MS
  }
}

/** The same number of milliseconds on the scale of stamps. */
export function stampSpan(ms: number): number {
  return ms * MICROS_PER_MS
}
