import { BoundedCache, type EpochMs, epochMs } from '../../base/index.ts'

/** Connectors whose last arrival is remembered. */
const KEPT_MAX = 10_000

/** How far arrivals may run ahead of the clock; a connector that is called more often shares times. */
const AHEAD_MS_MAX = 1_000

/**
 * The times at which payloads arrive: those of one connector differ, as a NULL time in their SQL is this time,
 * and two calls in a millisecond would overwrite each other.
 */
export class Arrivals {
  readonly #last = new BoundedCache<string, number>(KEPT_MAX)

  /** Takes note of a payload that arrived before the start. */
  note(connectorUid: string, time: EpochMs): void {
    this.#last.set(connectorUid, Math.max(this.#last.get(connectorUid) ?? 0, time))
  }

  /** The time of a payload that arrives now. */
  next(connectorUid: string, now: EpochMs): EpochMs {
    const last = this.#last.get(connectorUid) ?? Number.NEGATIVE_INFINITY
    const isAhead = last >= now && last - now < AHEAD_MS_MAX
    const time = isAhead ? last + 1 : now
    this.#last.set(connectorUid, time)
    return epochMs(time)
  }
}
