import { EARLIEST_TIME, TIME_END } from '../../../src/base/index.ts'
import type { SampleBatch } from '../../../src/store/index.ts'
import { batch } from '../../contract/sample-store-contract.ts'

/** Streams that only grow; their samples follow from their number and time. */
export const PLAIN_STREAMS = 8
/** A stream whose one time is overwritten by every batch. */
export const OVERWRITTEN = PLAIN_STREAMS + 1
/** A stream that holds only the sample of the last batch. */
export const POINT = PLAIN_STREAMS + 2
/** A stream from which every 20th batch takes some samples out. */
export const HOLED = PLAIN_STREAMS + 3
/** A stream whose samples come in no order of time. */
export const SHUFFLED = PLAIN_STREAMS + 4
/** A stream of texts. */
export const WORDS = PLAIN_STREAMS + 5

export const STEP_MS = 10
const REMOVE_EVERY = 20

/** The value of a plain stream's sample in batch n. */
export function plainValue(handle: number, n: number): number {
  return n + handle / 16
}

/** The text of batch n. */
export function wordOf(n: number): string {
  return `batch ${n} ${'·'.repeat(n % 7)}`
}

/** Batch numbers whose samples batch n takes out of the holed stream: from ≤ number < until. */
export function holeOf(n: number): { from: number; until: number } | undefined {
  if (n % REMOVE_EVERY !== 0) return undefined
  return { from: n - 10, until: n - 5 }
}

/** The time of batch n in the shuffled stream: a permutation within each thousand. */
export function shuffledTime(n: number): number {
  return Math.floor(n / 1000) * 1000 + ((n * 367) % 1000)
}

/** Batch number n: the same whenever it is made. */
export function batchNumber(n: number): SampleBatch {
  const rows: Array<[number, number, number | string]> = []
  for (let handle = 1; handle <= PLAIN_STREAMS; handle += 1) {
    rows.push([handle, n * STEP_MS, plainValue(handle, n)])
  }
  rows.push([OVERWRITTEN, 0, n], [POINT, n, n], [HOLED, n * STEP_MS, n])
  rows.push([SHUFFLED, shuffledTime(n), n], [WORDS, n * STEP_MS, wordOf(n)])
  const removals: Array<[number, number, number]> = [[POINT, EARLIEST_TIME, TIME_END]]
  const hole = holeOf(n)
  if (hole !== undefined) removals.push([HOLED, hole.from * STEP_MS, hole.until * STEP_MS])
  return batch(rows, removals)
}
