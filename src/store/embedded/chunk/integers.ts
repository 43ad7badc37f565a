import { BitReader, BitWriter, bitLength } from './bits.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { readSymbols, writeSymbols } from './symbols.ts'

/** Whole numbers up to here, of either sign, keep second differences exact in doubles. */
export const PACKABLE_INTEGER_MAX = 2 ** 50

/** Residuals below are symbols of their own; above, a symbol tells size and first bits. */
const DIRECT_MAX = 64

/**
 * Writes a column of whole numbers, none farther from 0 than PACKABLE_INTEGER_MAX. Differences to
 * the first value are divided by their greatest common divisor (sensors with steps of 1/16, clocks
 * with whole seconds), then predicted by nothing, by the value before or by the slope before,
 * whichever leaves least; what is left is a symbol each, plus raw bits for the large ones.
 */
export function writeIntegers(writer: ByteWriter, values: Float64Array): void {
  const first = values.length > 0 ? values[0] : 0
  const divisor = commonDivisor(values)
  writer.zigzag(first)
  writer.varint(divisor)
  if (divisor === 0) return
  const steps = new Float64Array(values.length)
  for (let index = 1; index < values.length; index++) {
    steps[index] = (values[index] - first) / divisor
  }
  const order = cheapestOrder(steps)
  const residuals = takeDifferences(steps, order)
  const symbols = new Uint8Array(residuals.length)
  const bits = new BitWriter()
  for (let index = 0; index < residuals.length; index++) {
    symbols[index] = writeResidual(bits, residuals[index])
  }
  const extra = bits.finish()
  writer.u8(order)
  writer.varint(extra.length)
  writeSymbols(writer, symbols)
  writer.bytes(extra)
}

/** Reads a column that writeIntegers wrote, each value divided by a scale. */
export function readIntegers(reader: ByteReader, count: number, scale = 1): Float64Array {
  const values = new Float64Array(count)
  const first = reader.zigzag()
  const divisor = reader.varint()
  if (divisor === 0) return values.fill(first / scale)
  const order = reader.u8()
  if (order > 2) throw new DamagedBytes(`integers are of the unknown order ${order}`)
  const extraBytes = reader.varint()
  const symbols = readSymbols(reader, Math.max(count - 1, 0))
  const bits = new BitReader(reader.bytes(extraBytes))
  // Order 0 forgets the value before, order 2 carries its slope on: kept is 0 or 1 of each.
  const keptValue = order === 0 ? 0 : 1
  const keptSlope = order === 2 ? 1 : 0
  let value = 0
  let slope = 0
  if (count > 0) values[0] = first / scale
  for (let index = 1; index < count; index++) {
    const symbol = symbols[index - 1]
    const residual =
      symbol < DIRECT_MAX ? (symbol >>> 1) ^ -(symbol & 1) : unfold(readLarge(bits, symbol))
    slope = slope * keptSlope + residual
    value = value * keptValue + slope
    values[index] = (first + value * divisor) / scale
  }
  bits.finish()
  return values
}

/** Undoes the zigzag: even numbers are positive, odd ones negative. */
function unfold(zigzag: number): number {
  return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
}

/** The greatest common divisor of the differences to the first value; 0 when all are equal. */
function commonDivisor(values: Float64Array): number {
  let divisor = 0
  for (let index = 1; index < values.length && divisor !== 1; index++) {
    let other = Math.abs(values[index] - values[0])
    while (other !== 0) [divisor, other] = [other, divisor % other]
  }
  return divisor
}

function cheapestOrder(steps: Float64Array): number {
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

function takeDifferences(steps: Float64Array, order: number): Float64Array {
  const residuals = new Float64Array(Math.max(steps.length - 1, 0))
  let slopeBefore = 0
  for (let index = 1; index < steps.length; index++) {
    const slope = steps[index] - steps[index - 1]
    residuals[index - 1] = order === 0 ? steps[index] : slope - slopeBefore
    if (order === 2) slopeBefore = slope
  }
  return residuals
}

/** The symbol of a residual; a large one's low bits go to the bit stream. */
function writeResidual(bits: BitWriter, residual: number): number {
  const zigzag = residual >= 0 ? residual * 2 : -residual * 2 - 1
  if (zigzag < DIRECT_MAX) return zigzag
  const extraBits = bitLength(zigzag) - 3
  const scale = 2 ** extraBits
  const top = Math.floor(zigzag / scale)
  bits.write(zigzag - top * scale, extraBits)
  return DIRECT_MAX + (extraBits - 4) * 4 + (top - 4)
}

function readLarge(bits: BitReader, symbol: number): number {
  const extraBits = 4 + ((symbol - DIRECT_MAX) >> 2)
  const top = 4 + (symbol & 3)
  if (extraBits < 24) return (top << extraBits) + bits.read(extraBits)
  return top * 2 ** extraBits + bits.read(extraBits)
}
