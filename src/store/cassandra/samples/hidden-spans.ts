import { EARLIEST_TIME, TIME_END } from '../../../base/index.ts'
import { firstEndAfter, type Mask } from '../../embedded/head/tombstones.ts'

/** Whether a mask hides everything from one time to another, both included. */
export function hidesAll(mask: Mask, { start, last }: { start: number; last: number }): boolean {
  const at = firstEndAfter(mask, start)
  return at < mask.starts.length && mask.starts[at] <= start && mask.ends[at] > last
}

/** Whether a mask hides all samples that there can be in from ≤ time < until. */
export function hidesWanted(mask: Mask, { from, until }: { from: number; until: number }): boolean {
  const start = Math.max(from, EARLIEST_TIME)
  return hidesAll(mask, { start, last: Math.min(until, TIME_END) - 1 })
}
