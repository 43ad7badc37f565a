import { type BitWriter, bitLength } from './bits.ts'

/** Residuals below are symbols of their own; above, a symbol has the size and first bits. */
export const DIRECT_MAX = 64

/**
 * Steps up to here, of either sign, keep second differences below 2^30 in size, and so their zigzag
 * inside 31 bits.
 */
export const NARROW_MAX = 2 ** 28 - 1

/** Where residuals go: a symbol each, one less than values, and the low bits of large ones. */
interface ResidualWriter {
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
  const steps = values.length <= stepsScratch.length ? stepsScratch : new Int32Array(values.length)
  const order = fillSteps(values, divisor, steps)
  if (order === undefined) return undefined
  if (order === 2) takeDifferences(steps, values.length)
  const isDifference = order > 0
  if (!writeSmall(steps, symbols, isDifference)) {
    if (isDifference) takeDifferences(steps, values.length)
    writeAny(steps, symbols, extra)
  }
  return order
}

/** Fills the steps; returns the order whose residuals have the fewest bits, of equals the lowest. */
function fillSteps(values: Float64Array, divisor: number, steps: Int32Array): number | undefined {
  const count = values.length
  const first = values[0]
  // The most leading zeros are the fewest bits.
  let zeros0 = 0
  let zeros1 = 0
  let zeros2 = 0
  let stepBefore = 0
  let slopeBefore = 0
  steps[0] = 0
  for (let index = 1; index < count; index++) {
    const difference = values[index] - first
    const quotient = divisor === 1 ? difference : difference / divisor
    if (quotient > NARROW_MAX || quotient < -NARROW_MAX) return undefined
    const step = quotient | 0
    const slope = (step - stepBefore) | 0
    zeros0 += Math.clz32(Math.abs(step))
    zeros1 += Math.clz32(Math.abs(slope))
    zeros2 += Math.clz32(Math.abs((slope - slopeBefore) | 0))
    steps[index] = step
    stepBefore = step
    slopeBefore = slope
  }
  if (zeros0 >= zeros1 && zeros0 >= zeros2) return 0
  return zeros1 >= zeros2 ? 1 : 2
}

/** Turns steps into what each has more than the one before, in place; the first one stays. */
function takeDifferences(steps: Int32Array, count: number): void {
  let before = 0
  for (let index = 1; index < count; index++) {
    const step = steps[index]
    steps[index] = (step - before) | 0
    before = step
  }
}

/** Writes steps, or their differences, as symbols of their own; false when one is too large. */
function writeSmall(steps: Int32Array, symbols: Uint8Array, isDifference: boolean): boolean {
  const count = symbols.length
  const kept = isDifference ? -1 : 0
  let before = 0
  let seen = 0
  for (let index = 0; index < count; index++) {
    const step = steps[index + 1]
    const residual = (step - before) | 0
    const zigzag = (residual << 1) ^ (residual >> 31)
    before = step & kept
    seen |= zigzag
    symbols[index] = zigzag
  }
  return seen >>> 0 < DIRECT_MAX
}

function writeAny(residuals: Int32Array, symbols: Uint8Array, extra: BitWriter): void {
  for (let index = 0; index < symbols.length; index++) {
    const residual = residuals[index + 1]
    const zigzag = (residual << 1) ^ (residual >> 31)
    symbols[index] = zigzag < DIRECT_MAX ? zigzag : writeLarge(extra, zigzag)
  }
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
