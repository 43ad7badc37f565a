import { BitReader, BitWriter } from './bits.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { DIRECT_MAX, packNarrow, packWide } from './residuals.ts'
import { readSymbols, writeSymbols } from './symbols.ts'

/** Whole numbers up to here, of either sign, keep second differences exact in doubles. */
export const PACKABLE_INTEGER_MAX = 2 ** 50

/** They hold one column until it is written. */
const symbolsScratch = new Uint8Array(4_096)
const extraScratch = new BitWriter()

/**
 * Writes a column of whole numbers, none farther from 0 than PACKABLE_INTEGER_MAX.
 * 1. The differences to the first value are divided by their greatest common divisor (sensors with steps of 1/16,
 * clocks with whole seconds).
 * 2. They are predicted by nothing, by the value before, or by the slope before, whichever leaves the smallest
 * remainders.
 * 3. Each remainder becomes a symbol, plus raw bits for a large one.
 */
export function writeIntegers(writer: ByteWriter, values: Float64Array): void {
  const first = values.length > 0 ? values[0] : 0
  const divisor = commonDivisor(values)
  writer.zigzag(first)
  writer.varint(divisor)
  if (divisor === 0) return
  const count = values.length - 1
  const symbols =
    count <= symbolsScratch.length ? symbolsScratch.subarray(0, count) : new Uint8Array(count)
  extraScratch.clear()
  const into = { symbols, extra: extraScratch }
  const order = packNarrow(values, divisor, into) ?? packWide(values, divisor, into)
  const extra = extraScratch.finish()
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
    // The quotient of exact doubles this small is whole only where nothing is left over.
    if (divisor !== 0 && Number.isInteger(other / divisor)) continue
    while (other !== 0) [divisor, other] = [other, divisor % other]
  }
  return divisor
}

function readLarge(bits: BitReader, symbol: number): number {
  const extraBits = 4 + ((symbol - DIRECT_MAX) >> 2)
  const top = 4 + (symbol & 3)
  if (extraBits < 24) return (top << extraBits) + bits.read(extraBits)
  return top * 2 ** extraBits + bits.read(extraBits)
}
