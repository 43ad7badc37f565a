/** Functions of one number, by their name in PromQL. */
export const functionsOfNumber: ReadonlyMap<string, (value: number) => number> = new Map([
  ['abs', Math.abs],
  ['acos', Math.acos],
  ['acosh', Math.acosh],
  ['asin', Math.asin],
  ['asinh', Math.asinh],
  ['atan', Math.atan],
  ['atanh', Math.atanh],
  ['ceil', Math.ceil],
  ['cos', Math.cos],
  ['cosh', Math.cosh],
  ['deg', (value) => (value * 180) / Math.PI],
  ['exp', Math.exp],
  ['floor', Math.floor],
  ['ln', Math.log],
  ['log10', Math.log10],
  ['log2', Math.log2],
  ['rad', (value) => (value * Math.PI) / 180],
  ['sgn', Math.sign],
  ['sin', Math.sin],
  ['sinh', Math.sinh],
  ['sqrt', Math.sqrt],
  ['tan', Math.tan],
  ['tanh', Math.tanh],
])

/** After 400 years, the calendar repeats, weekdays too. */
const CALENDAR_YEARS = 400
const CALENDAR_SECONDS = 12_622_780_800n

/** Beyond these, seconds are no 64-bit integer. */
const SECONDS_END = 2 ** 63

/** Up to these, dates of JavaScript are enough. */
const DATE_SECONDS_END = 8.64e12

/** A time with the same date and time of day, but perhaps a year from 1970 to 2369, and how many calendars later it is. */
interface CalendarDate {
  readonly date: Date
  readonly calendars: number
}

function calendarDate(seconds: number): CalendarDate {
  if (Math.abs(seconds) < DATE_SECONDS_END) {
    return { date: new Date(Math.trunc(seconds) * 1000), calendars: 0 }
  }
  // What is no 64-bit integer becomes what Prometheus makes of it on x86.
  const isWhole = seconds >= -SECONDS_END && seconds < SECONDS_END
  const whole = isWhole ? BigInt(Math.trunc(seconds)) : 2n ** 63n
  const rest = ((whole % CALENDAR_SECONDS) + CALENDAR_SECONDS) % CALENDAR_SECONDS
  return {
    date: new Date(Number(rest) * 1000),
    calendars: Number((whole - rest) / CALENDAR_SECONDS),
  }
}

type DatePart = (date: Date, calendars: number) => number

const dateParts: Readonly<Record<string, DatePart>> = {
  days_in_month: (date) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  day_of_month: (date) => date.getUTCDate(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_year: dayOfYear,
  hour: (date) => date.getUTCHours(),
  minute: (date) => date.getUTCMinutes(),
  month: (date) => date.getUTCMonth() + 1,
  year: (date, calendars) => date.getUTCFullYear() + calendars * CALENDAR_YEARS,
}

/** Parts of the date of a time in seconds since 1970, in UTC, by their name in PromQL. */
export const functionsOfDate: ReadonlyMap<string, (seconds: number) => number> = new Map(
  Object.entries(dateParts).map(([name, partOf]) => [
    name,
    (seconds: number): number => {
      const { date, calendars } = calendarDate(seconds)
      return partOf(date, calendars)
    },
  ]),
)

function dayOfYear(date: Date): number {
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  return (midnight - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000 + 1
}

/** The greater of two numbers as in Go: an infinity wins over a NaN. */
export function greaterOf(a: number, b: number): number {
  if (a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY) {
    return Number.POSITIVE_INFINITY
  }
  return Math.max(a, b)
}

/** The lesser of two numbers as in Go: a negative infinity wins over a NaN. */
export function lesserOf(a: number, b: number): number {
  if (a === Number.NEGATIVE_INFINITY || b === Number.NEGATIVE_INFINITY) {
    return Number.NEGATIVE_INFINITY
  }
  return Math.min(a, b)
}

/** The nearest multiple of a number; halves are rounded up. */
export function roundTo(value: number, nearest: number): number {
  // Multiplying by the inverse is what Prometheus does, and gives fewer odd digits.
  const inverse = 1 / nearest
  return Math.floor(value * inverse + 0.5) / inverse
}
