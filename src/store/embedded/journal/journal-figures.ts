import type { DurationCounts } from '../../../base/index.ts'

/** From an order to the journal's thread to its answer: one write and one sync. */
export const SYNC_BOUNDS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]

/** How much a journal has taken in since its start, and how long its syncs took. */
export interface JournalFigures {
  readonly samples: number
  /** Calls that stored or removed something. */
  readonly puts: number
  readonly frames: number
  readonly bytes: number
  /** What waits for the disk. */
  readonly waitingBytes: number
  readonly syncs: DurationCounts
}
