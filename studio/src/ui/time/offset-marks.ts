/** Moments in a list, where the clock alone does not say which is meant. */
import { minuteTexts, momentText, offsetText } from './moment-text.ts'
import { momentsOf, offsetOf } from './zone-time.ts'

const DAY_MS = 86_400_000
/** In a time as short as this clocks are not set twice. */
const CALM_MS = 7 * DAY_MS

/**
 * What is to be written behind each moment of a list: its offset, ` UTC+2`, where clocks show the time twice
 * or stand otherwise than at the moment before or behind it; mostly nothing.
 */
export function offsetMarks(zone: string, moments: readonly number[]): string[] {
  if (moments.length === 0) return []
  const [low, high] = [Math.min(...moments), Math.max(...moments)]
  const isCalm =
    high - low < CALM_MS && offsetOf(zone, low - DAY_MS) === offsetOf(zone, high + DAY_MS)
  if (isCalm) return moments.map(() => '')
  const offsets = moments.map((at) => offsetOf(zone, at))
  return moments.map((at, index) => {
    const own = offsets[index]
    const beside = [offsets[index - 1] ?? own, offsets[index + 1] ?? own]
    const isPlain = beside.every((one) => one === own) && momentsOf(zone, at + own).length === 1
    return isPlain ? '' : ` ${offsetText(zone, at)}`
  })
}

/** Moments of a list in full, with their offset where it is needed to distinguish them. */
export function momentTexts(zone: string, moments: readonly number[]): string[] {
  const marks = offsetMarks(zone, moments)
  return moments.map((at, index) => `${momentText(zone, at)}${marks[index]}`)
}

/** The edges of periods: as moments of a list, without seconds where none of them has some. */
export function edgeTexts(zone: string, edges: readonly number[]): string[] {
  const marks = offsetMarks(zone, edges)
  return minuteTexts(zone, edges).map((text, index) => `${text}${marks[index]}`)
}
