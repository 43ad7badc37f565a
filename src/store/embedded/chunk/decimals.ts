import { PACKABLE_INTEGER_MAX } from './integers.ts'

/** Beyond fifteen digits every double is some decimal, and scaling gains nothing. */
const DECIMALS_MAX = 15

/** One value in sixteen may be an exception, stored as it is. */
const EXCEPTION_SHARE = 16

/** So many values, evenly spread, tell how many decimals a column has. */
const PROBES = 64

/** The whole number n with n / 10^decimals exactly this double, or undefined when there is none. */
export function decimalInteger(value: number, decimals: number): number | undefined {
  const scale = 10 ** decimals
  const integer = Math.round(value * scale)
  if (integer / scale !== value || Math.abs(integer) > PACKABLE_INTEGER_MAX) return undefined
  return integer === 0 && Object.is(value, -0) ? undefined : integer + 0
}

/** The fewest decimals with which nearly all values are whole numbers when scaled, if any. */
export function chooseDecimals(values: Float64Array): number | undefined {
  for (let decimals = fewestForProbes(values); decimals <= DECIMALS_MAX; decimals++) {
    if (fitsNearlyAll(values, decimals)) return decimals
  }
  return undefined
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

function fitsNearlyAll(values: Float64Array, decimals: number): boolean {
  const missesMax = Math.floor(values.length / EXCEPTION_SHARE)
  let misses = 0
  for (let index = 0; index < values.length && misses <= missesMax; index++) {
    if (decimalInteger(values[index], decimals) === undefined) misses++
  }
  return misses <= missesMax
}
