import { trimEndOf } from '../../base/index.ts'

/**
 * Exact arithmetic over the texts of BIG_DECIMAL samples, which canonicalDecimal() has written: at
 * most 2,000 digits and no exponent, so that everything here stays small.
 */

/** The number units / 10^scale. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** Digits a mean has beyond those of the value with the most behind the point. */
export const MEAN_DIGITS = 20

const powers: bigint[] = []

function powerOfTen(exponent: number): bigint {
  powers[exponent] ??= 10n ** BigInt(exponent)
  return powers[exponent]
}

/** Reads the text of a BIG_DECIMAL sample. */
export function readDecimal(text: string): Decimal {
  const point = text.indexOf('.')
  if (point < 0) return { units: BigInt(text), scale: 0 }
  const units = BigInt(text.slice(0, point) + text.slice(point + 1))
  return { units, scale: text.length - point - 1 }
}

/** Writes a number the way BIG_DECIMAL samples are written: equal numbers are equal texts. */
export function writeDecimal({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  const fraction = trimEndOf(digits.slice(point), '0')
  const shown = fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
  return units < 0n ? `-${shown}` : shown
}

/** Below 0 when a is less than b, above 0 when it is greater, 0 when they are equal. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [unitsAt(a, scale), unitsAt(b, scale)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The sum of two numbers. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale }
}

/** A number times a whole one. */
export function multiplyDecimal({ units, scale }: Decimal, factor: number): Decimal {
  return { units: units * BigInt(factor), scale }
}

/** A number divided by a positive whole one, with `decimals` decimals; halves are rounded away from zero. */
export function divideDecimal(value: Decimal, divisor: number, decimals: number): Decimal {
  const units = unitsAt(value, Math.max(decimals, value.scale))
  const by = BigInt(divisor) * powerOfTen(Math.max(0, value.scale - decimals))
  const doubled = 2n * (units < 0n ? -units : units) + by
  const rounded = doubled / (2n * by)
  return { units: units < 0n ? -rounded : rounded, scale: decimals }
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return wanted === scale ? units : units * powerOfTen(wanted - scale)
}
