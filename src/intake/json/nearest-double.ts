/**
 * The double nearest to up to 18 decimal digits and a power of ten, without big integers. The quotient or product is
 * computed with about 100 bits. If these do not decide on which side of the middle between two doubles the value lies,
 * the caller must use another method.
 */

/** Powers by literal: `**` does not promise the nearest double. These are exact. */
const powersOfTen = Float64Array.of(
  1,
  1e1,
  1e2,
  1e3,
  1e4,
  1e5,
  1e6,
  1e7,
  1e8,
  1e9,
  1e10,
  1e11,
  1e12,
  1e13,
  1e14,
  1e15,
  1e16,
  1e17,
  1e18,
  1e19,
  1e20,
  1e21,
  1e22,
)

/** Greater powers of ten are no doubles. */
const EXPONENT_MAX = 22

/** Veltkamp's constant: halves of 26 bits, whose products are exact. */
const SPLITTER = 2 ** 27 + 1

const INTEGER_MAX = 2 ** 53

/** Far above the error of what is computed here, 2^-103, and far below half of a double's last bit. */
const UNCERTAINTY = 2 ** -90

/**
 * The double nearest to (high · 10^lowDigits + low) · 10^exponent, exactly as Number() rounds; NaN when
 * that takes more care. Both parts are whole, below 10^9, and low has at most lowDigits digits.
 */
export function nearestDouble(
  high: number,
  low: number,
  lowDigits: number,
  exponent: number,
): number {
  const scale = powersOfTen[lowDigits]
  if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX) {
    return high === 0 && low === 0 ? 0 : Number.NaN
  }
  const power = powersOfTen[exponent < 0 ? -exponent : exponent]
  const rounded = high * scale + low
  // One rounding of two exact numbers.
  if (rounded < INTEGER_MAX) return exponent < 0 ? rounded / power : rounded * power
  // 15 upper bits of high, and the rest with low: each exact, the first the greater one or 0.
  const upper = (high & ~0x7fff) * scale
  const lower = (high & 0x7fff) * scale + low
  const whole = upper + lower
  const rest = lower - (whole - upper)
  return exponent < 0 ? quotientOf(whole, rest, power) : productOf(whole, rest, power)
}

function quotientOf(whole: number, rest: number, power: number): number {
  const quotient = whole / power
  const product = quotient * power
  const missing = whole - product + (rest - errorOf(quotient, power, product))
  return certain(quotient, missing / power)
}

function productOf(whole: number, rest: number, power: number): number {
  const product = whole * power
  return certain(product, errorOf(whole, power, product) + rest * power)
}

/** What a rounded product lacks, exactly. */
function errorOf(left: number, right: number, product: number): number {
  const leftSpread = left * SPLITTER
  const leftHigh = leftSpread - (leftSpread - left)
  const leftLow = left - leftHigh
  const rightSpread = right * SPLITTER
  const rightHigh = rightSpread - (rightSpread - right)
  const rightLow = right - rightHigh
  const high = leftHigh * rightHigh - product
  return high + leftHigh * rightLow + leftLow * rightHigh + leftLow * rightLow
}

/** The sum of a double and its small correction, if a little more or less of it rounds to the same. */
function certain(value: number, correction: number): number {
  const uncertainty = value * UNCERTAINTY
  const more = value + (correction + uncertainty)
  return more === value + (correction - uncertainty) ? more : Number.NaN
}
