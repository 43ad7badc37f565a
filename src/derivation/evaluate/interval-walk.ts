/** From one interval of a base cycle to the next: by adding where all have one length. */
import type { Cycle, Periods } from '../../time/index.ts'

/** The end of the first interval that ends at or after a time. */
export function endFrom(cycle: Cycle, time: number): number | undefined {
  return (cycle.periodOf(time - 1) ?? cycle.next(time - 1))?.until
}

/** The end of the interval that follows the one with this end. */
export function endAfter(cycle: Cycle, end: number): number | undefined {
  return cycle.fixedMs === undefined ? cycle.next(end - 1)?.until : end + cycle.fixedMs
}

/** The latest end of an interval that lies before a time. */
export function endBefore(cycle: Cycle, time: number): number | undefined {
  return cycle.previous(time - 1)?.until
}

/** Which intervals are wanted. */
interface WantedIntervals {
  /** Those with ends from here … */
  readonly from: number
  /** … to here. */
  readonly last: number
  /** Most intervals to return, the earliest first. */
  readonly limit: number
  /** Number of intervals to add before them, as far as they exist. */
  readonly before: number
}

/** Intervals as columns, ascending; the first `before` of them lie before those that were wanted. */
export interface IntervalRows extends Periods {
  readonly before: number
}

/** The intervals whose ends lie in a stretch of time, and some before them. */
export function walkIntervals(cycle: Cycle, wanted: WantedIntervals): IntervalRows {
  const froms: number[] = []
  const untils: number[] = []
  const first = cycle.periodOf(wanted.from - 1) ?? cycle.next(wanted.from - 1)
  if (first === undefined || first.until > wanted.last) return rowsOf([], [], 0)
  for (
    let before = cycle.previous(first.from);
    before !== undefined && froms.length < wanted.before;
    before = cycle.previous(before.from)
  ) {
    froms.push(before.from)
    untils.push(before.until)
  }
  froms.reverse()
  untils.reverse()
  const before = froms.length
  let [from, until]: [number, number] = [first.from, first.until]
  while (until <= wanted.last && froms.length - before < wanted.limit) {
    froms.push(from)
    untils.push(until)
    if (cycle.fixedMs === undefined) {
      const next = cycle.next(until - 1)
      if (next === undefined) break
      ;[from, until] = [next.from, next.until]
    } else {
      ;[from, until] = [until, until + cycle.fixedMs]
    }
  }
  return rowsOf(froms, untils, before)
}

function rowsOf(froms: readonly number[], untils: readonly number[], before: number): IntervalRows {
  const columns = { froms: Float64Array.from(froms), untils: Float64Array.from(untils) }
  return { count: froms.length, before, ...columns }
}
