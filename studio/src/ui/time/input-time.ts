/** Moments as inputs of the browser have them. */
import { momentText } from './moment-text.ts'
import { momentOf } from './zone-time.ts'

/** A moment for an input of day and time, on the clocks of a zone. */
export function inputText(zone: string, at: number): string {
  return momentText(zone, Math.floor(at / 1_000) * 1_000)
}

/** A day, or a day and a time with or without seconds. */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[ T]+(\d{1,2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?)?$/

/** Whether a text is a day, or a day and a time. */
export function isInput(text: string): boolean {
  return !Number.isNaN(readInput('UTC', text))
}

/** The moment that an input names on the clocks of a zone; NaN where it names none. */
export function readInput(zone: string, text: string): number {
  const found = TIME.exec(text.trim())
  if (found === null) return Number.NaN
  const [, day, time = '00:00', seconds = ':00'] = found
  const wall = Date.parse(`${day}T${time.padStart(5, '0')}${seconds}Z`)
  return Number.isNaN(wall) ? Number.NaN : momentOf(zone, wall)
}
