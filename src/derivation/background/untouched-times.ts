import { EARLIEST_TIME, epochMs, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { Range } from '../../time/index.ts'
import type { SampleTimes } from './widen-span.ts'

/** Who has samples, and where each stream was touched. */
interface TimesDeps {
  readonly store: Pick<SampleStore, 'range'>
  /** Ascending, none meeting the next. */
  readonly touchedOf: (handle: StreamHandle) => readonly Range[]
}

/**
 * Where samples lie that were there before the touches and are there still: others would not show how
 * far a touch was seen before.
 */
export function untouchedTimes({ store, touchedOf }: TimesDeps): SampleTimes {
  const read = (handle: StreamHandle, { from, until }: Range, limit: number) =>
    store.range(handle, {
      from: epochMs(from),
      until: epochMs(until),
      limit: Math.abs(limit),
      isTimesOnly: true,
      order: limit < 0 ? 'latest_first' : 'oldest_first',
    })
  return {
    nthFrom: async (handle, time, nth) => {
      let left = nth
      const all = { from: Math.max(time, EARLIEST_TIME), until: TIME_END }
      for (const stretch of without(all, touchedOf(handle))) {
        const { count, times } = await read(handle, stretch, left)
        if (count === left) return times[count - 1]
        left -= count
      }
      return undefined
    },
    latestBefore: async (handle, time) => {
      const all = { from: EARLIEST_TIME, until: Math.min(time, TIME_END) }
      for (const stretch of without(all, touchedOf(handle)).reverse()) {
        const { count, times } = await read(handle, stretch, -1)
        if (count > 0) return times[0]
      }
      return undefined
    },
  }
}

/** What is left of a range when some are taken out, ascending. */
function without({ from, until }: Range, taken: readonly Range[]): Range[] {
  const left: Range[] = []
  let at = from
  for (const span of taken) {
    if (span.until <= at) continue
    if (span.from >= until) break
    if (span.from > at) left.push({ from: at, until: span.from })
    at = span.until
  }
  if (at < until) left.push({ from: at, until })
  return left
}
