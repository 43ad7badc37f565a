import { Refusal, refuse } from '../../base/plain.ts'
import { canonicalTimeZone, loadZone, type Zone } from '../zone.ts'
import { MONTH_NAMES, SHORT_NAME_LENGTH, WEEKDAY_NAMES } from './date-names.ts'
import type { DateField, DateLetter, DatePattern } from './date-pattern.ts'

/** Services send as many digits of a fraction as it needs; digits beyond these carry no information. */
const FRACTION_DIGITS_MAX = 9

/** What a text said so far; fields that a pattern does not have keep these. */
interface DateParts {
  year: number
  month: number
  day: number
  dayOfYear: number | undefined
  weekday: number | undefined
  hour: number
  /** Hours of the half day, by the letters h and K. */
  halfHour: number | undefined
  isAfternoon: boolean
  minute: number
  second: number
  ms: number
  /** Quarter that must agree with the month. */
  quarter: number | undefined
  offset: number | undefined
  zone: Zone | undefined
}

/**
 * The instant (epoch ms) that a text names by a pattern. Without a zone or offset in the text the
 * clock of `zone` counts: a time that clocks skip moves forward by the gap, one that comes twice is
 * the earlier. Refuses a text that does not fit, and says where.
 */
export function readDate(pattern: DatePattern, zone: Zone, text: string): number {
  const reader = new DateReader(pattern, text)
  readFields(reader, pattern.fields)
  reader.end()
  const wall = wallTimeOf(reader)
  const { offset, zone: ownZone } = reader.parts
  return offset !== undefined ? wall - offset : instantAt(ownZone ?? zone, wall)
}

function readFields(reader: DateReader, fields: readonly DateField[]): void {
  for (const field of fields) {
    if (field.optional !== undefined) readOptional(reader, field.optional)
    else if (field.letter === undefined) reader.skip(field.text)
    else readField(reader, field.letter, field.width)
  }
}

/** All of it, or nothing. Each is tried once where it stands, so brackets in brackets cost no more than their length. */
function readOptional(reader: DateReader, fields: readonly DateField[]): void {
  // Most begin with a sign, such as the point before a fraction: a refusal for each row would cost more than the row.
  const sign = fields[0]?.text
  if (sign !== undefined && !reader.has(sign)) return
  const before = reader.mark()
  try {
    readFields(reader, fields)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    reader.goBack(before)
  }
}

function instantAt(zone: Zone, wall: number): number {
  const first = zone.firstInstantAt(wall)
  const isShown = first + zone.offsetMs(first) === wall
  return isShown ? first : wall - zone.offsetMs(first - 1)
}

interface DateMark {
  readonly at: number
  readonly parts: DateParts
}

/** A text with the place up to which it was read. */
class DateReader {
  readonly parts: DateParts = {
    year: 1970,
    month: 1,
    day: 1,
    dayOfYear: undefined,
    weekday: undefined,
    hour: 0,
    halfHour: undefined,
    isAfternoon: false,
    minute: 0,
    second: 0,
    ms: 0,
    quarter: undefined,
    offset: undefined,
    zone: undefined,
  }
  readonly #pattern: DatePattern
  readonly #text: string
  #at = 0

  constructor(pattern: DatePattern, text: string) {
    this.#pattern = pattern
    this.#text = text
  }

  has(literal: string): boolean {
    return this.#text.startsWith(literal, this.#at)
  }

  skip(literal: string): void {
    if (!this.has(literal)) this.refuse(`expected "${literal}"`)
    this.#at += literal.length
  }

  /** What was read so far, for goBack(). */
  mark(): DateMark {
    return { at: this.#at, parts: { ...this.parts } }
  }

  goBack({ at, parts }: DateMark): void {
    this.#at = at
    Object.assign(this.parts, parts)
  }

  end(): void {
    if (this.#at < this.#text.length) this.refuse('unexpected text after the end')
  }

  /** Digits: as many as `width` says, or from one to `most` of them where it is 1. */
  digits(width: number, most: number, what: string): string {
    const limit = this.#at + (width === 1 ? most : width)
    let end = this.#at
    while (end < limit && this.#text[end] >= '0' && this.#text[end] <= '9') end += 1
    const count = end - this.#at
    if (count === 0 || (width > 1 && count < width)) this.refuse(`expected ${what}`)
    const digits = this.#text.slice(this.#at, end)
    this.#at = end
    return digits
  }

  whole(width: number, [from, to]: readonly [number, number], what: string): number {
    const number = Number(this.digits(width, String(to).length, what))
    if (number < from || number > to) this.refuse(`expected ${what} from ${from} to ${to} before`)
    return number
  }

  /** The index of the name that stands here, in capitals or not. */
  name(names: readonly string[], what: string): number {
    const index = names.findIndex((name) => {
      const found = this.#text.slice(this.#at, this.#at + name.length)
      return found.toLowerCase() === name.toLowerCase()
    })
    if (index < 0) this.refuse(`expected ${what}`)
    this.#at += names[index].length
    return index
  }

  /** What a sticky pattern finds here, or undefined. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at += found[0].length
    return found
  }

  refuse(problem: string): never {
    const shown = this.#text.length > 60 ? `${this.#text.slice(0, 60)}…` : this.#text
    const where = `${problem} at character ${this.#at + 1}`
    const what = `Cannot read "${shown}" as a date by the pattern "${this.#pattern.text}": ${where}`
    refuse('bad_input', { what })
  }
}

function readField(reader: DateReader, letter: DateLetter, width: number): void {
  const { parts } = reader
  switch (letter) {
    case 'y':
    case 'u':
      parts.year = readYear(reader, width)
      return
    case 'Q':
      parts.quarter = reader.whole(width, [1, 4], 'a quarter')
      return
    case 'M':
    case 'L':
      parts.month =
        width > 2
          ? reader.name(namesIn(MONTH_NAMES, width), 'the name of a month') + 1
          : reader.whole(width, [1, 12], 'a month')
      return
    case 'd':
      parts.day = reader.whole(width, [1, 31], 'a day')
      return
    case 'D':
      parts.dayOfYear = reader.whole(width, [1, 366], 'a day of the year')
      return
    case 'E':
      parts.weekday = reader.name(namesIn(WEEKDAY_NAMES, width), 'the name of a weekday')
      return
    case 'm':
      parts.minute = reader.whole(width, [0, 59], 'a minute')
      return
    case 's':
      parts.second = reader.whole(width, [0, 59], 'a second')
      return
    case 'S':
      parts.ms = Number(
        reader.digits(width, FRACTION_DIGITS_MAX, 'a fraction').padEnd(3, '0').slice(0, 3),
      )
      return
    case 'a':
    case 'H':
    case 'k':
    case 'K':
    case 'h':
      readHour(reader, letter, width)
      return
    case 'V':
      parts.zone = readZoneId(reader)
      return
    default:
      readOffset(reader, letter, width)
  }
}

function readYear(reader: DateReader, width: number): number {
  if (width === 2) return 2000 + Number(reader.digits(2, 2, 'a two-digit year'))
  return reader.whole(width, [1, 9999], 'a year')
}

function readHour(reader: DateReader, letter: 'a' | 'H' | 'k' | 'K' | 'h', width: number): void {
  const { parts } = reader
  if (letter === 'a') parts.isAfternoon = reader.name(['AM', 'PM'], 'AM or PM') === 1
  else if (letter === 'H') parts.hour = reader.whole(width, [0, 23], 'an hour')
  else if (letter === 'k') parts.hour = reader.whole(width, [1, 24], 'an hour') % 24
  else if (letter === 'K') parts.halfHour = reader.whole(width, [0, 11], 'an hour')
  else parts.halfHour = reader.whole(width, [1, 12], 'an hour') % 12
}

function readZoneId(reader: DateReader): Zone {
  const id = canonicalTimeZone(reader.match(/[A-Za-z][\w+/-]*/y)?.[0] ?? '')
  return id === undefined ? reader.refuse('expected a time zone ID') : loadZone(id)
}

function readOffset(reader: DateReader, letter: 'X' | 'x' | 'Z' | 'z', width: number): void {
  const { parts } = reader
  if (letter === 'z' && reader.match(/(?:UTC|GMT)(?![\w+/-])|Z(?![\w+/-])/y) !== undefined) {
    parts.offset = 0
    return
  }
  if (letter === 'z' && reader.match(/(?:UTC|GMT)(?=[+-])/y) === undefined) {
    parts.zone = readZoneId(reader)
    return
  }
  if (letter !== 'x' && reader.match(/Z/y) !== undefined) {
    parts.offset = 0
    return
  }
  const hasColon = letter === 'z' || width === 3 || width === 5
  const isColonForm = letter === 'Z' ? width === 5 : hasColon
  const found = reader.match(isColonForm ? /([+-])(\d\d):([0-5]\d)/y : /([+-])(\d\d)([0-5]\d)?/y)
  const isShort = found !== undefined && found[3] === undefined
  if (found === undefined || Number(found[2]) > 18 || (isShort && (width > 1 || letter === 'Z'))) {
    const example = isColonForm ? '+01:00' : '+0100'
    reader.refuse(`expected an offset such as ${example}`)
  }
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0)
  parts.offset = (found[1] === '-' ? -minutes : minutes) * 60_000
}

function wallTimeOf(reader: DateReader): number {
  const { year, month, day, dayOfYear, weekday, quarter, ...clock } = reader.parts
  const date = new Date(0)
  if (dayOfYear === undefined) date.setUTCFullYear(year, month - 1, day)
  else date.setUTCFullYear(year, 0, dayOfYear)
  if (dayOfYear === undefined && date.getUTCMonth() !== month - 1) {
    reader.refuse(`${MONTH_NAMES[month - 1]} ${year} has no day ${day}`)
  }
  if (date.getUTCFullYear() !== year) reader.refuse(`${year} has no day ${dayOfYear}`)
  if (weekday !== undefined && date.getUTCDay() !== weekday) {
    const name = WEEKDAY_NAMES[date.getUTCDay()]
    reader.refuse(`the weekday does not match, the date is a ${name}`)
  }
  if (quarter !== undefined && Math.floor(date.getUTCMonth() / 3) + 1 !== quarter) {
    reader.refuse('the quarter does not match the month')
  }
  const hour =
    clock.halfHour === undefined ? clock.hour : clock.halfHour + (clock.isAfternoon ? 12 : 0)
  return date.getTime() + ((hour * 60 + clock.minute) * 60 + clock.second) * 1000 + clock.ms
}

function namesIn(names: readonly string[], width: number): readonly string[] {
  return width === 4 ? names : names.map((name) => name.slice(0, SHORT_NAME_LENGTH))
}
