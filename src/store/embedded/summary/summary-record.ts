import { crc32 } from 'node:zlib'
import type { SampleColumns, WindowStatistic } from '../../ports/sample-port.ts'
import { BitReader, BitWriter } from '../chunk/bits.ts'
import { ByteReader } from '../chunk/byte-reader.ts'
import { ByteWriter } from '../chunk/byte-writer.ts'
import { DamagedBytes } from '../chunk/damaged-bytes.ts'
import { foldColumns, SummaryFold } from './summary-fold.ts'
import { BLOCKS_MAX, ReusedTable, SummaryTable } from './summary-table.ts'
import { readTextEnds, writeTextEnds } from './text-ends.ts'
import { readTimes, writeTimes } from './time-columns.ts'
import { readValues, writeValues } from './value-columns.ts'

/** First byte of every record; docs/format/summary.md describes each version. */
const SUMMARY_VERSION = 2
/** Its checksum does not cover the owner of the record. */
const NAMELESS_VERSION = 1
const CRC_BYTES = 4

/** Fewer samples are as quickly decoded as their summary is read. */
const SUMMARY_SAMPLES_MIN = 128

/** What a summary may add to the bytes of its chunk. */
const BYTES_SHARE_MAX = 0.15

const MINUTE_MS = 60_000

/** A record is packed before another begins, so these serve all; finish() gives a copy. */
const scratch = { header: new ByteWriter(), bits: new BitWriter(), writer: new ByteWriter() }

/**
 * Block lengths and how many samples one must hold on average to be worth its 9 bytes. Hours serve
 * most questions, so they are taken early; shorter blocks only where they cost next to nothing.
 */
const blockChoices = [
  { minutes: 15, samplesMin: 512 },
  { minutes: 30, samplesMin: 512 },
  { minutes: 60, samplesMin: 128 },
  ...[120, 180, 240, 360, 720, 1_440].map((minutes) => ({ minutes, samplesMin: 256 })),
]

/**
 * The summary record of a chunk: blocks of equal length aligned to UTC, as fine as fits the share of
 * the chunk's bytes, or one block for all. Empty where decoding the chunk is the better way (few
 * samples, very small chunks, long texts, sums beyond the doubles). The checksum begins with `seed`,
 * which stands for the place that the record belongs to.
 */
export function summarizeChunk(columns: SampleColumns, chunkBytes: number, seed = 0): Uint8Array {
  if (columns.count < SUMMARY_SAMPLES_MIN) return new Uint8Array(0)
  for (let choice = 0; choice <= blockChoices.length; choice++) {
    const edges = blockEdges(columns, choice)
    if (edges === undefined) continue
    const fold = new SummaryFold(edges)
    foldColumns(columns, fold)
    const record = encodeSummary(fold, seed)
    if (record.length <= chunkBytes * BYTES_SHARE_MAX) return record
  }
  return new Uint8Array(0)
}

/** Packs the rows of a table that hold samples, which must be in the order of time. */
function encodeSummary(table: SummaryTable, seed = 0): Uint8Array {
  const rows: number[] = []
  for (let row = 0; row < table.length; row++) if (table.count[row] > 0) rows.push(row)
  const { header, bits, writer } = scratch
  header.clear()
  bits.clear()
  const record = { header, bits }
  header.varint(rows.length)
  if (rows.length === 0) return new Uint8Array(0)
  writeTimes(record, table, rows)
  const isWritten = writeTextEnds(header, table, rows) && writeValues(record, table, rows)
  if (!isWritten) return new Uint8Array(0)
  writer.clear()
  writer.u8(SUMMARY_VERSION)
  writer.varint(header.length)
  writer.bytes(header.view())
  writer.bytes(bits.finish())
  writer.u32(crc32(writer.view(), seed))
  return writer.finish()
}

/** Whether a record's checksum covers its owner; that of version 1 does not. */
export function isSummaryBound(bytes: Uint8Array): boolean {
  return bytes[0] !== NAMELESS_VERSION
}

/**
 * The blocks of a record, undefined for an empty one; throws DamagedBytes when it does not check or
 * was written with another seed.
 */
export function readSummary(bytes: Uint8Array, seed = 0): SummaryTable | undefined {
  return readRecord(bytes, { seed, begin: (length) => new SummaryTable(length) })
}

const reused = new ReusedTable()

/** As readSummary(), of what one statistic needs. The table is valid until the next call. */
export function readStatistic(
  bytes: Uint8Array,
  seed: number,
  only: WindowStatistic,
): SummaryTable | undefined {
  return readRecord(bytes, {
    seed,
    only,
    begin(length) {
      reused.begin(length)
      return reused
    },
  })
}

interface RecordForm {
  readonly seed: number
  readonly only?: WindowStatistic
  /** The table to read into. */
  readonly begin: (length: number) => SummaryTable
}

function readRecord(
  bytes: Uint8Array,
  { seed, only, begin }: RecordForm,
): SummaryTable | undefined {
  if (bytes.length === 0) return undefined
  const end = bytes.length - CRC_BYTES
  if (end < CRC_BYTES) throw new DamagedBytes('Cannot read summary: it is too short')
  const isSeeded = isSummaryBound(bytes)
  const isIntact = crc32(bytes.subarray(0, end), isSeeded ? seed : 0) === readCrc(bytes, end)
  if (!isIntact) throw new DamagedBytes('Cannot read summary: its checksum differs')
  const reader = new ByteReader(bytes, { start: 0, end })
  const version = reader.u8()
  if (version !== SUMMARY_VERSION && version !== NAMELESS_VERSION) {
    throw new DamagedBytes(`Cannot read summary: version ${version} is unknown`)
  }
  const header = new ByteReader(reader.bytes(reader.varint()))
  const record = { header, bits: new BitReader(reader.bytes(reader.remaining)) }
  const table = begin(header.countUpTo(BLOCKS_MAX))
  readTimes(record, table, only)
  const texts = readTextEnds(header, table)
  readValues(record, table, only)
  record.bits.finish()
  for (const { row, first, last } of texts) {
    if (first !== undefined) table.first[row] = first
    if (last !== undefined) table.last[row] = last
  }
  return table
}

function readCrc(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}

/** Edges of blocks, finest first, undefined where they cannot pay; the last choice is one for all. */
function blockEdges({ times, count }: SampleColumns, choice: number): Float64Array | undefined {
  const from = times[0]
  const until = times[count - 1] + 1
  if (choice === blockChoices.length) return Float64Array.of(from, until)
  const { minutes, samplesMin } = blockChoices[choice]
  if (count * minutes * MINUTE_MS < samplesMin * (until - from)) return undefined
  const blockMs = minutes * MINUTE_MS
  const start = Math.floor(from / blockMs) * blockMs
  const edges = new Float64Array(Math.ceil((until - start) / blockMs) + 1)
  for (let block = 0; block < edges.length; block++) edges[block] = start + block * blockMs
  return edges
}
