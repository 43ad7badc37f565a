import { type Clock, type EpochMs, epochMs, systemClock } from '../../base/index.ts'

/** How far this machine's clock may be off the one that all processes share. */
const OFF_MS_MAX = 2_000

/** The shared time at a moment of the machine's monotonic clock. */
interface Noted {
  readonly now: number
  readonly elapsed: number
}

/**
 * The time that all processes share, as far as this one knows it, and how far its own clock is off. Between two
 * comparisons only the monotonic clock counts, so a wall clock that jumps has no effect.
 */
export class SharedClock implements Clock {
  readonly #clock: Clock
  #aheadMs = 0
  #noted: Noted | undefined

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Notes how far this machine's clock is ahead; below zero when it is behind. */
  note(aheadMs: number): void {
    this.#aheadMs = aheadMs
    this.#noted = { now: this.#clock.now() - aheadMs, elapsed: this.#clock.elapsed() }
  }

  now(): EpochMs {
    if (this.#noted === undefined) return this.#clock.now()
    const { now, elapsed } = this.#noted
    return epochMs(Math.round(now + this.#clock.elapsed() - elapsed))
  }

  elapsed(): number {
    return this.#clock.elapsed()
  }

  /** What is wrong, undefined while it is right. */
  get problem(): string | undefined {
    const offMs = Math.abs(this.#aheadMs)
    if (offMs <= OFF_MS_MAX) return undefined
    const side = this.#aheadMs > 0 ? 'ahead of' : 'behind'
    return (
      `the clock of this machine is ${(offMs / 1_000).toFixed(1)} s ${side} that of PostgreSQL, and at most ` +
      `${OFF_MS_MAX / 1_000} s are allowed: samples without a time are refused until both are set by NTP`
    )
  }
}
