import { isoOfDate, singleText } from '../iso-text.ts'

/** A date of the driver; digits beyond its milliseconds are in seconds. */
type DriverDate = Date & { readonly nanosecondsDelta?: number }

/** The text of a value as the driver gives it, by the name of its type; the driver reads dates as UTC. */
export function sqlserverText(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return dateText(value, type)
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (typeof value === 'number' && isSingle(value, type)) return singleText(value)
  return String(value)
}

/** FLOAT of 4 and of 8 bytes have one type; what four bytes can hold is written as a 4-byte float. */
function isSingle(value: number, type: string): boolean {
  return (type === 'Real' || type === 'FloatN') && Math.fround(value) === value
}

function dateText(date: DriverDate, type: string): string {
  const iso = isoOfDate(date, date.nanosecondsDelta ?? 0)
  if (type === 'Date') return iso.slice(0, 10)
  if (type === 'Time') return iso.slice(11)
  return type === 'DateTimeOffset' ? `${iso}Z` : iso
}
