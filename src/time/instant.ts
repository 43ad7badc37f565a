const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+\- ])(\d\d):(\d\d))$/

/** A date or a local time, which is no instant until it has an offset. */
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/

const LEAP_SECOND = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:60/

/** A longer text is no time, whatever it holds. */
const LENGTH_MAX = 64

const MINUTE_MS = 60_000

/**
 * Epoch milliseconds of an RFC 3339 text with an offset; undefined for any other text. A blank before
 * the offset counts as a plus, which query strings decode to a blank. Digits finer than milliseconds
 * are cut. Hour 24 and second 60 are refused: a leap second has no epoch milliseconds of its own.
 */
export function parseInstant(text: string): number | undefined {
  const parts = text.length > LENGTH_MAX ? null : RFC_3339.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number)
  const [, , , , , , , fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts
  if (hour > 23 || minute > 59 || second > 59) return undefined
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined
  const date = new Date(0)
  // Date.UTC() would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  // A day that the month does not have has become one of the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')))
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS
  return date.getTime() + (sign === '-' ? offsetMs : -offsetMs)
}

/** The rule that a refused time has broken, for a message. */
export function timeRuleFor(text: string): string {
  const trimmed = text.slice(0, LENGTH_MAX)
  if (WITHOUT_OFFSET.test(trimmed)) {
    return 'needs a UTC offset, as in 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+01:00'
  }
  if (LEAP_SECOND.test(trimmed))
    return 'must not have second 60. Send the second before or after it'
  return 'must be integer epoch milliseconds, or RFC 3339 as in 2026-01-31T12:00:00Z'
}
