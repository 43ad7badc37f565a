const DAY_MS = 86_400_000
/** Of the calendar on average: nobody counts leap days in an age. */
const YEAR_MS = 365.25 * DAY_MS

const UNITS: ReadonlyArray<readonly [ms: number, unit: string]> = [
  [DAY_MS, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

/** Clocks of devices and browsers differ a little: so far ahead is no future. */
const AHEAD_MS = 5_000

/** How long something is past, in words of one unit. */
export function ageText(ms: number): string {
  if (ms < 0 && ms > -AHEAD_MS) return 'just now'
  if (ms >= YEAR_MS) {
    const years = Math.floor(ms / YEAR_MS)
    return `${years} ${years === 1 ? 'year' : 'years'} ago`
  }
  if (ms < 0) return `in ${ageText(-ms).replace(' ago', '')}`
  for (const [size, unit] of UNITS) {
    if (ms >= size) return `${Math.floor(ms / size)} ${unit} ago`
  }
  return 'just now'
}
