import { PACKABLE_INTEGER_MAX } from './integers.ts'

/** Beyond fifteen digits every double is some decimal, and scaling gains nothing. */
const DECIMALS_MAX = 15

/** Powers by literal: `**` does not promise the nearest double. */
const powersOf10 = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]

/** 10^decimals for at most DECIMALS_MAX decimals. */
export function decimalScale(decimals: number): number {
  return powersOf10[decimals]
}

/** One value in sixteen may be an exception, stored as it is. */
const EXCEPTION_SHARE = 16

/** Number of values, evenly spread, that determine the decimals of a column. */
const PROBES = 64

/** Added and taken away again it rounds what is below 2^51 to a whole number. */
const ROUNDING = 1.5 * 2 ** 52

/** A chunk's integers live only until they are packed. */
const scratch = new Float64Array(4_096)

/** The whole number n with n / 10^decimals exactly this double, or undefined when there is none. */
export function decimalInteger(value: number, decimals: number): number | undefined {
  const scale = powersOf10[decimals]
  const integer = Math.round(value * scale)
  if (integer / scale !== value || Math.abs(integer) > PACKABLE_INTEGER_MAX) return undefined
  return integer === 0 && Object.is(value, -0) ? undefined : integer + 0
}

/** A column of doubles as whole numbers, each to be divided by 10^decimals. */
export interface ScaledColumn {
  readonly decimals: number
  /** Valid until the next column is scaled; at an exception it repeats the one before. */
  readonly integers: Float64Array
  /** Where the values are that do not scale. */
  readonly exceptions: readonly number[]
}

/** Scales by the fewest decimals with which nearly all values become whole numbers, if any. */
export function scaleDecimals(values: Float64Array): ScaledColumn | undefined {
  const integers =
    values.length <= scratch.length
      ? scratch.subarray(0, values.length)
      : new Float64Array(values.length)
  for (let decimals = fewestForProbes(values); decimals <= DECIMALS_MAX; decimals++) {
    const exceptions = scaleNearlyAll(values, decimals, integers)
    if (exceptions !== undefined) return { decimals, integers, exceptions }
  }
  return undefined
}

/** The fewest decimals with which every value is a whole number when scaled, if any. */
export function fewestDecimals(values: Float64Array): number | undefined {
  let decimals = 0
  for (let index = 0; index < values.length; index++) {
    while (decimalInteger(values[index], decimals) === undefined) {
      if (++decimals > DECIMALS_MAX) return undefined
    }
  }
  // More decimals may have made a large one too large.
  for (let index = 0; index < values.length; index++) {
    if (decimalInteger(values[index], decimals) === undefined) return undefined
  }
  return decimals
}

function fewestForProbes(values: Float64Array): number {
  const stride = Math.max(1, Math.floor(values.length / PROBES))
  const missesMax = Math.floor(values.length / stride / EXCEPTION_SHARE)
  for (let decimals = 0; decimals <= DECIMALS_MAX; decimals++) {
    let misses = 0
    for (let index = 0; index < values.length && misses <= missesMax; index += stride) {
      if (decimalInteger(values[index], decimals) === undefined) misses++
    }
    if (misses <= missesMax) return decimals
  }
  return DECIMALS_MAX + 1
}

/**
 * Fills the whole numbers and returns the exceptions, undefined when they are too many. Agrees with
 * decimalInteger(): within the packable range no two whole numbers give the same quotient and the
 * product lies within a quarter of the right one, so any rounding to nearest finds it.
 */
function scaleNearlyAll(
  values: Float64Array,
  decimals: number,
  integers: Float64Array,
): number[] | undefined {
  const scale = powersOf10[decimals]
  const count = values.length
  const exceptionsMax = Math.floor(count / EXCEPTION_SHARE)
  const exceptions: number[] = []
  let before = 0
  for (let index = 0; index < count; index++) {
    const value = values[index]
    const integer = value * scale + ROUNDING - ROUNDING
    // A zero may be a -0, which does not scale.
    if (integer / scale !== value || integer === 0 || Math.abs(integer) > PACKABLE_INTEGER_MAX) {
      if (!Object.is(value, 0)) {
        exceptions.push(index)
        if (exceptions.length > exceptionsMax) return undefined
        integers[index] = before
        continue
      }
    }
    before = integer
    integers[index] = integer
  }
  return exceptions
}
