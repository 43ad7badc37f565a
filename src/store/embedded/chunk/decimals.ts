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

/** So many values, evenly spread, tell how many decimals a column has. */
const PROBES = 64

/** The whole number n with n / 10^decimals exactly this double, or undefined when there is none. */
export function decimalInteger(value: number, decimals: number): number | undefined {
  const scale = powersOf10[decimals]
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

/** The fewest decimals with which every value is a whole number when scaled, if any. */
export function fewestDecimals(values: Float64Array): number | undefined {
  let decimals = 0
  for (const value of values) {
    while (decimals <= DECIMALS_MAX && decimalInteger(value, decimals) === undefined) decimals++
  }
  const isAll = values.every((value) => decimalInteger(value, decimals) !== undefined)
  return decimals <= DECIMALS_MAX && isAll ? decimals : undefined
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
