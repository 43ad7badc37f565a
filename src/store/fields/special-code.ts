/**
 * Codes of special values: NaN and the infinities as finite numbers, because JavaScript does not keep the bits of a NaN.
 * A code is the lower 52 bits of the double as an integer m, or -m - 1 where its sign bit is set.
 */

const TWO_32 = 2 ** 32
const EXPONENT_BITS = 0x7ff00000
const SIGN_BIT = 0x80000000

/** The code of a double that is not finite, given as two words of 32 bits. */
export function specialCodeOf(high: number, low: number): number {
  const mantissa = (high & 0xfffff) * TWO_32 + low
  return high >>> 31 === 1 ? -mantissa - 1 : mantissa
}

/** Writes the double of a code to a place of some columns, seen as words. Words of a place come lower first. */
export function writeSpecial(words: Uint32Array, place: number, code: number): void {
  const mantissa = code < 0 ? -code - 1 : code
  words[2 * place] = mantissa % TWO_32
  const high = EXPONENT_BITS | Math.floor(mantissa / TWO_32)
  words[2 * place + 1] = code < 0 ? high | SIGN_BIT : high
}
