import { type BitWriter, bitLength } from './bits.ts'

/** Residuals below are symbols of their own; above, a symbol tells size and first bits. */
export const DIRECT_MAX = 64

/** Steps up to here, of either sign, keep second differences and their zigzag inside 32 bits. */
const NARROW_MAX = 2 ** 28

/** Where residuals go: a symbol each, one less than values, and the low bits of large ones. */
export interface ResidualWriter {
  readonly symbols: Uint8Array
  readonly extra: BitWriter
}

const stepsScratch = new Int32Array(4_096)

/**
 * Parts values into residuals of the cheapest order, which it returns, in 32-bit integers; writes
 * nothing and returns undefined when these could overflow. The divisor divides all differences to
 * the first value.
 */
export function packNarrow(
  values: Float64Array,
  divisor: number,
  { symbols, extra }: ResidualWriter,
): number | undefined {
  const steps = narrowSteps(values, divisor)
  if (steps === undefined) return undefined
  const order = cheapestNarrow(steps, values.length)
  let stepBefore = 0
  let slopeBefore = 0
  for (let index = 1; index < values.length; index++) {
    const step = steps[index]
    const slope = step - stepBefore
    const residual = order === 0 ? step : slope - slopeBefore
    if (order === 2) slopeBefore = slope
    stepBefore = step
    const zigzag = (residual << 1) ^ (residual >> 31)
    symbols[index - 1] = zigzag < DIRECT_MAX ? zigzag : writeLarge(extra, zigzag)
  }
  return order
}

function narrowSteps(values: Float64Array, divisor: number): Int32Array | undefined {
  const steps = values.length <= stepsScratch.length ? stepsScratch : new Int32Array(values.length)
  const first = values[0]
  for (let index = 0; index < values.length; index++) {
    const difference = values[index] - first
    const step = divisor === 1 ? difference : difference / divisor
    if (step > NARROW_MAX || step < -NARROW_MAX) return undefined
    steps[index] = step
  }
  return steps
}

/** As cheapestWide(): the most leading zeros are the fewest bits. */
function cheapestNarrow(steps: Int32Array, count: number): number {
  let zeros0 = 0
  let zeros1 = 0
  let zeros2 = 0
  let stepBefore = 0
  let slopeBefore = 0
  for (let index = 1; index < count; index++) {
    const step = steps[index]
    const slope = step - stepBefore
    zeros0 += Math.clz32(Math.abs(step))
    zeros1 += Math.clz32(Math.abs(slope))
    zeros2 += Math.clz32(Math.abs(slope - slopeBefore))
    stepBefore = step
    slopeBefore = slope
  }
  if (zeros0 >= zeros1 && zeros0 >= zeros2) return 0
  return zeros1 >= zeros2 ? 1 : 2
}

/** As packNarrow(), for whole numbers of any size that can be packed. */
export function packWide(
  values: Float64Array,
  divisor: number,
  { symbols, extra }: ResidualWriter,
): number {
  const steps = new Float64Array(values.length)
  for (let index = 1; index < values.length; index++) {
    steps[index] = (values[index] - values[0]) / divisor
  }
  const order = cheapestWide(steps)
  let slopeBefore = 0
  for (let index = 1; index < steps.length; index++) {
    const slope = steps[index] - steps[index - 1]
    const residual = order === 0 ? steps[index] : slope - slopeBefore
    if (order === 2) slopeBefore = slope
    const zigzag = residual >= 0 ? residual * 2 : -residual * 2 - 1
    symbols[index - 1] = zigzag < DIRECT_MAX ? zigzag : writeLarge(extra, zigzag)
  }
  return order
}

function cheapestWide(steps: Float64Array): number {
  const costs = [0, 0, 0]
  let slopeBefore = 0
  for (let index = 1; index < steps.length; index++) {
    const slope = steps[index] - steps[index - 1]
    costs[0] += bitLength(Math.abs(steps[index]))
    costs[1] += bitLength(Math.abs(slope))
    costs[2] += bitLength(Math.abs(slope - slopeBefore))
    slopeBefore = slope
  }
  return costs.indexOf(Math.min(...costs))
}

/** The symbol of a large residual, whose low bits go to the bit stream. */
function writeLarge(extra: BitWriter, zigzag: number): number {
  const extraBits = bitLength(zigzag) - 3
  const scale = 2 ** extraBits
  const top = Math.floor(zigzag / scale)
  extra.write(zigzag - top * scale, extraBits)
  return DIRECT_MAX + (extraBits - 4) * 4 + (top - 4)
}
