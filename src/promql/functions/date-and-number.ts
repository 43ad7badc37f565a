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

/** Parts of the date of a time in seconds since 1970, in UTC. */
export const functionsOfDate: ReadonlyMap<string, (seconds: number) => number> = new Map(
  Object.entries({
    days_in_month: (date: Date) =>
      new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
    day_of_month: (date: Date) => date.getUTCDate(),
    day_of_week: (date: Date) => date.getUTCDay(),
    day_of_year: dayOfYear,
    hour: (date: Date) => date.getUTCHours(),
    minute: (date: Date) => date.getUTCMinutes(),
    month: (date: Date) => date.getUTCMonth() + 1,
    year: (date: Date) => date.getUTCFullYear(),
  }).map(([name, partOf]) => [
    name,
    (seconds: number) => partOf(new Date(Math.trunc(seconds) * 1000)),
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
