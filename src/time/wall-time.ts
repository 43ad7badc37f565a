/**
 * Wall-clock times are counted like epoch milliseconds: what the clock on the wall shows, read as if
 * it were UTC. They are only numbers to add to; a Zone says which instant they mean.
 */

const PATTERN =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)?$/

/** In 400 years the calendar comes round to the same dates; Date.UTC takes years below 100 for others. */
const ROUND_YEARS = 400
const ROUND_MS = 146_097 * 86_400_000

/**
 * Reads a local date or date-time (2024-03-10, 2024-03-10T08:30, …:15.250); undefined otherwise. By
 * numbers, as a cycle may list 20,000 of them: Temporal takes ten times as long.
 */
export function parseWallTime(text: string): number | undefined {
  if (!PATTERN.test(text)) return undefined
  const part = (from: number, until: number): number => Number(text.slice(from, until))
  const [year, month, day] = [part(0, 4), part(5, 7), part(8, 10)]
  const midnight = Date.UTC(year + ROUND_YEARS, month - 1, day) - ROUND_MS
  // A day that its month does not have is one of the next.
  if (new Date(midnight).getUTCDate() !== day) return undefined
  const milliseconds = Number(text.slice(20).padEnd(3, '0'))
  const seconds = part(11, 13) * 3_600 + part(14, 16) * 60 + part(17, 19)
  return midnight + seconds * 1_000 + milliseconds
}

/** Writes a wall-clock time the way parseWallTime reads it, without a zone. */
export function formatWallTime(wall: number): string {
  return new Date(wall).toISOString().replace(/(?:\.000)?Z$/, '')
}

/**
 * The date and time of day some months later or earlier, with the day of the month unchanged; in a month that is too
 * short, its last day.
 */
export function addMonths(wall: number, months: number): number {
  const date = new Date(wall)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth() + months
  const daysInMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), daysInMonth)
  const timeOfDay = wall - Math.floor(wall / 86_400_000) * 86_400_000
  return Date.UTC(year, month, day) + timeOfDay
}
