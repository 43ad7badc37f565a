import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { decimalScale, type ScaledColumn, scaleDecimals } from './decimals.ts'
import { readIntegers, writeIntegers } from './integers.ts'
import { readSymbols, writeSymbols } from './symbols.ts'

/** Form bytes below this mean decimals of so many digits. */
const XOR_FORM = 16
const WORDS_PER_PLANE = 4

/** Writes a column of doubles, lossless to the last bit. */
export function writeDoubles(writer: ByteWriter, values: Float64Array): void {
  const scaled = scaleDecimals(values)
  if (scaled === undefined) writeXor(writer, values)
  else writeDecimals(writer, values, scaled)
}

/** Reads a column that writeDoubles wrote. */
export function readDoubles(reader: ByteReader, count: number): Float64Array {
  const form = reader.u8()
  if (form < XOR_FORM) return readDecimals(reader, count, form)
  if (form === XOR_FORM) return readXor(reader, count)
  throw new DamagedBytes(`doubles are in the unknown form ${form}`)
}

/** Scaled integers; what does not scale (a -0, a rare long fraction) is listed apart as it is. */
function writeDecimals(
  writer: ByteWriter,
  values: Float64Array,
  { decimals, integers, exceptions }: ScaledColumn,
): void {
  writer.u8(decimals)
  writeIntegers(writer, integers)
  writer.varint(exceptions.length)
  let indexBefore = 0
  for (const index of exceptions) {
    writer.varint(index - indexBefore)
    writer.f64(values[index])
    indexBefore = index
  }
}

function readDecimals(reader: ByteReader, count: number, decimals: number): Float64Array {
  // A quotient of two exact doubles rounds as the decimal text did: the same bits come back.
  const values = readIntegers(reader, count, decimalScale(decimals))
  const exceptions = reader.countUpTo(count)
  let index = 0
  for (let number = 0; number < exceptions; number++) {
    index += reader.varint()
    if (index >= count) throw new DamagedBytes('an exception lies outside the chunk')
    values[index] = reader.f64()
  }
  return values
}

/** Each value XOR the one before, split into eight planes of bytes: planes of zeros cost nothing. */
function writeXor(writer: ByteWriter, values: Float64Array): void {
  const words = new Uint32Array(values.slice().buffer)
  const plane = new Uint8Array(values.length)
  writer.u8(XOR_FORM)
  for (let word = 0; word < 2; word++) {
    for (let byte = 0; byte < WORDS_PER_PLANE; byte++) {
      let before = 0
      for (let index = 0; index < values.length; index++) {
        const current = words[index * 2 + word]
        plane[index] = ((current ^ before) >>> (byte * 8)) & 0xff
        before = current
      }
      writeSymbols(writer, plane)
    }
  }
}

function readXor(reader: ByteReader, count: number): Float64Array {
  const values = new Float64Array(count)
  const words = new Uint32Array(values.buffer)
  for (let word = 0; word < 2; word++) {
    for (let byte = 0; byte < WORDS_PER_PLANE; byte++) {
      const plane = readSymbols(reader, count)
      for (let index = 0; index < count; index++) {
        words[index * 2 + word] |= plane[index] << (byte * 8)
      }
    }
  }
  for (let at = 2; at < words.length; at++) words[at] ^= words[at - 2]
  return values
}
