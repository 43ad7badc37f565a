import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { decimalScale, type ScaledColumn, scaleDecimals } from './decimals.ts'
import { readIntegers, writeIntegers } from './integers.ts'
import { readSymbols, writeSymbols } from './symbols.ts'

/** Form bytes below this are a number of decimals. */
const XOR_FORM = 16
const PLANES_PER_WORD = 4

/** The planes of a chunk live only until they are written. */
const planesScratch = new Uint8Array(PLANES_PER_WORD * 4_096)

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
  const count = values.length
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * count)
  const planes = Array.from({ length: PLANES_PER_WORD }, (_, byte) =>
    planesScratch.length < PLANES_PER_WORD * count
      ? new Uint8Array(count)
      : planesScratch.subarray(byte * count, (byte + 1) * count),
  )
  writer.u8(XOR_FORM)
  for (let word = 0; word < 2; word++) {
    partXors(words, word, planes)
    for (const plane of planes) writeSymbols(writer, plane)
  }
}

function partXors(words: Uint32Array, word: number, planes: readonly Uint8Array[]): void {
  const [plane0, plane1, plane2, plane3] = planes
  let before = 0
  for (let index = 0, at = word; at < words.length; index++, at += 2) {
    const current = words[at]
    const changed = current ^ before
    plane0[index] = changed
    plane1[index] = changed >>> 8
    plane2[index] = changed >>> 16
    plane3[index] = changed >>> 24
    before = current
  }
}

function readXor(reader: ByteReader, count: number): Float64Array {
  const values = new Float64Array(count)
  const words = new Uint32Array(values.buffer)
  for (let word = 0; word < 2; word++) {
    const plane0 = readSymbols(reader, count)
    const plane1 = readSymbols(reader, count)
    const plane2 = readSymbols(reader, count)
    const plane3 = readSymbols(reader, count)
    let before = 0
    for (let index = 0, at = word; index < count; index++, at += 2) {
      const low = plane0[index] | (plane1[index] << 8)
      before ^= low | (plane2[index] << 16) | (plane3[index] << 24)
      words[at] = before
    }
  }
  return values
}
