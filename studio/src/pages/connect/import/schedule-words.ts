/** Schedules of imports in words, and when they come next. */
import { momentOf, wallOf } from '../../../ui/time/zone-time.ts'
import type { Connector } from '../connector-types.ts'

export type Schedule = NonNullable<Connector['schedule']>

/** How a schedule is chosen. */
export type ScheduleKind = 'never' | 'minutes' | 'day' | 'weekday' | 'week' | 'cron'

/** The days of a week, from Sunday, as schedules count them. */
export const WEEKDAYS = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
] as const

/** A schedule of one time of the day. */
export interface DailyTime {
  readonly kind: 'day' | 'weekday' | 'week'
  readonly hour: number
  readonly minute: number
  /** Of weeks, from 0 for Sunday. */
  readonly weekday: number
}

const DAILY = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-7])$/
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** The time of the day of an expression that has one; undefined for others. */
export function dailyTime(cron: string): DailyTime | undefined {
  const [, minutes, hours, days] = DAILY.exec(cron.trim().replace(/\s+/g, ' ')) ?? []
  const [minute, hour] = [Number(minutes), Number(hours)]
  if (minutes === undefined || minute > 59 || hour > 23) return undefined
  if (days === '*') return { kind: 'day', hour, minute, weekday: 1 }
  if (days === '1-5') return { kind: 'weekday', hour, minute, weekday: 1 }
  return { kind: 'week', hour, minute, weekday: Number(days) % 7 }
}

/** The expression of a time of the day. */
export function cronOf({ kind, hour, minute, weekday }: DailyTime): string {
  const days = { day: '*', weekday: '1-5', week: String(weekday) }[kind]
  return `${minute} ${hour} * * ${days}`
}

/** How a schedule is chosen on the page. */
export function kindOf(schedule: Schedule | null | undefined): ScheduleKind {
  if (schedule === null || schedule === undefined) return 'never'
  if ('everyMinutes' in schedule) return 'minutes'
  return dailyTime(schedule.cron)?.kind ?? 'cron'
}

/** `06:00`. */
export function clockText({ hour, minute }: Pick<DailyTime, 'hour' | 'minute'>): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** A schedule in words: `every weekday at 06:00, Europe/Berlin`. */
export function scheduleWords(schedule: Schedule | null | undefined): string {
  if (schedule === null || schedule === undefined) return 'only when somebody runs it'
  if ('everyMinutes' in schedule) {
    return schedule.everyMinutes === 1 ? 'every minute' : `every ${schedule.everyMinutes} minutes`
  }
  const { cron, timeZoneId } = schedule
  const time = dailyTime(cron)
  if (time === undefined) return `at ${cron}, ${timeZoneId}`
  const days = { day: 'day', weekday: 'weekday', week: WEEKDAYS[time.weekday] }[time.kind]
  return `every ${days} at ${clockText(time)}, ${timeZoneId}`
}

/** When a schedule of one time of the day comes next; undefined where only the service knows. */
export function nextOf(schedule: Schedule | null | undefined, now: number): number | undefined {
  if (schedule === null || schedule === undefined || !('cron' in schedule)) return undefined
  const time = dailyTime(schedule.cron)
  if (time === undefined) return undefined
  const { timeZoneId } = schedule
  const today = Math.floor(wallOf(timeZoneId, now) / DAY_MS) * DAY_MS
  for (let days = 0; days <= 8; days += 1) {
    const wall = today + days * DAY_MS + time.hour * HOUR_MS + time.minute * MINUTE_MS
    const at = momentOf(timeZoneId, wall)
    if (at > now && isDay(time, new Date(wall).getUTCDay())) return at
  }
  return undefined
}

function isDay({ kind, weekday }: DailyTime, day: number): boolean {
  if (kind === 'week') return day === weekday
  return kind === 'day' || (day >= 1 && day <= 5)
}
