import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BitReader, BitWriter, bitLength } from './bits.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { decodeEntropy, encodeEntropy } from './entropy.ts'

const RAW = 0
const CONSTANT = 1
const PACKED = 2
const ZSTD = 3
const ENTROPY = 4

/** Below this a table of frequencies or a frame eats what it saves. */
const SQUEEZE_SYMBOLS_MIN = 48

/**
 * Long matches only. The last digits of a sensor are noise, on which short matches cost more than Huffman codes. On a
 * random walk: 0.347 instead of 0.388 bytes per sample, and faster to write and to read.
 */
const zstdParams = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_minMatch]: 7 }

/** zstd reads slower than our own table, so it has to save this much: then patterns repeat. */
const ZSTD_GAIN = 0.9

/** zstd is tried only if at least one symbol in this many repeats earlier ones. */
const REPEAT_SHARE = 64

/** With fewer symbols for each share in the table, zstd's table may be the smaller one. */
const SYMBOLS_PER_SHARE_MIN = 16

/** What a symbol takes in the table at least, with the gap in front of it. */
const BITS_PER_SHARE_MIN = 2
/** What a symbol takes there where many share it. */
const BITS_PER_SHARE = 6

const histogramScratch = new Uint32Array(256)
const oddScratch = new Uint32Array(256)
const windowsScratch = new Int32Array(4_096)

/** Writes bytes in whichever form is smallest, or is written quickly; the reader has to know their count. */
export function writeSymbols(writer: ByteWriter, symbols: Uint8Array): void {
  if (writer.isBrief || symbols.length < SQUEEZE_SYMBOLS_MIN) {
    writePlain(writer, symbols)
    return
  }
  const histogram = countSymbols(symbols)
  if (histogram[symbols[0]] === symbols.length) {
    writeConstant(writer, symbols[0])
    return
  }
  let max = 255
  while (max > 0 && histogram[max] === 0) max--
  const width = bitLength(max)
  const packedBytes = Math.ceil((symbols.length * width) / 8)
  if (!isNoise(symbols, histogram, packedBytes)) {
    const squeezed = squeeze(symbols, histogram)
    if (squeezed.bytes.length + 2 < packedBytes) {
      writer.u8(squeezed.form)
      writer.varint(squeezed.bytes.length)
      writer.bytes(squeezed.bytes)
      return
    }
  }
  writePacked(writer, symbols, width)
}

/** Symbols that get no table are not counted either, which would take longer than writing them. */
function writePlain(writer: ByteWriter, symbols: Uint8Array): void {
  const [first] = symbols
  let isConstant = symbols.length > 0
  let max = 0
  for (let index = 0; index < symbols.length; index++) {
    const symbol = symbols[index]
    if (symbol !== first) isConstant = false
    if (symbol > max) max = symbol
  }
  if (isConstant) writeConstant(writer, first)
  else writePacked(writer, symbols, bitLength(max))
}

function writeConstant(writer: ByteWriter, symbol: number): void {
  writer.u8(CONSTANT)
  writer.u8(symbol)
}

/**
 * Whether neither frequencies nor repeats can save anything, as in the low bytes of long fractions: decided
 * from the chance that two symbols are equal, which bounds what each takes from below.
 */
function isNoise(symbols: Uint8Array, histogram: Uint32Array, packedBytes: number): boolean {
  const count = symbols.length
  let distinct = 0
  let equalPairs = 0
  for (let symbol = 0; symbol < 256; symbol++) {
    const times = histogram[symbol]
    if (times > 0) distinct++
    equalPairs += times * times
  }
  const bitsMin = Math.log2((count * count) / equalPairs)
  const bytesMin = (count * bitsMin + distinct * BITS_PER_SHARE_MIN) / 8
  return bytesMin >= packedBytes && !hasRepeats(symbols)
}

/** How often each symbol occurs; valid until the next call. */
function countSymbols(symbols: Uint8Array): Uint32Array {
  const histogram = histogramScratch.fill(0)
  const others = oddScratch.fill(0)
  const length = symbols.length
  // Two counts take turns: adding to the one just written would wait for it.
  for (let index = 1; index < length; index += 2) {
    histogram[symbols[index - 1]]++
    others[symbols[index]]++
  }
  if (length % 2 === 1) histogram[symbols[length - 1]]++
  for (let symbol = 0; symbol < 256; symbol++) histogram[symbol] += others[symbol]
  return histogram
}

function squeeze(
  symbols: Uint8Array,
  histogram: Uint32Array,
): { readonly form: number; readonly bytes: Uint8Array } {
  const byFrequency = encodeEntropy(symbols, histogram)
  if (isTableCheap(symbols, histogram, byFrequency.length) && !hasRepeats(symbols)) {
    return { form: ENTROPY, bytes: byFrequency }
  }
  const byPattern = zstdCompressSync(symbols, { params: zstdParams })
  return byPattern.length < byFrequency.length * ZSTD_GAIN
    ? { form: ZSTD, bytes: byPattern }
    : { form: ENTROPY, bytes: byFrequency }
}

/** Whether the table of frequencies, even if zstd's took nothing, is too small for zstd to gain enough. */
function isTableCheap(
  symbols: Uint8Array,
  histogram: Uint32Array,
  bytesByFrequency: number,
): boolean {
  let distinct = 0
  for (let symbol = 0; symbol < 256; symbol++) if (histogram[symbol] > 0) distinct++
  if (symbols.length >= distinct * SYMBOLS_PER_SHARE_MIN) return true
  return distinct * BITS_PER_SHARE <= 8 * bytesByFrequency * (1 - ZSTD_GAIN)
}

/**
 * Whether windows of eight symbols come again often enough for zstd to gain by them: a match costs it
 * about twenty bits, so that shorter ones save next to nothing. Noise, which most sensors end in, is
 * without compressing it.
 */
export function hasRepeats(symbols: Uint8Array): boolean {
  const enough = Math.ceil(symbols.length / REPEAT_SHARE)
  const windows = windowsScratch.fill(0)
  const length = symbols.length
  let repeats = 0
  // Not 0, which the places hold where nothing was seen yet.
  let window = -1
  for (let index = 0; index < length; index++) {
    // Older symbols are shifted out at the top.
    window = (window << 4) ^ symbols[index]
    const place = Math.imul(window, 0x9e3779b1) >>> 20
    if (windows[place] !== window) windows[place] = window
    else if (++repeats >= enough) return true
  }
  return false
}

function writePacked(writer: ByteWriter, symbols: Uint8Array, width: number): void {
  if (width === 8) {
    writer.u8(RAW)
    writer.bytes(symbols)
    return
  }
  writer.u8(PACKED)
  writer.u8(width)
  const bits = new BitWriter(symbols.length + 1)
  for (const symbol of symbols) bits.write(symbol, width)
  writer.bytes(bits.finish())
}

/** Reads `count` symbols; the result may share memory with the input. */
export function readSymbols(reader: ByteReader, count: number): Uint8Array {
  const form = reader.u8()
  if (form === RAW) return reader.bytes(count)
  if (form === CONSTANT) return new Uint8Array(count).fill(reader.u8())
  if (form === PACKED) return readPacked(reader, count)
  if (form === ENTROPY) return decodeEntropy(reader.bytes(reader.varint()), count)
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
