/** How far this machine's clock may be off the one that all processes share. */
const OFF_MS_MAX = 2_000

/**
 * Holds this machine's clock against the one that all processes share. Only times that the service itself gives to
 * samples come from it.
 */
export class SharedClock {
  #aheadMs = 0

  /** Takes note of how far this machine's clock is ahead; below zero when it is behind. */
  note(aheadMs: number): void {
    this.#aheadMs = aheadMs
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
