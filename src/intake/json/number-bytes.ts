import { EXACT_DIGITS, isShownBy } from '../../feed/index.ts'

/** The least double that has all its digits. */
const NORMAL_MIN = 2 ** -1022
/** Nine digits always fit into a 32-bit integer. */
const SHORT_DIGITS = 9
/** A longer number may be fine, but scanning it here could hold the loop up. */
const NUMBER_BYTES_MAX = 16 * 1024

const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/**
 * Reads the JSON number at `at` into a place of a column and tells where it ends, or -1 for what is
 * no number. Up to nine digits with a dot among them, which most values of sensors are, take
 * integers of the machine; anything longer starts again in readAnyNumber().
 */
export function readNumber(bytes: Buffer, at: number, into: Float64Array, index: number): number {
  const isNegative = bytes[at] === MINUS
  const whole = isNegative ? at + 1 : at
  const limit = whole + SHORT_DIGITS
  let pos = whole
  let mantissa = 0
  let digit = bytes[pos] - ZERO
  while (digit >>> 0 <= 9 && pos < limit) {
    mantissa = (Math.imul(mantissa, 10) + digit) | 0
    digit = bytes[++pos] - ZERO
  }
  const wholeDigits = pos - whole
  let decimals = 0
  if (digit === DOT - ZERO) {
    const fraction = pos + 1
    digit = bytes[++pos] - ZERO
    while (digit >>> 0 <= 9 && pos <= limit) {
      mantissa = (Math.imul(mantissa, 10) + digit) | 0
      digit = bytes[++pos] - ZERO
    }
    decimals = pos - fraction
  }
  const byte = bytes[pos]
  if (digit >>> 0 <= 9 || byte === 0x65 || byte === 0x45) {
    return readAnyNumber(bytes, at, into, index)
  }
  if (wholeDigits === 0 || (wholeDigits > 1 && bytes[whole] === ZERO)) return -1
  if (byte === undefined || bytes[pos - 1] === DOT) return -1
  const value = decimals === 0 ? mantissa : mantissa / powersOfTen[decimals]
  into[index] = isNegative ? -value : value
  return pos
}

/**
 * Reads any JSON number exactly: up to 15 digits make an integer below 2⁵³ which one division by a
 * power of ten, itself exact, rounds once. Everything longer goes through Number().
 */
export function readAnyNumber(
  bytes: Buffer,
  at: number,
  into: Float64Array,
  index: number,
): number {
  const end = at + NUMBER_BYTES_MAX
  const isNegative = bytes[at] === MINUS
  const whole = isNegative ? at + 1 : at
  let pos = whole
  let mantissa = 0
  let digit = bytes[pos] - ZERO
  while (digit >= 0 && digit <= 9 && pos < end) {
    mantissa = mantissa * 10 + digit
    digit = bytes[++pos] - ZERO
  }
  let digits = pos - whole
  if (digits === 0 || (digits > 1 && bytes[whole] === ZERO)) return -1
  let decimals = 0
  if (digit === DOT - ZERO) {
    const fraction = ++pos
    digit = bytes[pos] - ZERO
    while (digit >= 0 && digit <= 9 && pos < end) {
      mantissa = mantissa * 10 + digit
      digit = bytes[++pos] - ZERO
    }
    decimals = pos - fraction
    if (decimals === 0) return -1
    digits += decimals
  }
  const byte = bytes[pos]
  if (byte === 0x65 || byte === 0x45) pos = endOfExponent(bytes, pos + 1, end)
  else if (digits <= 15) {
    const value = decimals === 0 ? mantissa : mantissa / powersOfTen[decimals]
    into[index] = isNegative ? -value : value
    return pos
  }
  if (pos < 0 || pos >= end) return -1
  const text = bytes.toString('latin1', at, pos)
  const value = Number(text)
  into[index] = value
  const size = Math.abs(value)
  if (size >= NORMAL_MIN && size < Number.POSITIVE_INFINITY) return pos
  // Beyond the normal doubles digits are lost whatever their count; the reference reader keeps them.
  return isShownBy(text, value) ? pos : -1
}

/**
 * The number at from ≤ index < until as it is written, if `value`, the nearest double, shows other
 * digits; undefined for nearly every one.
 */
export function longNumberAt(
  bytes: Buffer,
  from: number,
  until: number,
  value: number,
): string | undefined {
  if (until - from <= EXACT_DIGITS) return undefined
  const text = bytes.toString('latin1', from, until)
  return isShownBy(text, value) ? undefined : text
}

function endOfExponent(bytes: Buffer, at: number, end: number): number {
  let pos = at
  if (bytes[pos] === MINUS || bytes[pos] === 0x2b) pos += 1
  const digits = pos
  while (bytes[pos] >= ZERO && bytes[pos] <= 0x39 && pos < end) pos += 1
  return pos === digits ? -1 : pos
}
