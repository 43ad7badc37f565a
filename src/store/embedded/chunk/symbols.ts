import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BitReader, BitWriter, bitLength } from './bits.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'

const RAW = 0
const CONSTANT = 1
const PACKED = 2
const ZSTD = 3

/** Below this the frame around zstd's output eats what it saves. */
const ZSTD_SYMBOLS_MIN = 64

/**
 * Long matches only: short ones cost more than Huffman codes on noise, which is what the last digits
 * of a sensor are (random walk: 0.347 B/sample instead of 0.388, and faster to write and to read).
 */
const zstdParams = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_minMatch]: 7 }

/** Writes bytes of unknown length in whichever form is smallest; the reader has to know the count. */
export function writeSymbols(writer: ByteWriter, symbols: Uint8Array): void {
  const histogram = new Uint32Array(256)
  let max = 0
  for (const symbol of symbols) {
    histogram[symbol]++
    if (symbol > max) max = symbol
  }
  if (symbols.length > 0 && histogram[symbols[0]] === symbols.length) {
    writer.u8(CONSTANT)
    writer.u8(symbols[0])
    return
  }
  const width = bitLength(max)
  const packedBytes = Math.ceil((symbols.length * width) / 8)
  if (symbols.length >= ZSTD_SYMBOLS_MIN && mayPay(histogram, symbols.length, packedBytes)) {
    const squeezed = zstdCompressSync(symbols, { params: zstdParams })
    if (squeezed.length < packedBytes) {
      writer.u8(ZSTD)
      writer.varint(squeezed.length)
      writer.bytes(squeezed)
      return
    }
  }
  if (width === 8) {
    writer.u8(RAW)
    writer.bytes(symbols)
    return
  }
  writer.u8(PACKED)
  writer.u8(width)
  const bits = new BitWriter(packedBytes + 1)
  for (const symbol of symbols) bits.write(symbol, width)
  writer.bytes(bits.finish())
}

/** Whether zstd can beat packing: by frequencies alone, or because patterns may repeat. */
function mayPay(histogram: Uint32Array, count: number, packedBytes: number): boolean {
  let bits = 0
  for (const times of histogram) if (times > 0) bits += times * Math.log2(count / times)
  return bits / 8 < packedBytes || count >= ZSTD_SYMBOLS_MIN * 4
}

/** Reads so many symbols; what it returns may share memory with the input. */
export function readSymbols(reader: ByteReader, count: number): Uint8Array {
  const form = reader.u8()
  if (form === RAW) return reader.bytes(count)
  if (form === CONSTANT) return new Uint8Array(count).fill(reader.u8())
  if (form === PACKED) return readPacked(reader, count)
  if (form !== ZSTD) throw new DamagedBytes(`symbols are in the unknown form ${form}`)
  const squeezed = reader.bytes(reader.varint())
  const symbols = zstdDecompressSync(squeezed, { maxOutputLength: Math.max(count, 1) })
  if (symbols.length !== count) throw new DamagedBytes('symbols are missing')
  return symbols
}

function readPacked(reader: ByteReader, count: number): Uint8Array {
  const width = reader.u8()
  if (width > 8) throw new DamagedBytes(`symbols are ${width} bits wide`)
  const bits = new BitReader(reader.bytes(Math.ceil((count * width) / 8)))
  const symbols = new Uint8Array(count)
  for (let index = 0; index < count; index++) symbols[index] = bits.read(width)
  return symbols
}
