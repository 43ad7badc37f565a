/** The one way in which the studio writes moments. */
import { wallOf } from './zone-time.ts'

/** A moment in full on the clocks of a zone: `2026-11-15 16:31:48`, with milliseconds where it has some. */
export function momentText(zone: string, at: number): string {
  const iso = new Date(wallOf(zone, at)).toISOString()
  const isYearShort = iso.startsWith('+') || iso.startsWith('-')
  const text = (isYearShort ? iso : iso.slice(0, 23)).replace('T', ' ')
  return text.endsWith('.000') ? text.slice(0, -4) : text
}

/** Moments in full, without seconds where none of them has some. */
export function minuteTexts(zone: string, moments: readonly number[]): string[] {
  const texts = moments.map((at) => momentText(zone, at))
  return texts.every((text) => text.endsWith(':00'))
    ? texts.map((text) => text.slice(0, -3))
    : texts
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** The unit that both ends of a range are cut to: the longer the range, the fewer digits. */
function unitOf(length: number): number {
  if (length >= HOUR) return MINUTE
  return length >= MINUTE ? SECOND : 1
}

/**
 * A stretch of time in few words: seconds only in short ranges, one day said once, offsets where the clocks are set in
 * between.
 */
export function rangeText(zone: string, from: number, until: number): string {
  const unit = unitOf(until - from)
  const cut = (at: number) => Math.floor(at / unit) * unit
  const [start, end] = minuteTexts(zone, [cut(from), cut(until)])
  const [day, time = ''] = end.split(' ')
  const [before, after] = [offsetText(zone, from), offsetText(zone, until)]
  const [startMark, endMark] = before === after ? ['', ''] : [` ${before}`, ` ${after}`]
  return `${start}${startMark} – ${start.startsWith(`${day} `) ? time : end}${endMark}`
}

/** A stretch of time with its zone: one offset mostly, two where the clocks are set in between. */
export function zonedRangeText(zone: string, from: number, until: number): string {
  const [before, after] = [offsetText(zone, from), offsetText(zone, until)]
  return `${rangeText(zone, from, until)}${before === after ? ` ${after}` : ''}`
}

/** How a zone's clocks stand to UTC at a moment: `UTC+1`, `UTC+5:45`, `UTC`. */
export function offsetText(zone: string, at: number): string {
  const minutes = Math.round((wallOf(zone, at) - at) / 60_000)
  if (minutes === 0) return 'UTC'
  const [sign, size] = [minutes < 0 ? '−' : '+', Math.abs(minutes)]
  return `UTC${sign}${Math.floor(size / 60)}${size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`}`
}

/** A moment with its zone: `2026-11-15 16:31:48 UTC+1`; for who reads it alone. */
export function zonedText(zone: string, at: number): string {
  return `${momentText(zone, at)} ${offsetText(zone, at)}`
}
