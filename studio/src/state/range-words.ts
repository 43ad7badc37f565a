/** Stretches of time that have a name. */
import { startOf } from '../ui/time/zone-time.ts'

/** A stretch of time, from ≤ time < until. */
interface Range {
  readonly from: number
  readonly until: number
}

/** Where the samples of what is shown begin and end; undefined: there are none. */
export type Extent = { readonly firstTime: number; readonly lastTime: number } | undefined

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Stretches that end at this moment, by their length. */
const LENGTHS: Readonly<Record<string, number>> = {
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '6h': 6 * HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '365d': 365 * DAY,
}

/** The words of the range picker, in its order. */
export const RANGE_WORDS: ReadonlyArray<readonly [word: string, label: string]> = [
  ['5m', 'Last 5 minutes'],
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['6h', 'Last 6 hours'],
  ['24h', 'Last 24 hours'],
  ['today', 'Today so far'],
  ['yesterday', 'Yesterday'],
  ['week', 'This week so far'],
  ['7d', 'Last 7 days'],
  ['lastweek', 'Last week'],
  ['month', 'This month so far'],
  ['30d', 'Last 30 days'],
  ['lastmonth', 'Last month'],
  ['year', 'This year so far'],
  ['365d', 'Last 365 days'],
  ['all', 'All time'],
]

const CALENDAR = {
  today: ['day', 0],
  yesterday: ['day', -1],
  week: ['week', 0],
  lastweek: ['week', -1],
  month: ['month', 0],
  lastmonth: ['month', -1],
  year: ['year', 0],
} as const

/** Calendar periods that have not ended: they are shown until now. */
const CURRENT: ReadonlySet<string> = new Set(['today', 'week', 'month', 'year'])

/** Whether a word names a stretch that ends now, and so moves on with time. */
export function endsNow(word: string): boolean {
  return LENGTHS[word] !== undefined || CURRENT.has(word)
}

/** The stretch of a word on the clocks of a zone; undefined for words there are none of. */
export function rangeOfWord(
  word: string,
  { now, zone, extent }: { readonly now: number; readonly zone: string; readonly extent: Extent },
): Range | undefined {
  const length = LENGTHS[word]
  if (length !== undefined) return { from: now - length, until: now }
  if (word === 'all') return wholeOf(extent, now)
  const found = Object.entries(CALENDAR).find(([name]) => name === word)
  if (found === undefined) return undefined
  const [unit, by] = found[1]
  const until = CURRENT.has(word) ? now : startOf(zone, now, unit, by + 1)
  return { from: startOf(zone, now, unit, by), until }
}

/** All samples with a little room around them. */
function wholeOf(extent: Extent, now: number): Range {
  if (extent === undefined) return { from: now - DAY, until: now }
  const { firstTime, lastTime } = extent
  const room = Math.max(Math.round((lastTime - firstTime) * 0.02), 500)
  return { from: firstTime - room, until: lastTime + room }
}

/** What is shown when nobody has chosen: the last day where there is something in it, else all. */
export function usualWord(extent: Extent, now: number): string {
  return extent !== undefined && extent.lastTime < now - DAY ? 'all' : '24h'
}
