/** Where a time axis has its marks, and what they say: on the wall clock of a zone, on 23- and 25-hour days too. */
import { momentOf, momentsOf, wallOf } from '../ui/time/zone-time.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Steps of the wall clock within a day; every one of them divides it. */
const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
]
const DAY_STEPS = [1, 2, 3, 7, 14]
const MONTH_STEPS = [1, 3, 6, 12, 24, 60, 120, 240, 600]

/** Marks that an axis has at most; more would not fit. */
const TICKS_MAX = 200

/** Marks of an axis, ascending, about `stepMs` apart or more. */
export function timeTicks(zone: string, from: number, until: number, stepMs: number): number[] {
  if (!(from < until) || !Number.isFinite(from) || !Number.isFinite(until)) return []
  const wanted = Math.max(stepMs, (until - from) / TICKS_MAX)
  const step = STEPS.find((one) => one >= wanted)
  if (step !== undefined) return clockTicks(zone, { from, until, step })
  const days = DAY_STEPS.find((one) => one * DAY >= wanted)
  if (days !== undefined) return dayTicks(zone, { from, until, step: days })
  const months =
    MONTH_STEPS.find((one) => one * 30 * DAY >= wanted) ?? MONTH_STEPS[MONTH_STEPS.length - 1]
  return monthTicks(zone, { from, until, step: months })
}

interface Marks {
  readonly from: number
  readonly until: number
  readonly step: number
}

/** Marks by the clock: an hour that comes twice has its marks twice, one that is left out none. */
function clockTicks(zone: string, { from, until, step }: Marks): number[] {
  // Clocks may be set between the two ends: a day more on either side is enough for any change.
  const [first, last] = [wallOf(zone, from) - DAY, wallOf(zone, until) + DAY]
  const isShort = step < HOUR / 4
  const [start, end] = isShort ? [wallOf(zone, from), wallOf(zone, until)] : [first, last]
  const ticks = new Set<number>()
  if (isShort) {
    // Within minutes clocks tick evenly; offsets are whole minutes, or shared by all marks.
    const offset = start - from
    for (
      let wall = Math.ceil(start / step) * step;
      wall < end || wall - offset < until;
      wall += step
    )
      ticks.add(wall - offset)
  } else {
    for (let wall = Math.ceil(start / step) * step; wall <= end; wall += step)
      for (const at of momentsOf(zone, wall)) ticks.add(at)
  }
  return inside(ticks, from, until)
}

function dayTicks(zone: string, { from, until, step }: Marks): number[] {
  const day = Math.floor(wallOf(zone, from) / DAY)
  // Weeks begin on Mondays, and 1970 began on a Thursday.
  const shift = step % 7 === 0 ? 4 : 0
  const first = Math.floor((day - shift) / step) * step + shift
  const ticks = new Set<number>()
  for (let at = first; ; at += step) {
    const moment = momentOf(zone, at * DAY)
    if (moment >= until) break
    ticks.add(moment)
  }
  return inside(ticks, from, until)
}

function monthTicks(zone: string, { from, until, step }: Marks): number[] {
  const wall = new Date(wallOf(zone, from))
  const month = wall.getUTCFullYear() * 12 + wall.getUTCMonth()
  const ticks = new Set<number>()
  for (let at = Math.floor(month / step) * step; ; at += step) {
    const moment = momentOf(zone, Date.UTC(Math.floor(at / 12), ((at % 12) + 12) % 12, 1))
    if (moment >= until) break
    ticks.add(moment)
  }
  return inside(ticks, from, until)
}

function inside(ticks: Iterable<number>, from: number, until: number): number[] {
  return [...ticks].filter((at) => at >= from && at <= until).sort((a, b) => a - b)
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const two = (value: number) => String(value).padStart(2, '0')

/**
 * What the marks say: the clock, with the day in a line below where one begins; or days, months, years.
 * The day of another year than that of `now` says its year.
 */
export function tickTexts(zone: string, ticks: readonly number[], now = Date.now()): string[] {
  const walls = ticks.map((at) => new Date(wallOf(zone, at)))
  const hasClock = walls.some((wall) => wall.getTime() % DAY !== 0)
  const hasMs = walls.some((wall) => wall.getTime() % SECOND !== 0)
  const hasSeconds = hasMs || walls.some((wall) => wall.getTime() % MINUTE !== 0)
  const hasDays = hasClock || walls.some((wall) => wall.getUTCDate() !== 1)
  const hasMonths = hasDays || walls.some((wall) => wall.getUTCMonth() !== 0)
  const thisYear = hasClock ? new Date(wallOf(zone, now)).getUTCFullYear() : 0
  return walls.map((wall, index) => {
    const before = index === 0 ? undefined : walls[index - 1]
    const isNewYear = before?.getUTCFullYear() !== wall.getUTCFullYear()
    if (!hasMonths) return String(wall.getUTCFullYear())
    const month = MONTHS[wall.getUTCMonth()]
    if (!hasDays) return isNewYear ? `${month}\n${wall.getUTCFullYear()}` : month
    const day = `${wall.getUTCDate()} ${month}`
    const isNewDay = before?.getUTCDate() !== wall.getUTCDate()
    if (!hasClock) return isNewYear ? `${day}\n${wall.getUTCFullYear()}` : day
    const clock = `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}`
    const seconds = hasSeconds ? `:${two(wall.getUTCSeconds())}` : ''
    const ms = hasMs ? `.${String(wall.getUTCMilliseconds()).padStart(3, '0')}` : ''
    const year = wall.getUTCFullYear()
    const date = year === thisYear ? day : `${day} ${year}`
    return isNewDay ? `${clock}${seconds}${ms}\n${date}` : `${clock}${seconds}${ms}`
  })
}
