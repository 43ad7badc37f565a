import type { Cycle } from './cycle.ts'

/** Ten years of days: calendars and zones have shown by then whether boundaries meet. */
const LOOKED_FROM = Date.UTC(2020, 0, 1)
const LOOKED_UNTIL = Date.UTC(2030, 0, 1)
const EDGES_LOOKED_MAX = 4_000

/**
 * Whether each period of `outer` consists of whole periods of `inner`. True for days and hours. False for months and
 * weeks, and for a day and the hours of a zone that is half an hour apart.
 */
export function isNestedIn(inner: Cycle, outer: Cycle): boolean {
  const begins = (at: number): boolean => inner.periodOf(at)?.from === at
  let period = outer.next(LOOKED_FROM)
  if (period === undefined || !begins(period.from)) return false
  if (inner.fixedMs !== undefined && outer.fixedMs !== undefined) {
    return outer.fixedMs % inner.fixedMs === 0
  }
  for (let looked = 0; looked < EDGES_LOOKED_MAX; looked++) {
    if (period === undefined || period.from >= LOOKED_UNTIL) return true
    if (!begins(period.from)) return false
    period = outer.next(period.from)
  }
  return true
}
