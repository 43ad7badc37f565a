/**
 * Sums and means of doubles in whole multiples of 2⁻¹⁰⁷⁴, and the double nearest to a fraction found
 * by halving the list of all doubles. Slow and plain; nothing here is shared with the implementation.
 */

const view = new DataView(new ArrayBuffer(8))
const INFINITY_BITS = 0x7ff0_0000_0000_0000n

/** A finite double as a whole number of 2⁻¹⁰⁷⁴. */
export function unitsOf(value: number): bigint {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const units = unitsOfBits(bits & ~(1n << 63n))
  return bits >> 63n === 1n ? -units : units
}

/** Σ value · weight in whole multiples of 2⁻¹⁰⁷⁴. */
export function totalUnits(terms: Iterable<readonly [value: number, weight: number]>): bigint {
  let total = 0n
  for (const [value, weight] of terms) total += unitsOf(value) * BigInt(weight)
  return total
}

/** The double nearest to units · 2⁻¹⁰⁷⁴ / divisor, of two as near the even one; zero is +0. */
export function nearestDouble(units: bigint, divisor = 1n): number {
  if (units === 0n) return 0
  const magnitude = units < 0n ? -units : units
  let [low, high] = [0n, INFINITY_BITS]
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (unitsOfBits(middle) * divisor <= magnitude) low = middle
    else high = middle
  }
  // What would come after the greatest double stands for infinity.
  const below = magnitude - unitsOfBits(low) * divisor
  const above = unitsOfBits(high) * divisor - magnitude
  const nearest = below < above || (below === above && (low & 1n) === 0n) ? low : high
  view.setBigUint64(0, nearest)
  const result = view.getFloat64(0)
  return units < 0n && result !== 0 ? -result : result
}

/** The sum of doubles, rounded once. */
export function exactSum(values: readonly number[]): number {
  return nearestDouble(totalUnits(values.map((value) => [value, 1])))
}

/** The mean of doubles, rounded once; NaN of none. */
export function exactMean(values: readonly number[]): number {
  return weightedMean(values.map((value) => [value, 1]))
}

/** Σ value · weight / Σ weight, rounded once; NaN of none. */
export function weightedMean(terms: readonly (readonly [value: number, weight: number])[]): number {
  const weights = terms.reduce((sum, [, weight]) => sum + weight, 0)
  return weights === 0 ? Number.NaN : nearestDouble(totalUnits(terms), BigInt(weights))
}

function unitsOfBits(bits: bigint): bigint {
  const exponent = bits >> 52n
  const fraction = bits & ((1n << 52n) - 1n)
  return exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
}
