/** Moments as inputs of the browser have them. */
import { momentText } from './moment-text.ts'
import { momentOf } from './zone-time.ts'

/** A moment for an input of day and time, on the clocks of a zone. */
export function inputText(zone: string, at: number): string {
  return momentText(zone, Math.floor(at / 1_000) * 1_000).replace(' ', 'T')
}

/** The moment that an input names on the clocks of a zone; NaN where it names none. */
export function readInput(zone: string, text: string): number {
  const wall = Date.parse(`${text.length === 16 ? `${text}:00` : text}Z`)
  return Number.isNaN(wall) ? Number.NaN : momentOf(zone, wall)
}
