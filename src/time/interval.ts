/**
 * Interval streams: a sample's time marks the END of its base interval. The interval of a sample is
 * the one with start < time ≤ end, and the sample is kept at that end.
 */
import { type EpochMs, epochMs, isSampleTime, refuse } from '../base/plain.ts'
import { compileCycle } from './compile-cycle.ts'
import type { Cycle, Period, Range } from './cycle.ts'
import type { CycleDefinition } from './cycle-definition.ts'
import { loadZone } from './zone.ts'

/** Times up to here, at least, must have an interval that ends within the time of samples. */
const KEPT_UNTIL = Date.UTC(2100, 0, 1)

/** Refuses a cycle whose intervals are so long that samples of our time could not be kept at their ends. */
export function checkBaseCycle(definition: CycleDefinition): void {
  const interval = intervalOf(compileCycle(definition, loadZone('UTC')), KEPT_UNTIL)
  if (interval === undefined || isSampleTime(interval.until)) return
  refuse('bad_input', {
    what:
      `Cannot use this cycle for intervals: one starts at ${showTime(interval.from)} and ends at ` +
      `${showTime(interval.until)}, which is after 2261. Use shorter intervals`,
  })
}

function showTime(time: number): string {
  return new Date(time).toISOString()
}

/** The base interval a sample time falls into: from < time ≤ until. Undefined in a CUSTOM gap. */
export function intervalOf(cycle: Cycle, time: number): Period | undefined {
  return cycle.periodOf(time - 1)
}

/** Where samples at these times are kept: the ends of their intervals, NaN for those without one. */
export function intervalEnds(cycle: Cycle, times: Float64Array): Float64Array {
  const ends = new Float64Array(times.length)
  let interval: Period | undefined
  for (let i = 0; i < times.length; i++) {
    const at = times[i] - 1
    const isSame = interval !== undefined && at >= interval.from && at < interval.until
    if (!isSame) interval = cycle.periodOf(at)
    ends[i] = interval === undefined ? Number.NaN : interval.until
  }
  return ends
}

/** The ends of the base intervals that overlap a range, ascending, the latest `limit` of them. */
export function intervalEndsIn(cycle: Cycle, range: Range, limit: number): Float64Array {
  return cycle.periods(range, limit).untils
}

/** How many base intervals belong to a period: those that start in it. */
export function countIntervals(cycle: Cycle, period: Range): number {
  return cycle.countStarts(period)
}

/**
 * The sample time at which a period begins: the end of the first base interval that starts at or
 * after an instant; undefined when none does. Samples of the period from ≤ start < until are those
 * with firstEnd(from) ≤ time < firstEnd(until).
 */
export function firstIntervalEnd(cycle: Cycle, at: number): EpochMs | undefined {
  const end = cycle.next(at - 1)?.until
  return end === undefined ? undefined : epochMs(end)
}
