import { crc32 } from 'node:zlib'
import { type EpochMs, epochMs, invariant } from '../../../base/plain.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { readDoubles, writeDoubles } from './doubles.ts'
import { readIntegers, writeIntegers } from './integers.ts'
import { countTextBytes, readTexts, writeTexts } from './texts.ts'

/** The most samples a chunk holds: 50 µs to decode, and compression gains little beyond. */
export const CHUNK_SAMPLES_MAX = 4_096

/** First byte of every chunk; docs/format/chunk.md describes each version. */
const CHUNK_VERSION = 2
/** Names no stream and no level. */
const NAMELESS_VERSION = 1
const TEXTS_FLAG = 1
const REGULAR_FLAG = 2
const RUN_FLAG = 4
const CRC_BYTES = 4

/** Packing ends before another begins, so one writer serves all; finish() gives a copy. */
const writer = new ByteWriter(4 * CHUNK_SAMPLES_MAX)

/** Whose samples a chunk holds, written inside its checksum. */
export interface ChunkOwner {
  readonly stream: number
  /** A run waits to be merged with others. */
  readonly isRun: boolean
}

/** Known facts about a chunk, compared with its contents. */
interface ChunkClaim extends ChunkOwner {
  readonly start: number
  readonly last: number
  readonly count: number
}

/** The facts that a chunk has without decoding. */
interface ChunkInfo {
  /** Undefined in a chunk of version 1. */
  readonly owner: ChunkOwner | undefined
  readonly count: number
  readonly firstTime: EpochMs
  readonly lastTime: EpochMs
  readonly hasTexts: boolean
}

/** Packs 1 to CHUNK_SAMPLES_MAX samples whose times strictly ascend, lossless to the last bit. */
export function encodeChunk(columns: SampleColumns, owner: ChunkOwner): Uint8Array {
  const { count, texts } = columns
  invariant(count > 0 && count <= CHUNK_SAMPLES_MAX, `a chunk of ${count} samples`)
  const times = columns.times.subarray(0, count)
  const hasTexts = texts?.some((text, index) => index < count && text !== undefined) ?? false
  const isRegular = isRegularlySpaced(times)
  writer.clear()
  writer.isBrief = owner.isRun
  writer.u8(CHUNK_VERSION)
  const form = (hasTexts ? TEXTS_FLAG : 0) | (isRegular ? REGULAR_FLAG : 0)
  writer.u8(form | (owner.isRun ? RUN_FLAG : 0))
  writer.varint(owner.stream)
  writer.varint(count)
  writer.zigzag(times[0])
  writer.varint(times[count - 1] - times[0])
  if (!isRegular) writeIntegers(writer, times)
  if (texts !== undefined && hasTexts) writeTexts(writer, texts, count)
  const numbers = numbersOf(columns, hasTexts)
  if (numbers.length > 0) writeDoubles(writer, numbers)
  writer.u32(crc32(writer.view()))
  return writer.finish()
}

/**
 * Unpacks a chunk; throws DamagedBytes when the bytes are not exactly what encodeChunk gave, or say
 * something else of themselves than the claim does.
 */
export function decodeChunk(
  bytes: Uint8Array,
  claim?: ChunkClaim,
  { isTimesOnly = false } = {},
): SampleColumns {
  const { info, isRegular, reader } = openChunk(bytes)
  if (claim !== undefined) checkClaim(info, claim)
  try {
    const { count } = info
    const times = isRegular ? regularTimes(info) : readIntegers(reader, count)
    if (isTimesOnly) return { count, times, numbers: new Float64Array(count) }
    const texts = info.hasTexts ? readTexts(reader, count) : undefined
    if (texts === undefined) return { count, times, numbers: readDoubles(reader, count) }
    return { count, times, numbers: readNumbersAmong(reader, texts), texts }
  } catch (cause) {
    throw new DamagedBytes('Cannot decode chunk: its content does not fit together', { cause })
  }
}

/**
 * The bytes that the texts of a chunk take while it is decoded: as they are packed, plain, and as
 * strings. 0 where it has none, and where it does not check: then nothing of it is decoded.
 */
export function decodedTextBytes(bytes: Uint8Array): number {
  if ((bytes[1] & TEXTS_FLAG) === 0) return 0
  try {
    const { info, isRegular, reader } = openChunk(bytes)
    if (!isRegular) readIntegers(reader, info.count)
    return bytes.length + 2 * countTextBytes(reader, info.count)
  } catch (error) {
    if (error instanceof DamagedBytes) return 0
    throw error
  }
}

function checkClaim({ owner, count, firstTime, lastTime }: ChunkInfo, claim: ChunkClaim): void {
  const isPlace = count === claim.count && firstTime === claim.start && lastTime === claim.last
  const isOwner =
    owner === undefined || (owner.stream === claim.stream && owner.isRun === claim.isRun)
  if (!isPlace || !isOwner) throw new DamagedBytes('Cannot read chunk: it belongs elsewhere')
}

/** Whether a chunk names its stream; one of version 1 does not. */
export function namesOwner(bytes: Uint8Array): boolean {
  return bytes[0] !== NAMELESS_VERSION
}

/** Owner, count, time span and kind of a chunk, after checking its checksum. */
export function chunkInfo(bytes: Uint8Array): ChunkInfo {
  return openChunk(bytes).info
}

function openChunk(bytes: Uint8Array): {
  readonly info: ChunkInfo
  readonly isRegular: boolean
  readonly reader: ByteReader
} {
  const end = bytes.length - CRC_BYTES
  if (end < CRC_BYTES) throw new DamagedBytes('Cannot read chunk: it is too short')
  const isIntact = crc32(bytes.subarray(0, end)) === new ByteReader(bytes.subarray(end)).u32()
  if (!isIntact) throw new DamagedBytes('Cannot read chunk: its checksum differs')
  const reader = new ByteReader(bytes, { start: 0, end })
  const version = reader.u8()
  if (version !== CHUNK_VERSION && version !== NAMELESS_VERSION) {
    throw new DamagedBytes(`Cannot read chunk: version ${version} is unknown`)
  }
  const flags = reader.u8()
  const isRun = (flags & RUN_FLAG) !== 0
  const owner = version === CHUNK_VERSION ? { stream: reader.varint(), isRun } : undefined
  const count = reader.countUpTo(CHUNK_SAMPLES_MAX)
  const firstTime = epochMs(reader.zigzag())
  const lastTime = epochMs(firstTime + reader.varint())
  const hasTexts = (flags & TEXTS_FLAG) !== 0
  const isRegular = (flags & REGULAR_FLAG) !== 0
  return { info: { owner, count, firstTime, lastTime, hasTexts }, isRegular, reader }
}

function isRegularlySpaced(times: Float64Array): boolean {
  const count = times.length
  const step = count > 1 ? times[1] - times[0] : 0
  let before = times[0]
  for (let index = 1; index < count; index++) {
    const time = times[index]
    if (time - before !== step) return false
    before = time
  }
  return true
}

function regularTimes({ count, firstTime, lastTime }: ChunkInfo): Float64Array {
  const times = new Float64Array(count)
  const step = count > 1 ? (lastTime - firstTime) / (count - 1) : 0
  for (let index = 0; index < count; index++) times[index] = firstTime + index * step
  return times
}

/** The numbers of the samples that are no texts, close together. */
function numbersOf(columns: SampleColumns, hasTexts: boolean): Float64Array {
  const numbers = columns.numbers.subarray(0, columns.count)
  return hasTexts ? numbers.filter((_, index) => columns.texts?.[index] === undefined) : numbers
}

function readNumbersAmong(
  reader: ByteReader,
  texts: ReadonlyArray<string | undefined>,
): Float64Array {
  const numbers = new Float64Array(texts.length)
  const numberCount = texts.reduce((sum, text) => (text === undefined ? sum + 1 : sum), 0)
  if (numberCount === 0) return numbers
  const packed = readDoubles(reader, numberCount)
  let at = 0
  for (let index = 0; index < texts.length; index++) {
    if (texts[index] === undefined) numbers[index] = packed[at++]
  }
  return numbers
}
