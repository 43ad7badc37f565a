/** Numbers as Go's strconv reads them, which is what line protocol refers to. */

const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const HEX = /^(-?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)$/
const UNDERSCORED =
  /^-?(?:0[xX]_?)?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*(?:\.[0-9a-fA-F]*(?:_[0-9a-fA-F]+)*)?(?:[eEpP][+-]?\d+(?:_\d+)*)?$/

const INT_MIN = -(2n ** 63n)
const INT_END = 2n ** 63n
const UINT_END = 2n ** 64n

/** Bits of a double's mantissa and the exponent of the least one. */
const MANTISSA_BITS = 53
const LEAST_EXPONENT = -1074
/** Beyond every exponent of a double, whatever the digits are that fit into a message. */
const EXPONENT_FAR = 1_000_000

/** The float that a text is, NaN for none and for one beyond the doubles. */
export function parseGoFloat(text: string): number {
  if (text.includes('_')) {
    return isUnderscored(text) ? parseGoFloat(text.replaceAll('_', '')) : Number.NaN
  }
  if (DECIMAL.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : Number.NaN
  }
  const hex = HEX.exec(text)
  if (hex === null) return Number.NaN
  const [, sign, whole, fraction = '', exponent] = hex
  if (whole + fraction === '') return Number.NaN
  const value = scaled(BigInt(`0x${whole}${fraction}`), farExponent(exponent) - 4 * fraction.length)
  if (!Number.isFinite(value)) return Number.NaN
  return sign === '' ? value : -value
}

/** Underscores stand between digits, and in a hexadecimal number after its prefix. */
function isUnderscored(text: string): boolean {
  return UNDERSCORED.test(text) && !/_[eEpP.]|[eEpP.]_/.test(hexless(text))
}

/** The text with its hexadecimal digits as decimal ones, so that an exponent differs from a digit. */
function hexless(text: string): string {
  return /0[xX]/.test(text) ? text.replace(/[a-fA-F]/g, '0') : text
}

function farExponent(text: string): number {
  return Math.max(-EXPONENT_FAR, Math.min(EXPONENT_FAR, Number(text)))
}

/** A whole number times a power of two, rounded once to the nearest double. */
function scaled(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0
  const bits = mantissa.toString(2).length
  if (bits + exponent > 1024) return Number.POSITIVE_INFINITY
  const dropped = Math.max(bits - MANTISSA_BITS, LEAST_EXPONENT - exponent, 0)
  if (dropped > bits + 1) return 0
  const shift = BigInt(dropped)
  const half = dropped === 0 ? 0n : 1n << (shift - 1n)
  const rest = mantissa & ((1n << shift) - 1n)
  let rounded = mantissa >> shift
  if (rest > half || (rest === half && dropped > 0 && (rounded & 1n) === 1n)) rounded += 1n
  const power = exponent + dropped
  // Two factors, as one power of two may lie beyond the doubles.
  const first = Math.max(-1000, Math.min(1000, power))
  return Number(rounded) * 2 ** first * 2 ** (power - first)
}

/** The whole number of a field with the suffix `i` or `u`; undefined for none, and for one beyond 64 bits. */
export function parseGoInteger(text: string, isUnsigned: boolean): bigint | undefined {
  if (!(isUnsigned ? /^\d+$/ : /^-?\d+$/).test(text)) return undefined
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1')
  // Longer ones take time that grows with the square of their length.
  if (digits.length > 20) return undefined
  const value = BigInt(digits)
  const isInside = isUnsigned ? value < UINT_END : value >= INT_MIN && value < INT_END
  return isInside ? value : undefined
}
