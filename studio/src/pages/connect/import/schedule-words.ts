/** Schedules of imports in words. */
import type { Connector } from '../connector-types.ts'
import { cronWords } from './cron-words.ts'

export type Schedule = NonNullable<Connector['schedule']>

/** How a schedule is chosen. */
export type ScheduleKind = 'never' | 'minutes' | 'day' | 'weekday' | 'week' | 'cron'

/** A schedule of one time of the day. */
export interface DailyTime {
  readonly kind: 'day' | 'weekday' | 'week'
  readonly hour: number
  readonly minute: number
  /** Of weeks, from 0 for Sunday. */
  readonly weekday: number
}

const DAILY = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-7])$/

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

/** A schedule in words: `every weekday at 06:00, Europe/Berlin`. */
export function scheduleWords(schedule: Schedule | null | undefined): string {
  if (schedule === null || schedule === undefined) return 'manually'
  if ('everyMinutes' in schedule) {
    return schedule.everyMinutes === 1 ? 'every minute' : `every ${schedule.everyMinutes} minutes`
  }
  const { cron, timeZoneId } = schedule
  return `${cronWords(cron) ?? `on the cron expression ${cron}`}, ${timeZoneId}`
}
