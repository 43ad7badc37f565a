/** Texts of dates, numbers and bytes that are the same whichever database they come from. */
import { trimEndOf } from '../../base/plain.ts'

const DATE_TIME = /^(\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/
const FRACTION = /^\.\d{1,12}/
const OFFSET = /^([+-]\d{2})(?::?(\d{2}))?$/

/** `2026-03-05 06:07:08.25+00` as `2026-03-05T06:07:08.25Z`; what is no such text stays as it is. */
export function isoDateTime(text: string): string {
  const parts = DATE_TIME.exec(text)
  if (parts === null) return text
  const [start, date, time] = parts
  const fraction = FRACTION.exec(text.slice(start.length))?.[0] ?? ''
  const rest = text.slice(start.length + fraction.length).trim()
  const offset = rest === '' ? '' : isoOffset(rest)
  // Years before Christ, zero dates and the like mean something only as they are written.
  return offset === undefined || date.startsWith('0000-00')
    ? text
    : `${date}T${time}${fraction}${offset}`
}

function isoOffset(text: string): string | undefined {
  const parts = OFFSET.exec(text)
  if (parts === null) return undefined
  const [, hours, minutes = '00'] = parts
  return /^[+-]00$/.test(hours) && minutes === '00' ? 'Z' : `${hours}:${minutes}`
}

/** A date of a driver in UTC, with digits of a fraction that it holds beside; without what is zero at its end. */
export function isoOfDate(date: Date, fraction = 0): string {
  const [whole, ms] = date.toISOString().slice(0, -1).split('.')
  const beyond = Math.round(fraction * 1e9)
  const digits = trimEndOf(`${ms}${String(beyond).padStart(6, '0')}`, '0')
  return digits === '' ? whole : `${whole}.${digits}`
}

/** The shortest text of a number of 32 bits that reads as the same one. */
export function singleText(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const text = value.toPrecision(digits)
    if (Math.fround(Number(text)) === value) return String(Number(text))
  }
  return String(value)
}

/** A whole number as decimal text with `scale` digits after the point. */
export function decimalText(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  if (scale === 0) return `${sign}${digits}`
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
