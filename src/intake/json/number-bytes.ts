import { EXACT_DIGITS, isShownBy } from '../../feed/index.ts'
import { nearestDouble } from './nearest-double.ts'

/** The least double that has all its digits. */
const NORMAL_MIN = 2 ** -1022
/** Nine digits always fit into a 32-bit integer. */
const SHORT_DIGITS = 9
/** A longer number may be fine, but scanning it here could hold the loop up. */
const NUMBER_BYTES_MAX = 16 * 1024

/** Two numbers of nine digits hold what 17 digits of a double need. */
const LONG_DIGITS = 18
/** Beyond what any text below NUMBER_BYTES_MAX makes up for. */
const EXPONENT_FAR = 1_000_000

const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const UPPER_E = 0x45
const LETTER_E = 0x65

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/**
 * Reads the JSON number at `at` into a place of a column and returns its end, or -1 for what is
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
  if (digit >>> 0 <= 9 || byte === LETTER_E || byte === UPPER_E) {
    return readAnyNumber(bytes, at, into, index)
  }
  if (wholeDigits === 0 || (wholeDigits > 1 && bytes[whole] === ZERO)) return -1
  if (byte === undefined || bytes[pos - 1] === DOT) return -1
  const value = decimals === 0 ? mantissa : mantissa / powersOfTen[decimals]
  into[index] = isNegative ? -value : value
  return pos
}

/**
 * Reads any JSON number exactly as Number() does. Up to 18 digits that count are taken as two whole
 * numbers; a text is only made for more, and for sizes that hardly any device sends.
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
  let high = 0
  let low = 0
  let digits = 0
  let digit = bytes[pos] - ZERO
  while (digit >= 0 && digit <= 9 && pos < end) {
    if (digits < SHORT_DIGITS) high = (Math.imul(high, 10) + digit) | 0
    else if (digits < LONG_DIGITS) low = (Math.imul(low, 10) + digit) | 0
    // Zeros in front do not count.
    if (high !== 0) digits += 1
    digit = bytes[++pos] - ZERO
  }
  if (pos === whole || (pos > whole + 1 && bytes[whole] === ZERO)) return -1
  let decimals = 0
  if (digit === DOT - ZERO) {
    const fraction = ++pos
    digit = bytes[pos] - ZERO
    while (digit >= 0 && digit <= 9 && pos < end) {
      if (digits < SHORT_DIGITS) high = (Math.imul(high, 10) + digit) | 0
      else if (digits < LONG_DIGITS) low = (Math.imul(low, 10) + digit) | 0
      if (high !== 0) digits += 1
      digit = bytes[++pos] - ZERO
    }
    decimals = pos - fraction
    if (decimals === 0) return -1
  }
  const digitsEnd = pos
  const byte = bytes[pos]
  if (byte === LETTER_E || byte === UPPER_E) pos = endOfExponent(bytes, pos + 1, end)
  if (pos < 0 || pos >= end) return -1
  if (digits <= LONG_DIGITS) {
    const exponent = pos === digitsEnd ? 0 : exponentAt(bytes, digitsEnd + 1, pos)
    const lowDigits = Math.max(0, digits - SHORT_DIGITS)
    const value = nearestDouble(high, low, lowDigits, exponent - decimals)
    if (!Number.isNaN(value)) {
      into[index] = isNegative ? -value : value
      return pos
    }
  }
  return readText(bytes, at, pos, { into, index })
}

/** Reads the number at from ≤ index < until by its text. */
function readText(
  bytes: Buffer,
  from: number,
  until: number,
  { into, index }: { into: Float64Array; index: number },
): number {
  const text = bytes.toString('latin1', from, until)
  const value = Number(text)
  into[index] = value
  const size = Math.abs(value)
  if (size >= NORMAL_MIN && size < Number.POSITIVE_INFINITY) return until
  // Beyond the normal doubles digits are lost whatever their count; the reference reader keeps them.
  return isShownBy(text, value) ? until : -1
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
  if (bytes[pos] === MINUS || bytes[pos] === PLUS) pos += 1
  const digits = pos
  while (bytes[pos] >= ZERO && bytes[pos] <= 0x39 && pos < end) pos += 1
  return pos === digits ? -1 : pos
}

/** The exponent at from ≤ index < until; one of many digits only as something far too large. */
function exponentAt(bytes: Buffer, from: number, until: number): number {
  const isSigned = bytes[from] === MINUS || bytes[from] === PLUS
  let size = 0
  for (let pos = isSigned ? from + 1 : from; pos < until; pos++) {
    size = Math.min(size * 10 + (bytes[pos] - ZERO), EXPONENT_FAR)
  }
  return bytes[from] === MINUS ? -size : size
}
