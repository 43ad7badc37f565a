import { EARLIEST_TIME, refuse, TIME_END } from '../base/plain.ts'
import type { Range } from './cycle.ts'
import { formatWallTime, parseWallTime } from './wall-time.ts'
import { canonicalTimeZone } from './zone.ts'

/** The unit a cycle counts in; CUSTOM lists its periods one by one. */
export const SIZE_TYPES = [
  ...(['MILLISEC', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const),
  'CUSTOM',
] as const
export type SizeType = (typeof SIZE_TYPES)[number]

/** One period of a CUSTOM cycle: local date-times, the end not included. */
export interface CustomInterval {
  readonly from: string
  readonly until: string
}

/** A calendar rule as people write it down; compileCycle makes it compute. */
export interface CycleDefinition {
  readonly sizeType: SizeType
  /** How many units a period lasts; not used by CUSTOM. */
  readonly count: number
  /** A local date or date-time at which one period starts; not used by CUSTOM. */
  readonly referenceDate: string
  /** An IANA name; blank means the zone of whatever the cycle is applied to. */
  readonly timeZone: string
  /** The periods of a CUSTOM cycle in any order, none overlapping another. */
  readonly intervals?: readonly CustomInterval[]
}

/** The most periods of a CUSTOM cycle: billing months for a century are 1,200. */
export const CUSTOM_INTERVALS_MAX = 10_000

/** Longer than all time that samples may have: such a cycle would never turn. */
const YEARS_MAX = 400

/** A base interval, the period that holds its start, and a century to spare for calendar and zone. */
const REACH_MS = (2 * YEARS_MAX + 100) * 365.25 * 86_400_000

/**
 * Holds every period that a sample may belong to, and is far inside what calendars compute. Periods
 * reach out of the time of samples: a month that ends in January 1900 begins in 1899.
 */
export const ALL_PERIODS: Range = { from: EARLIEST_TIME - REACH_MS, until: TIME_END + REACH_MS }

/** How many milliseconds a unit lasts where the calendar does not stretch it. */
export const UNIT_MS = {
  MILLISEC: 1,
  SECOND: 1_000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
  WEEK: 7 * 86_400_000,
  MONTH: 30 * 86_400_000,
  YEAR: 365 * 86_400_000,
} as const

/** Refuses a definition that cannot be a cycle, with what to change. */
export function checkCycle(definition: CycleDefinition): void {
  const { sizeType, timeZone } = definition
  if (!SIZE_TYPES.includes(sizeType)) {
    refuseCycle('sizeType', `"${sizeType}" is not one of ${SIZE_TYPES.join(', ')}`)
  }
  if (timeZone !== '' && canonicalTimeZone(timeZone) === undefined) {
    refuseCycle(
      'timeZone',
      `"${timeZone}" is unknown. Use an IANA name such as Europe/Berlin, or leave it blank`,
    )
  }
  if (sizeType === 'CUSTOM') {
    readCustomIntervals(definition.intervals ?? [])
    return
  }
  checkCount(sizeType, definition.count)
  readReferenceDate(definition.referenceDate)
}

function checkCount(sizeType: keyof typeof UNIT_MS, count: number): void {
  if (!Number.isInteger(count) || count < 1) {
    refuseCycle('count', `${count} is not an integer of at least 1`)
  }
  const most = Math.floor((YEARS_MAX * UNIT_MS.YEAR) / UNIT_MS[sizeType])
  if (count > most) refuseCycle('count', `${count} ${sizeType} is too long: at most ${most}`)
}

/** The wall-clock time of a reference date; refuses one that does not parse. */
export function readReferenceDate(text: string): number {
  return readWallTime('referenceDate', text)
}

/** The wall-clock edges of custom intervals, sorted; refuses empty and overlapping ones. */
export function readCustomIntervals(
  intervals: readonly CustomInterval[],
): { from: number; until: number }[] {
  if (intervals.length === 0) refuseCycle('intervals', 'a CUSTOM cycle needs at least one interval')
  if (intervals.length > CUSTOM_INTERVALS_MAX) {
    refuseCycle(
      'intervals',
      `too many intervals: ${intervals.length}, at most ${CUSTOM_INTERVALS_MAX}`,
    )
  }
  const walls = intervals.map((interval, index) => {
    const from = readWallTime(`intervals[${index}].from`, interval.from)
    const until = readWallTime(`intervals[${index}].until`, interval.until)
    if (from >= until) {
      refuseCycle(
        `intervals[${index}]`,
        `${interval.from} is not before ${interval.until}: from must be earlier than until`,
      )
    }
    return { from, until }
  })
  walls.sort((a, b) => a.from - b.from)
  for (let i = 1; i < walls.length; i++) {
    const [before, after] = [walls[i - 1], walls[i]]
    if (after.from >= before.until) continue
    refuseCycle('intervals', `${showInterval(before)} and ${showInterval(after)} overlap`)
  }
  return walls
}

function readWallTime(field: string, text: string): number {
  const wall = parseWallTime(text)
  if (wall === undefined) {
    refuseCycle(
      field,
      `"${text}" is not a local date-time. Write it like 2024-01-31 or 2024-01-31T08:30:00`,
    )
  }
  if (wall < EARLIEST_TIME || wall >= TIME_END) {
    refuseCycle(field, `"${text}" is outside the years 1900 to 2261`)
  }
  return wall
}

function showInterval({ from, until }: { from: number; until: number }): string {
  return `${formatWallTime(from)}/${formatWallTime(until)}`
}

function refuseCycle(field: string, what: string): never {
  refuse('bad_input', {
    what: `Cannot use this cycle: ${field}: ${what}`,
    // Records call the zone otherwise than definitions do.
    field: `cycle.${field === 'timeZone' ? 'timeZoneId' : field}`,
  })
}
