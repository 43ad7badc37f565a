/** A calendar period earlier: the range to ask for, and its answer moved to where it is compared. */
import type { Plot } from '../chart/chart-series.ts'
import type { TimeRange } from '../chart/time-range.ts'
import { momentOf, offsetOf, wallOf } from '../ui/time/zone-time.ts'

/** The periods that a chart can be compared with. */
export const EARLIER = ['day', 'week', 'month', 'year'] as const
export type Earlier = (typeof EARLIER)[number]

/** The wall clock of a zone one period before a wall clock; the 31st becomes the last day of a shorter month. */
function wallBefore(wall: number, period: Earlier): number {
  const date = new Date(wall)
  if (period === 'day' || period === 'week') {
    date.setUTCDate(date.getUTCDate() - (period === 'day' ? 1 : 7))
    return date.getTime()
  }
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - (period === 'month' ? 1 : 12))
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, days))
  return date.getTime()
}

/** How far clocks are set back from a range to the same one a period earlier, in wall time. */
function wallShift({ from }: TimeRange, period: Earlier, zone: string): number {
  const wall = wallOf(zone, from)
  return wall - wallBefore(wall, period)
}

/** The same range one period earlier, on the clocks of a zone. */
export function earlierRange(range: TimeRange, period: Earlier, zone: string): TimeRange {
  const shift = wallShift(range, period, zone)
  const { from, until } = range
  const moved = (at: number) => momentOf(zone, wallOf(zone, at) - shift)
  return { from: moved(from), until: Math.max(moved(until), moved(from) + 1) }
}

/** A plot of an earlier range, moved onto the range that it is compared with: each sample at its clock time. */
export function moveLater(plot: Plot, range: TimeRange, about: { period: Earlier; zone: string }) {
  const { period, zone } = about
  const shift = wallShift(range, period, zone)
  const offsets = [range.from, range.until, plot.from, plot.until].map((at) => offsetOf(zone, at))
  const isEven = offsets.every((offset) => offset === offsets[0])
  const later = (at: number) => (isEven ? at + shift : momentOf(zone, wallOf(zone, at) + shift))
  const list = (times: readonly number[] | undefined) => times?.map(later)
  const beside = <T extends { readonly time: number }>(one: T | null | undefined) =>
    one === null || one === undefined ? one : { ...one, time: later(one.time) }
  return {
    ...plot,
    ...range,
    firstTime: plot.firstTime === null ? null : later(plot.firstTime),
    lastTime: plot.lastTime === null ? null : later(plot.lastTime),
    before: beside(plot.before),
    after: beside(plot.after),
    start: list(plot.start),
    time: list(plot.time),
    end: list(plot.end),
  } satisfies Plot
}
