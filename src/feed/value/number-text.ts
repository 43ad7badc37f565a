import { trimEndOf } from '../../base/plain.ts'

/** Linear in the text: no two parts of it can read the same characters one after the other. */
const NUMBER = /^\s*([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?\s*$/

/** Whether a text is written like a decimal number, whatever its size. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text)
}

/** The double a text stands for; NaN for a text that is no number, an infinity for one too large. */
export function parseNumberText(text: string): number {
  return NUMBER.test(text) ? Number(text) : Number.NaN
}

/** What sensor libraries print for a reading that failed. */
const FAILED_READING = /^[+-]?(?:nan|inf|infinity|ovf|null)$/i

/** Whether a text stands for no value, as sensors send it when a reading failed. */
export function isFailedReading(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= 'infinity'.length + 1 && FAILED_READING.test(trimmed)
}

/** Digits a BIG_DECIMAL may have, written out; more would only serve to fill memory. */
const DECIMAL_DIGITS_MAX = 1_000

/**
 * A decimal number written out without an exponent, a plus, or zeros that say nothing, so that equal
 * numbers are equal texts; undefined for a text that is no number or has too many digits.
 */
export function canonicalDecimal(text: string): string | undefined {
  const match = NUMBER.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', decimalsOfWhole, decimalsAlone, exponent] = match
  const fraction = decimalsOfWhole ?? decimalsAlone ?? ''
  const shift = Number(exponent ?? 0)
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  if (digits.length > DECIMAL_DIGITS_MAX || Math.abs(shift) > DECIMAL_DIGITS_MAX) return undefined
  const decimals = fraction.length - shift
  const padded =
    decimals > 0 ? digits.padStart(decimals + 1, '0') : digits.padEnd(digits.length - decimals, '0')
  if (padded.length > 2 * DECIMAL_DIGITS_MAX) return undefined
  const point = padded.length - Math.max(0, decimals)
  const tail = trimEndOf(padded.slice(point), '0')
  const shown = tail === '' ? padded.slice(0, point) : `${padded.slice(0, point)}.${tail}`
  return sign === '-' ? `-${shown}` : shown
}

/** Digits that every double keeps; a number in more of them may be rounded. */
export const EXACT_DIGITS = 15

/** Whether a double is the very number that a text writes, as its shortest form shows it. */
export function isShownBy(text: string, value: number): boolean {
  const shown = String(value)
  if (shown === text) return true
  const canonical = canonicalDecimal(text)
  return canonical !== undefined && canonical === canonicalDecimal(shown)
}

/** Whether the text of a number is that of a whole one: 5.0 is, 5.00000000000000000001 is not. */
export function isWholeText(text: string): boolean {
  if (text.length <= EXACT_DIGITS && !/[.eE]/.test(text)) return true
  return canonicalDecimal(text)?.includes('.') === false
}
