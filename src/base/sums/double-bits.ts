const scratch = new Float64Array(1)
const words = new Uint32Array(scratch.buffer)

/** 2^exponent for exponents from -1022 to 1023, by its bits: `**` does not promise exact powers. */
export function powerOf2(exponent: number): number {
  words[0] = 0
  words[1] = (exponent + 1_023) << 20
  return scratch[0]
}

/** The e for which a positive normal double is below 2^e and not below 2^(e - 1). */
export function exponentAbove(value: number): number {
  scratch[0] = value
  return ((words[1] >>> 20) & 0x7ff) - 1_022
}

/** The greatest e for which a double that is not 0 is a multiple of 2^e. */
export function lowestBitExponent(value: number): number {
  scratch[0] = value
  const exponent = Math.max((words[1] >>> 20) & 0x7ff, 1) - 1_075
  if (words[0] !== 0) return exponent + trailingZeros(words[0])
  const high = words[1] & 0xfffff
  return exponent + 32 + (high === 0 ? 20 : trailingZeros(high))
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word)
}
