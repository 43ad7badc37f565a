import type { SampleColumns } from '../../sample-port.ts'
import {
  CHUNK_SAMPLES_MAX,
  concatColumns,
  encodeChunk,
  mergeColumns,
  sliceColumns,
} from '../chunk/index.ts'
import { summarizeChunk } from '../summary/index.ts'

/** A run waits to be merged and may overlap others; chunks of one stream never overlap. */
export const RUN_LEVEL = 0
export const CHUNK_LEVEL = 1
/** What does not decode is kept aside, out of every read. */
export const DAMAGED_LEVEL = 9

/** Longer texts are read from the chunk instead of being kept twice. */
const LAST_TEXT_LENGTH_MAX = 256

/** Long texts end a chunk early, so that no row becomes a burden to read. */
const TEXT_LENGTH_PER_CHUNK_MAX = 256 * 1024

/** What the list of a stream's rows tells. */
export interface ChunkPlace {
  readonly id: number
  readonly start: number
  /** The time of the last sample, which belongs to the chunk. */
  readonly last: number
  readonly count: number
}

/** A row with its packed samples. */
export interface ChunkRow extends ChunkPlace {
  readonly summary: Uint8Array | null
  readonly data: Uint8Array
}

/** A row to insert. */
export interface PackedChunk {
  readonly start: number
  readonly last: number
  readonly count: number
  readonly lastValue: Uint8Array | string | null
  readonly summary: Uint8Array | null
  readonly data: Uint8Array
}

/** Packs at most CHUNK_SAMPLES_MAX samples for a row. */
export function packChunk(columns: SampleColumns, level: number): PackedChunk {
  const { count, times } = columns
  const data = encodeChunk(columns)
  const summary = level === CHUNK_LEVEL ? summarizeChunk(columns, data.length) : undefined
  return {
    ...{ start: times[0], last: times[count - 1], count, data },
    lastValue: packLastValue(columns),
    summary: summary === undefined || summary.length === 0 ? null : summary,
  }
}

function packLastValue({ count, numbers, texts }: SampleColumns): Uint8Array | string | null {
  const text = texts?.[count - 1]
  // Bytes, because SQLite would turn -0 into 0.
  if (text === undefined) return new Uint8Array(Float64Array.of(numbers[count - 1]).buffer)
  return text.length <= LAST_TEXT_LENGTH_MAX ? text : null
}

/** The value that a row keeps beside its samples, or undefined when they have to be decoded. */
export function unpackLastValue(kept: Uint8Array | string | null): number | string | undefined {
  if (kept === null) return undefined
  if (typeof kept === 'string') return kept
  return new DataView(kept.buffer, kept.byteOffset, 8).getFloat64(0, true)
}

/**
 * Parts samples into pieces that each fit a chunk. At the end of a stream all but the last are full,
 * elsewhere they are equal, so that late samples find room.
 */
export function splitColumns(columns: SampleColumns, isAtEnd: boolean): SampleColumns[] {
  const { count } = columns
  const pieces = Math.ceil(count / CHUNK_SAMPLES_MAX)
  const perPiece = isAtEnd ? CHUNK_SAMPLES_MAX : Math.ceil(count / Math.max(pieces, 1))
  const split: SampleColumns[] = []
  for (let start = 0; start < count; ) {
    const end = endOfPiece(columns, start, Math.min(start + perPiece, count))
    split.push(sliceColumns(columns, start, end))
    start = end
  }
  return split
}

/**
 * As splitColumns() of both merged, the newer above the older; newer samples that only follow are
 * not copied but for those that fill up the first piece.
 */
export function splitMerged(
  newer: SampleColumns,
  older: SampleColumns,
  isAtEnd: boolean,
): SampleColumns[] {
  const hasTexts = newer.texts !== undefined || older.texts !== undefined
  const isNext = older.count > 0 && older.times[older.count - 1] < newer.times[0]
  if (!isAtEnd || hasTexts || !isNext) return splitColumns(mergeColumns([newer, older]), isAtEnd)
  const filling = Math.min(CHUNK_SAMPLES_MAX - older.count, newer.count)
  const first = concatColumns([older, sliceColumns(newer, 0, filling)])
  return [first, ...splitColumns(sliceColumns(newer, filling, newer.count), isAtEnd)]
}

function endOfPiece({ texts }: SampleColumns, start: number, endMax: number): number {
  if (texts === undefined) return endMax
  let length = 0
  for (let index = start; index < endMax; index += 1) {
    length += texts[index]?.length ?? 0
    if (length > TEXT_LENGTH_PER_CHUNK_MAX) return Math.max(index, start + 1)
  }
  return endMax
}
