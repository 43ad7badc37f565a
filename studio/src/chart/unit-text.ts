/** Values with their units, as people write them. */

import { preciseText } from './figures.ts'

/** What stands at its number: an angle, its parts, and shares. */
const CLOSE = /^(?:[°′″'"%‰](?![\p{L}\p{N}])|\s|$)/u

/** A number as the service writes one: with groups, a fraction, an exponent. */
const NUMBER = /^-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?/

/** A number and the symbol of its unit behind it. */
export function withUnit(number: string, symbol: string): string {
  return CLOSE.test(symbol) ? `${number}${symbol}` : `${number}\u00a0${symbol}`
}

/**
 * What the service says of a value, which glues the symbol to the number: the two parted where people
 * part them. Texts stay as they are, and symbols before their number, too.
 */
export function spacedText(fData: string, data: unknown): string {
  if (typeof data !== 'number') return fData
  const [number = ''] = NUMBER.exec(fData) ?? []
  return number === '' ? fData : withUnit(number, fData.slice(number.length))
}

/** The same with another number of digits behind the point. */
export function withDecimals(fData: string, data: number, decimals: number): string {
  return spacedText(fData.replace(NUMBER, preciseText(data, { decimals, isFixed: true })), data)
}
