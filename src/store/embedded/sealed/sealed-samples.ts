import { freeBytes, nextIteration } from '../../../base/index.ts'
import type { Sample, SampleColumns } from '../../ports/sample-port.ts'
import { concatColumns, cutColumns, decodedTextBytes, sliceColumns } from '../chunk/index.ts'
import { applyMask } from '../head/apply-mask.ts'
import type { ReadSpan } from '../head/head.ts'
import { copyColumns } from '../head/sample-sink.ts'
import { type Mask, touchesMask } from '../head/tombstones.ts'
import type { ChunkPlace, ChunkRow } from '../rows/chunk-row.ts'
import { unpackLastValue } from '../rows/last-value.ts'
import type { CheckedRows } from './checked-rows.ts'
import { DecodedChunks } from './decoded-chunks.ts'
import { KeptSummaries } from './kept-summaries.ts'
import { NearRuns } from './near-runs.ts'

/** Chunks decoded before other work runs: about a millisecond. */
const CHUNKS_PER_SLICE = 16

/** What a read wants of a stream, and what the head hides of it. */
type SealedView = Pick<SealedRows, 'handle' | 'span' | 'mask'>

/** Packed rows taken in one step, so that they belong together whatever is sealed meanwhile. */
export interface SealedRows {
  readonly handle: number
  readonly span: ReadSpan
  /** What the head hides of them. */
  readonly mask: Mask
  /** Newest first. */
  readonly runs: readonly ChunkRow[]
  /** Oldest first, none overlapping another. */
  readonly chunks: readonly ChunkRow[]
}

/** Reads what is sealed of single streams. */
export class SealedSamples {
  readonly #rows: CheckedRows
  readonly #decoded = new DecodedChunks()
  /** Summaries that folds have read lately. */
  readonly summaries = new KeptSummaries()

  constructor(rows: CheckedRows) {
    this.#rows = rows
  }

  /** How many rows were found not to check; a read during which it rose is to be repeated. */
  get damagedRows(): number {
    return this.#rows.damagedRows
  }

  /** The packed rows that a span may need, in one step. */
  take(handle: number, span: ReadSpan, mask: Mask): SealedRows {
    return this.#rows.inOneView(() => this.#take(handle, span, mask))
  }

  #take(handle: number, span: ReadSpan, mask: Mask): SealedRows {
    const empty = { handle, span, mask, runs: [], chunks: [] }
    if (span.from >= span.until || span.limit === 0) return empty
    const near = new NearRuns(span, mask)
    const runs = this.#rows.runs(handle, span, (places) => near.choose(places))
    let sure = 0
    const wants = (row: ChunkRow): boolean => {
      // Only samples that surely count let the search end before the span does.
      const isInside = row.start >= span.from && row.last < span.until
      if (isInside && !touchesMask(mask, row.start, row.last + 1)) sure += row.count
      return sure < span.limit
    }
    const chunks = this.#rows.chunks(handle, near.span, wants)
    return { ...empty, runs, chunks }
  }

  /** The bytes that the texts of rows take while these are decoded. */
  textBytes({ span, runs, chunks }: Omit<SealedRows, 'handle' | 'mask'>): number {
    if (span.isTimesOnly === true) return 0
    let bytes = 0
    for (const { data } of runs) bytes += decodedTextBytes(data)
    for (const { data } of chunks) bytes += decodedTextBytes(data)
    return bytes
  }

  /** Decodes rows to ascending columns of their own, newest first; returns at once when they are few. */
  decode(rows: SealedRows): SampleColumns[] | Promise<SampleColumns[]> {
    if (rows.chunks.length > CHUNKS_PER_SLICE) return this.#decodeInSlices(rows)
    const chunks = rows.chunks.map((row) => this.decodeChunkRow(rows, row))
    return [...rows.runs.map((row) => this.decodeRow(rows, row)), trim(rows.span, chunks)]
  }

  /** The runs of a span, newest first, and where the chunks below them lie, oldest first. */
  takeApart({ handle, span }: Omit<SealedView, 'mask'>): {
    runs: ChunkRow[]
    places: ChunkPlace[]
  } {
    return this.#rows.inOneView(() => ({
      runs: this.#rows.runs(handle, span),
      places: this.#rows.places(handle, span),
    }))
  }

  /** As decodeRow, for a chunk, which may be at hand from an earlier read. */
  decodeChunkRow(view: SealedView, row: ChunkRow): SampleColumns {
    const kept = this.#decoded.get(view.handle, row)
    const decoded = kept ?? this.#rows.decode(view.handle, row, view.span)
    const isWhole = decoded.count > 0 && view.span.isTimesOnly !== true
    if (kept === undefined && isWhole) this.#decoded.keep(view.handle, row.id, decoded)
    return applyMask(cutColumns(decoded, view.span.from, view.span.until), view.mask)
  }

  /** Hands over the samples of a chunk, as decodeChunkRow gives them. Afterwards their memory is given back. */
  visitChunkRow(view: SealedView, row: ChunkRow, visit: (columns: SampleColumns) => void): void {
    const kept = this.#decoded.get(view.handle, row)
    const decoded = kept ?? this.#rows.decode(view.handle, row, view.span)
    visit(applyMask(cutColumns(decoded, view.span.from, view.span.until), view.mask))
    if (kept !== undefined) return
    freeBytes(decoded.times)
    freeBytes(decoded.numbers)
  }

  /** The samples of one row inside the span that the head does not hide. */
  decodeRow(view: SealedView, row: ChunkRow): SampleColumns {
    const decoded = this.#rows.decode(view.handle, row, view.span)
    return applyMask(cutColumns(decoded, view.span.from, view.span.until), view.mask)
  }

  /** The latest sealed sample of a stream, or 'damaged' where the row that held it does not check. */
  latest(
    handle: number,
    form?: { readonly isTimesOnly?: boolean },
  ): Sample | undefined | 'damaged' {
    return this.#rows.inOneView(() => this.#latest(handle, form))
  }

  #latest(
    handle: number,
    form: { readonly isTimesOnly?: boolean } | undefined,
  ): Sample | undefined | 'damaged' {
    const row = this.#rows.last(handle)
    if (row === undefined) return undefined
    if (row === null) return 'damaged'
    const kept = unpackLastValue(row.lastValue, handle, row.last)
    if (kept !== undefined) return { time: row.last, value: kept } as Sample
    const data = this.#rows.data(row.id)
    if (data === undefined) return 'damaged'
    // What the samples say of themselves is compared with the place.
    const { count, texts, numbers } = this.#rows.decode(handle, { ...row, data }, form)
    if (count === 0) return 'damaged'
    return { time: row.last, value: texts?.[count - 1] ?? numbers[count - 1] } as Sample
  }

  async #decodeInSlices(rows: SealedRows): Promise<SampleColumns[]> {
    const parts = rows.runs.map((row) => this.decodeRow(rows, row))
    const chunks: SampleColumns[] = []
    for (const row of rows.chunks) {
      if (chunks.length % CHUNKS_PER_SLICE === CHUNKS_PER_SLICE - 1) await nextIteration()
      chunks.push(this.decodeRow(rows, row))
    }
    return [...parts, concatColumns(chunks)]
  }
}

/** Samples of chunks, which may be kept decoded, as a copy. */
function trim(span: ReadSpan, chunks: readonly SampleColumns[]): SampleColumns {
  const all = concatColumns(chunks)
  const isKept = chunks.includes(all)
  if (all.count <= span.limit) return isKept ? copyColumns(all) : all
  const first = span.isLatestFirst ? all.count - span.limit : 0
  const trimmed = copyColumns(sliceColumns(all, first, first + span.limit))
  if (isKept) return trimmed
  freeBytes(all.times)
  freeBytes(all.numbers)
  return trimmed
}
