import { refuse } from '../../base/plain.ts'
import type { Zone } from '../zone.ts'
import { MONTH_NAMES, SHORT_NAME_LENGTH, WEEKDAY_NAMES } from './date-names.ts'
import type { DateField, DateLetter, DatePattern } from './date-pattern.ts'

/** Years with one to four digits, which every pattern can write. */
const FORMATTED_FROM = Date.parse('0001-01-02T00:00:00Z')
const FORMATTED_UNTIL = Date.parse('9999-12-31T00:00:00Z')

/** Writes an instant (epoch ms) as the wall clock of a zone shows it; refuses years beyond 0001 to 9999. */
export function formatDate({ fields }: DatePattern, zone: Zone, at: number): string {
  if (!(at >= FORMATTED_FROM && at < FORMATTED_UNTIL)) {
    refuse('bad_input', { what: `Cannot write ${at} as a date: only the years 0001 to 9999` })
  }
  const offset = zone.offsetMs(at)
  return formatFields(fields, { wall: new Date(at + offset), offset, zone })
}

/** What a text may be without is written: a date has all parts. */
function formatFields(fields: readonly DateField[], moment: Moment): string {
  let text = ''
  for (const field of fields) {
    if (field.optional !== undefined) text += formatFields(field.optional, moment)
    else text += field.letter === undefined ? field.text : formatField(field, moment)
  }
  return text
}

interface Moment {
  /** What the clock on the wall shows, as if it were UTC. */
  readonly wall: Date
  readonly offset: number
  readonly zone: Zone
}

function formatField(
  { letter, width }: { letter: DateLetter; width: number },
  { wall, offset, zone }: Moment,
): string {
  switch (letter) {
    case 'y':
    case 'u':
      return width === 2 ? pad(wall.getUTCFullYear() % 100, 2) : pad(wall.getUTCFullYear(), width)
    case 'Q':
      return pad(Math.floor(wall.getUTCMonth() / 3) + 1, width)
    case 'M':
    case 'L':
      return width > 2
        ? shorten(MONTH_NAMES[wall.getUTCMonth()], width)
        : pad(wall.getUTCMonth() + 1, width)
    case 'd':
      return pad(wall.getUTCDate(), width)
    case 'D':
      return pad(dayOfYear(wall), width)
    case 'E':
      return shorten(WEEKDAY_NAMES[wall.getUTCDay()], width)
    case 'S':
      return pad(wall.getUTCMilliseconds(), 3).padEnd(width, '0').slice(0, width)
    case 'm':
      return pad(wall.getUTCMinutes(), width)
    case 's':
      return pad(wall.getUTCSeconds(), width)
    case 'V':
      return zone.id
    case 'a':
    case 'H':
    case 'k':
    case 'K':
    case 'h':
      return formatHour(letter, width, wall.getUTCHours())
    default:
      return formatOffset(letter, width, offset)
  }
}

function formatHour(letter: 'a' | 'H' | 'k' | 'K' | 'h', width: number, hour: number): string {
  switch (letter) {
    case 'a':
      return hour < 12 ? 'AM' : 'PM'
    case 'H':
      return pad(hour, width)
    case 'k':
      return pad(hour === 0 ? 24 : hour, width)
    case 'K':
      return pad(hour % 12, width)
    case 'h':
      return pad(hour % 12 === 0 ? 12 : hour % 12, width)
  }
}

function formatOffset(letter: 'X' | 'x' | 'Z' | 'z', width: number, offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000)
  const sign = offset < 0 && minutes > 0 ? '-' : '+'
  const hour = sign + pad(Math.floor(minutes / 60), 2)
  const minute = pad(minutes % 60, 2)
  if (letter === 'z') return minutes === 0 ? 'UTC' : `GMT${hour}:${minute}`
  if (minutes === 0 && (letter === 'X' || (letter === 'Z' && width === 5))) return 'Z'
  if (letter === 'Z') return width === 5 ? `${hour}:${minute}` : hour + minute
  if (width === 1) return minute === '00' ? hour : hour + minute
  return width === 2 ? hour + minute : `${hour}:${minute}`
}

function dayOfYear(wall: Date): number {
  const day = Date.UTC(2000, wall.getUTCMonth(), wall.getUTCDate()) - Date.UTC(2000, 0, 1)
  const inLeapYear = Math.round(day / 86_400_000) + 1
  const year = wall.getUTCFullYear()
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return isLeap || wall.getUTCMonth() < 2 ? inLeapYear : inLeapYear - 1
}

function shorten(name: string, width: number): string {
  return width === 4 ? name : name.slice(0, SHORT_NAME_LENGTH)
}

function pad(number: number, width: number): string {
  return String(number).padStart(width, '0')
}
