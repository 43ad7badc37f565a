/** Ranges of time in the words of boards: what they mean at a moment, in a zone. */
import { zonedRangeText } from '../../ui/time/moment-text.ts'
import { browserZone, momentOf, startOf, wallOf } from '../../ui/time/zone-time.ts'

/** A stretch of time in epoch milliseconds, its end not included. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** The ranges that people choose, in words. */
export const RANGE_WORDS: ReadonlyArray<readonly [range: string, words: string]> = [
  ['last-15min', 'Last 15 minutes'],
  ['last-1h', 'Last hour'],
  ['last-6h', 'Last 6 hours'],
  ['last-24h', 'Last 24 hours'],
  ['last-7d', 'Last 7 days'],
  ['last-30d', 'Last 30 days'],
  ['today', 'Today so far'],
  ['yesterday', 'Yesterday'],
  ['this-week', 'This week so far'],
  ['last-week', 'Last week'],
  ['this-month', 'This month so far'],
  ['last-month', 'Last month'],
  ['this-year', 'This year so far'],
  ['last-year', 'Last year'],
]

const DAY_MS = 86_400_000
const UNIT_MS: Readonly<Record<string, number>> = {
  min: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
}
const FIXED = /^(-?\d+)\.\.(-?\d+)$/
const LENGTH = /^last-(\d+)(min|h|d|w|mo|y)$/
const AROUND = /^(this|last)-(week|month|year)$/

/** What a range means; one that is not understood is the last day. */
export function rangeAt(range: string, zone: string, now: number): TimeRange {
  const fixed = FIXED.exec(range)
  if (fixed !== null) return { from: Number(fixed[1]), until: Number(fixed[2]) }
  const length = LENGTH.exec(range)
  if (length !== null) {
    return {
      from: earlier(now, { count: Number(length[1]), unit: length[2], zone }),
      until: now + 1,
    }
  }
  const around = AROUND.exec(range)
  if (around !== null) return periodOf(around[2] as 'week', around[1] === 'last' ? -1 : 0)
  if (range === 'today') return periodOf('day', 0)
  if (range === 'yesterday') return periodOf('day', -1)
  return { from: now - DAY_MS, until: now + 1 }

  function periodOf(unit: 'day' | 'week' | 'month' | 'year', moved: number): TimeRange {
    // A period that has not ended is shown until now.
    const until = moved === 0 ? now + 1 : startOf(zone, now, unit, moved + 1)
    return { from: startOf(zone, now, unit, moved), until }
  }
}

/** Whether a range moves with the clock. */
export function isMoving(range: string): boolean {
  return !FIXED.test(range)
}

function earlier(
  now: number,
  { count, unit, zone }: { readonly count: number; readonly unit: string; readonly zone: string },
): number {
  const unitMs = UNIT_MS[unit]
  if (unitMs !== undefined) return now - count * unitMs
  const wall = new Date(wallOf(zone, now))
  wall.setUTCMonth(wall.getUTCMonth() - (unit === 'y' ? count * 12 : count))
  return momentOf(zone, wall.getTime())
}

/** A range in words. */
export function rangeWords(range: string): string {
  const known = RANGE_WORDS.find(([word]) => word === range)
  if (known !== undefined) return known[1]
  const fixed = FIXED.exec(range)
  if (fixed === null) return range
  const zone = browserZone()
  return zonedRangeText(zone, Number(fixed[1]), Number(fixed[2]))
}
