const SECOND = 1_000
const MINUTE = 60_000

/** A short fault costs seconds; a receiver that is off for hours is asked every ten minutes. */
const PAUSES = [SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 3 * MINUTE, 10 * MINUTE]

/** How long to wait after a number of failed tries in a row. */
export function pauseAfter(tries: number): number {
  return PAUSES[Math.min(tries, PAUSES.length) - 1] ?? 0
}
