/**
 * Wall-clock times are counted like epoch milliseconds: what the clock on the wall shows, read as if
 * it were UTC. They are only numbers to add to; a Zone says which instant they mean.
 */

const PATTERN = /^\d{4}-\d{2}-\d{2}(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)?$/

/** Reads a local date or date-time (2024-03-10, 2024-03-10T08:30, …:15.250); undefined otherwise. */
export function parseWallTime(text: string): number | undefined {
  if (!PATTERN.test(text)) return undefined
  try {
    const dateTime = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return dateTime.toZonedDateTime('UTC').epochMilliseconds
  } catch {
    return undefined
  }
}

/** Writes a wall-clock time the way parseWallTime reads it, without a zone. */
export function formatWallTime(wall: number): string {
  return new Date(wall).toISOString().replace(/(?:\.000)?Z$/, '')
}

/**
 * The same day and time of day some months later or earlier; in a month that is too short, its last
 * day.
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
