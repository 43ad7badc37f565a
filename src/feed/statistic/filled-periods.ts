import { epochMs } from '../../base/index.ts'
import type { SampleReads } from '../../store/index.ts'
import type { Cycle, Period, Periods, Range } from '../../time/index.ts'
import { type FoldedPeriods, foldPeriods, type PlacedStream } from './fold-periods.ts'

/** Samples looked at to find where a sparse stream has any: about one chunk's worth of decoding. */
const PEEK_SAMPLES = 1_000

/** Below this many periods in a peek the samples lie densely, and folding a window pays more. */
const PEEK_PERIODS_MIN = 32

/** The least periods folded at once, so that asking for one period does not step one by one. */
const WINDOW_PERIODS_MIN = 16

interface FilledQuery {
  readonly cycle: Cycle
  readonly bounds: Range
  readonly limit: number
}

/**
 * The latest periods that hold samples, folded, in parts from the latest to the earliest; the parts
 * may hold empty periods, and more filled ones than the limit. Walks back from the end of the bounds
 * in windows, so that the latest periods of a long history cost the same as those of a short one,
 * and jumps over stretches without samples.
 */
export async function filledPeriods(
  store: SampleReads,
  stream: PlacedStream,
  { cycle, bounds, limit }: FilledQuery,
): Promise<FoldedPeriods[]> {
  const parts: FoldedPeriods[] = []
  let left = limit
  let until = bounds.until
  let isSparse = false
  while (left > 0 && until > bounds.from) {
    const rest = { from: bounds.from, until }
    const window = Math.max(left, WINDOW_PERIODS_MIN)
    const periods: Periods = isSparse
      ? await peekPeriods(store, stream, { cycle, bounds: rest, limit: window })
      : denseWindow(cycle, rest, window)
    if (periods.count === 0) break
    const part = await foldPeriods(store, stream, periods)
    const filled = part.entries.reduce((count, entry) => count + (entry >= 0 ? 1 : 0), 0)
    parts.push(part)
    left -= filled
    until = periods.froms[0]
    isSparse = 2 * filled < periods.count
  }
  return parts
}

/** All that is left when that is not much more than asked: one fold instead of two. */
function denseWindow(cycle: Cycle, rest: Range, window: number): Periods {
  return cycle.periods(rest, cycle.countPeriods(rest) <= 2 * window ? 2 * window : window)
}

/** The periods of the latest samples in the bounds, or a window that ends at the latest sample. */
async function peekPeriods(
  store: SampleReads,
  { handle, placement }: PlacedStream,
  { cycle, bounds, limit }: FilledQuery,
): Promise<Periods> {
  const samples = await store.range(handle, {
    from: epochMs(placement.sampleTimeAt(bounds.from)),
    until: epochMs(placement.sampleTimeAt(bounds.until)),
    limit: PEEK_SAMPLES,
    order: 'latest_first',
    isTimesOnly: true,
  })
  if (samples.count === 0) return { count: 0, froms: samples.times, untils: samples.times }
  const found: Period[] = []
  for (let i = 0; i < samples.count; i++) {
    const instant = placement.instantOf(samples.times[i])
    // What is not kept at the end of its interval may be found again: only earlier periods go on.
    if (instant >= bounds.until) continue
    const latest = found[found.length - 1]
    if (latest !== undefined && instant >= latest.from) continue
    const period = cycle.periodOf(instant)
    if (period !== undefined) found.push(period)
  }
  if (found.length < PEEK_PERIODS_MIN) {
    const until = found.length > 0 ? found[0].until : bounds.until
    return denseWindow(cycle, { from: bounds.from, until }, limit)
  }
  found.reverse()
  return {
    count: found.length,
    froms: Float64Array.from(found, (period) => period.from),
    untils: Float64Array.from(found, (period) => period.until),
  }
}
