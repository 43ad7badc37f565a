import { crc32 } from 'node:zlib'
import type { SampleColumns } from '../../ports/sample-port.ts'
import {
  CHUNK_SAMPLES_MAX,
  concatColumns,
  DamagedBytes,
  decodeChunk,
  encodeChunk,
  mergeColumns,
  namesOwner,
  sliceColumns,
} from '../chunk/index.ts'
import { summarizeChunk } from '../summary/index.ts'
import { packLastValue } from './last-value.ts'

/** A run waits to be merged and may overlap others; chunks of one stream never overlap. */
export const RUN_LEVEL = 0
export const CHUNK_LEVEL = 1
/** What does not decode is kept aside, out of every read. */
export const DAMAGED_LEVEL = 9

/** Long texts end a chunk early, so that no row becomes a burden to read. */
const TEXT_LENGTH_PER_CHUNK_MAX = 256 * 1024

/**
 * A shorter chunk of numbers gets no summary: most are soon taken up by the next, and to sum up takes longer than all
 * else that is done to write one.
 */
const SUMMARIZED_MIN = 1_024

/** The columns of the list of a stream's rows. */
export interface ChunkPlace {
  readonly id: number
  readonly start: number
  /** The time of the last sample, which belongs to the chunk. */
  readonly last: number
  readonly count: number
}

/** A row as it was found, which a change of it takes out of the sum of its stream. */
export interface FoundRow extends ChunkPlace {
  readonly stream: number
  readonly level: number
}

/** A row with its packed samples. */
export interface ChunkRow extends ChunkPlace {
  readonly level: number
  readonly summary: Uint8Array | null
  readonly data: Uint8Array
}

/** A row to insert. */
export interface PackedChunk {
  readonly start: number
  readonly last: number
  readonly count: number
  readonly lastValue: Uint8Array | null
  readonly summary: Uint8Array | null
  readonly data: Uint8Array
}

/** Packs at most CHUNK_SAMPLES_MAX samples for a row. */
export function packChunk(columns: SampleColumns, stream: number, level: number): PackedChunk {
  const { count, times } = columns
  const isRun = level === RUN_LEVEL
  const place = { start: times[0], last: times[count - 1], count }
  const data = encodeChunk(columns, { stream, isRun })
  const isSummarized = !isRun && (count >= SUMMARIZED_MIN || columns.texts !== undefined)
  const summary = isSummarized
    ? summarizeChunk(columns, data.length, placeSeed({ stream, ...place }))
    : undefined
  return {
    ...place,
    data,
    lastValue: packLastValue(columns, stream),
    summary: summary === undefined || summary.length === 0 ? null : summary,
  }
}

/** What the table itself, not its index, says of a row's owner. */
type OwnerLookup = (id: number) => { stream: number; level: number } | undefined

/**
 * The samples of a row that was found under a stream. Throws DamagedBytes where they do not check, or
 * say themselves that they are of another stream, level or time than the row was found under.
 */
export function decodeRow(
  row: ChunkPlace & { readonly level: number; readonly data: Uint8Array },
  stream: number,
  ownerInTable: OwnerLookup,
  form: { readonly isTimesOnly?: boolean } = {},
): SampleColumns {
  const { level, start, last, count } = row
  if (!(row.data instanceof Uint8Array)) throw new DamagedBytes('Cannot read chunk: it is no bytes')
  const claim = { stream, isRun: level === RUN_LEVEL, start, last, count }
  const columns = decodeChunk(row.data, claim, form)
  if (namesOwner(row.data)) return columns
  const owner = ownerInTable(row.id)
  if (owner?.stream === stream && owner.level === level) return columns
  throw new DamagedBytes('Cannot read chunk: table and index do not agree on its owner')
}

/** Whether decodeRow() gives the samples of a row. */
export function isDecoded(...args: Parameters<typeof decodeRow>): boolean {
  try {
    decodeRow(...args)
    return true
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    return false
  }
}

const seedView = new DataView(new ArrayBuffer(28))

/** What the checksum of a summary begins with, so that it checks in its own row only. */
export function placeSeed(place: Omit<ChunkPlace, 'id'> & { readonly stream: number }): number {
  seedView.setUint32(0, place.stream, true)
  seedView.setFloat64(4, place.start, true)
  seedView.setFloat64(12, place.last, true)
  seedView.setFloat64(20, place.count, true)
  return crc32(seedView)
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
  const isPiece = older.count > 0 && older.count <= CHUNK_SAMPLES_MAX
  const isNext = isPiece && older.times[older.count - 1] < newer.times[0]
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
