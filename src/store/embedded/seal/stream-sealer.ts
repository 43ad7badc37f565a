import { countBelow, growColumn } from '../../../base/plain.ts'
import { COMPANION_BASE } from '../../fields/companion.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import {
  CHUNK_SAMPLES_MAX,
  concatColumns,
  DamagedBytes,
  emptyColumns,
  mergeColumns,
  sliceColumns,
} from '../chunk/index.ts'
import { damagedIndex } from '../damage/folder-damaged.ts'
import { applyMask } from '../head/apply-mask.ts'
import type { Mask } from '../head/tombstones.ts'
import {
  CHUNK_LEVEL,
  type ChunkPlace,
  DAMAGED_LEVEL,
  decodeRow,
  type FoundRow,
  isDecoded,
  packChunk,
  RUN_LEVEL,
  splitColumns,
  splitMerged,
} from '../rows/chunk-row.ts'
import type { DamagedRow } from '../rows/damaged-row.ts'
import { SEALED_SEGMENT } from '../rows/meta-names.ts'
import type { ChunkTable } from './chunk-table.ts'
import { checkReadBack, isReadBack, type WrittenRow } from './read-back.ts'

/**
 * Runs of a stream are merged at this number of runs, or at a number of samples that depends on its handle: see
 * runSamplesMax().
 */
const RUNS_MAX = 8
const RUN_SAMPLES_MIN = 256
const RUN_SAMPLES_SPREAD = 512

/** The last chunk of a stream is left unchanged at this number of samples. */
const FULL_SAMPLES = 3_072

/** A chunk of no more is taken up by whatever follows: many of these would take more room than work. */
const SMALL_SAMPLES = 512

/** Far more than there are sizes between a small chunk and a full one. */
const TAKEN_UP_MAX = 8

/** Rows deleted between two ends of a step. */
const ROWS_PER_STEP = 500

const UNKNOWN = 255

/** Streams that there is room for at least. */
const STREAMS_MIN = 1024

/** What the owner of the transaction hears. */
interface StreamSealerEvents {
  /** A row was written or deleted. */
  onRow(): void
  /** The rows so far stand by themselves: the transaction may end here. */
  onStep(): void
  onDamage(row: DamagedRow): void
}

/** Brings single streams of samples.db up to date. Every step may be repeated after a crash. */
export class StreamSealer {
  /** After a number of seals: returns which streams are due to merge their runs. */
  passes: number
  readonly #table: ChunkTable
  readonly #onRow: () => void
  readonly #onStep: () => void
  readonly #onDamage: (row: DamagedRow) => void
  readonly #ownerInTable = (id: number) => this.#table.selectOwner(id)
  /** Runs and their samples per stream, so that most streams need no look-up. */
  #runs = new Uint8Array(0)
  #runSamples = new Uint16Array(0)

  constructor(table: ChunkTable, events: StreamSealerEvents) {
    this.#table = table
    this.passes = table.readMeta(SEALED_SEGMENT)
    this.#onRow = events.onRow
    this.#onStep = events.onStep
    this.#onDamage = events.onDamage
  }

  /** Empties its cache of the table, which a rollback has changed. */
  clearCache(): void {
    this.#runs.fill(UNKNOWN)
  }

  /** Adds samples over what the stream holds. */
  add(stream: number, columns: SampleColumns): void {
    if (columns.count === 0) return
    const held = this.#runsOf(stream)
    // An eighth of the streams is due in each seal, so that a million do not all merge in one.
    const isDue = held.runs > 0 && (this.passes + blockOf(stream)) % RUNS_MAX === 0
    const isManyRuns = held.runs + 1 >= RUNS_MAX || isDue
    if (!isManyRuns && held.samples + columns.count < runSamplesMax(stream)) {
      this.#insertRun(stream, columns, held)
      return
    }
    const parts = [columns]
    for (const run of this.#table.rowsOf(stream).runs) {
      const decoded = this.#takeUp(stream, run, RUN_LEVEL)
      if (decoded.count > 0) parts.push(decoded)
    }
    const merged = mergeColumns(parts)
    // Few become one longer run: a chunk costs more to write, and would soon be taken up again. Texts may be long.
    if (merged.count < runSamplesMax(stream) && merged.texts === undefined) {
      this.#insertRun(stream, merged, { runs: 0, samples: 0 })
      return
    }
    this.#setRuns(stream, 0, 0)
    this.#place(stream, merged)
  }

  /** Writes samples as a run beside those that the stream has. */
  #insertRun(
    stream: number,
    columns: SampleColumns,
    beside: { readonly runs: number; readonly samples: number },
  ): void {
    const pieces = splitColumns(columns, true)
    for (const piece of pieces) this.#insert(stream, RUN_LEVEL, piece)
    this.#setRuns(stream, beside.runs + pieces.length, beside.samples + columns.count)
  }

  /** Takes spans out of everything the stream holds. */
  remove(stream: number, mask: Mask): void {
    for (let index = 0; index < mask.starts.length; ) {
      const [from, until] = [mask.starts[index], mask.ends[index]]
      const before = this.#table.rowsOf(stream).before(from)
      const last = before?.last ?? Number.NEGATIVE_INFINITY
      if (before !== undefined && last >= from) {
        this.#rewrite(stream, before, { level: CHUNK_LEVEL, mask })
      }
      if (until > last + 1) this.#removeStarting(stream, { from, until, level: CHUNK_LEVEL })
      // The whole mask was taken out of that chunk: what ends in it is done.
      index += 1
      while (index < mask.starts.length && mask.ends[index] <= last + 1) index += 1
    }
    for (const run of this.#table.rowsOf(stream).runs) {
      this.#rewrite(stream, run, { level: RUN_LEVEL, mask })
    }
    this.#forgetRuns(stream)
  }

  /** Drops everything of a stream. */
  forget(stream: number): void {
    let deleted = 0
    for (const row of this.#table.listRows(stream)) {
      this.#deleteUnread(row)
      deleted += 1
      if (deleted % ROWS_PER_STEP === 0) this.#onStep()
    }
    this.#onStep()
    this.#forgetRuns(stream)
  }

  /** Puts merged samples where they belong among the chunks, touching only the chunks they meet. */
  #place(stream: number, columns: SampleColumns): void {
    let start = 0
    while (start < columns.count) {
      const time = columns.times[start]
      const known = this.#table.rowsOf(stream)
      const [before, after] = [known.before(time), known.after(time)]
      const end =
        after === undefined ? columns.count : countBelow(columns.times, after.start, columns.count)
      this.#placeBetween(stream, sliceColumns(columns, start, end), { before, after })
      start = end
    }
  }

  #placeBetween(
    stream: number,
    group: SampleColumns,
    { before, after }: { before: ChunkPlace | undefined; after: ChunkPlace | undefined },
  ): void {
    const fits = (chunk: ChunkPlace): boolean => chunk.count + group.count <= CHUNK_SAMPLES_MAX
    let older = emptyColumns
    const isAtEnd = after === undefined
    if (before !== undefined && before.last >= group.times[0]) {
      older = this.#takeUp(stream, before, CHUNK_LEVEL)
    } else if (isAtEnd) {
      older = this.#takeUpLast(stream, before, group.count)
    } else if (before !== undefined && before.count < CHUNK_SAMPLES_MAX) {
      older = this.#takeUp(stream, before, CHUNK_LEVEL)
    } else if (fits(after)) {
      older = this.#takeUp(stream, after, CHUNK_LEVEL)
    }
    for (const piece of splitMerged(group, older, isAtEnd)) {
      this.#insert(stream, CHUNK_LEVEL, piece)
    }
  }

  /**
   * Replaces the last chunks of a stream when enough samples follow and the chunks are small compared with the result.
   * So a sample is rewritten only a few times until its chunk is full.
   */
  #takeUpLast(stream: number, last: ChunkPlace | undefined, following: number): SampleColumns {
    let older = emptyColumns
    let before = last
    for (let taken = 0; before !== undefined && taken < TAKEN_UP_MAX; taken += 1) {
      const joined = older.count + following
      if (before.count >= FULL_SAMPLES || before.count > Math.max(SMALL_SAMPLES, joined)) break
      const columns = this.#takeUp(stream, before, CHUNK_LEVEL)
      older = concatColumns([columns, older])
      // Texts may fill a chunk with few samples.
      if (columns.texts !== undefined) break
      before = this.#table.rowsOf(stream).before(before.start)
    }
    return older
  }

  /** Takes a row out of the table to be written again; none of one that does not check. */
  #takeUp(stream: number, place: ChunkPlace, level: number): SampleColumns {
    const row = { ...place, level, data: this.#dataOf(place) }
    const decoded = this.#decode(stream, row)
    if (decoded === undefined) return emptyColumns
    this.#delete({ ...row, stream })
    return decoded
  }

  #dataOf({ id }: ChunkPlace): Uint8Array {
    const data = this.#table.selectData(id)
    if (data === undefined)
      throw damagedIndex('The index of samples.db names a row that is missing')
    return data
  }

  #removeStarting(stream: number, span: { from: number; until: number; level: number }): void {
    const rows: ChunkPlace[] = []
    for (const row of this.#table.rowsOf(stream).forward(span.from)) {
      if (row.start >= span.until) break
      if (row.start >= span.from) rows.push(row)
    }
    for (const [at, row] of rows.entries()) {
      this.#removeFrom(stream, row, span)
      if (at % ROWS_PER_STEP === ROWS_PER_STEP - 1) this.#onStep()
    }
    this.#onStep()
  }

  #removeFrom(
    stream: number,
    row: ChunkPlace,
    span: { from: number; until: number; level: number },
  ): void {
    if (row.start >= span.from && row.last < span.until) {
      this.#deleteUnread({ ...row, stream, level: span.level })
      return
    }
    const mask = { starts: [span.from], ends: [span.until] }
    this.#rewrite(stream, row, { level: span.level, mask })
  }

  #rewrite(stream: number, row: ChunkPlace, { level, mask }: { level: number; mask: Mask }): void {
    const decoded = this.#decode(stream, { ...row, level, data: this.#dataOf(row) })
    if (decoded === undefined) return
    const kept = applyMask(decoded, mask)
    if (kept.count === decoded.count) return
    const found = { ...row, stream, level }
    if (kept.count === 0) this.#delete(found)
    else if (level === RUN_LEVEL) {
      this.#table.update(found, packChunk(kept, stream, level))
      this.#checkReadBack(row.id, { stream, level, columns: kept })
      this.#onRow()
    } else {
      this.#delete(found)
      this.#insert(stream, level, kept)
    }
  }

  /** The samples of a row; one that does not check is set aside. */
  #decode(
    stream: number,
    row: ChunkPlace & { readonly level: number; readonly data: Uint8Array },
  ): SampleColumns | undefined {
    try {
      return decodeRow(row, stream, this.#ownerInTable)
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error
      this.#refuseChain(row.id)
      this.#table.setLevel({ ...row, stream }, DAMAGED_LEVEL)
      this.#onRow()
      this.#onDamage({ stream, place: row, data: row.data })
      return undefined
    }
  }

  #insert(stream: number, level: number, columns: SampleColumns): void {
    const id = this.#table.insert(stream, level, packChunk(columns, stream, level))
    this.#checkReadBack(id, { stream, level, columns })
    this.#onRow()
  }

  #checkReadBack(id: number, row: WrittenRow): void {
    if (isReadBack(row)) checkReadBack(row, this.#table.selectData(id))
  }

  /** Deletes a row whose samples nobody has read. */
  #deleteUnread(found: FoundRow): void {
    const { id, stream, level } = found
    // Rows that were set aside are written again, so that each has its own chain.
    if (level !== DAMAGED_LEVEL && this.#table.goesOn(id)) {
      const data = this.#dataOf(found)
      if (!isDecoded({ ...found, data }, stream, this.#ownerInTable)) this.#refuseChain(id)
    }
    this.#delete(found)
  }

  /** All rows are written again if a damaged one may use pages of others. */
  #refuseChain(id: number): void {
    if (!this.#table.goesOn(id)) return
    throw damagedIndex(`Row ${id} of samples.db does not check and goes on in other pages`)
  }

  #delete(found: FoundRow): void {
    this.#table.delete(found)
    this.#onRow()
  }

  #runsOf(stream: number): { runs: number; samples: number } {
    // Columns by handle do not reach to companions, of which there are few.
    if (stream >= COMPANION_BASE) return this.#table.countRuns(stream)
    if (stream >= this.#runs.length) this.#growTo(stream + 1)
    if (this.#runs[stream] !== UNKNOWN) {
      return { runs: this.#runs[stream], samples: this.#runSamples[stream] }
    }
    const { runs, samples } = this.#table.countRuns(stream)
    this.#setRuns(stream, runs, samples)
    return { runs, samples }
  }

  #setRuns(stream: number, runs: number, samples: number): void {
    if (stream >= COMPANION_BASE) return
    this.#runs[stream] = Math.min(runs, UNKNOWN - 1)
    this.#runSamples[stream] = Math.min(samples, 0xffff)
  }

  #forgetRuns(stream: number): void {
    if (stream < this.#runs.length) this.#runs[stream] = UNKNOWN
  }

  #growTo(length: number): void {
    this.#runs = growColumn(this.#runs, Math.max(length, STREAMS_MIN), UNKNOWN)
    this.#runSamples = growColumn(this.#runSamples, this.#runs.length)
  }
}

/** With how many samples in its runs a stream makes chunks of them: spread, so that many streams are not due at once. */
function runSamplesMax(stream: number): number {
  const mixed = Math.imul(blockOf(stream), 0x9e3779b1) >>> 0
  return RUN_SAMPLES_MIN + Math.floor((mixed / 2 ** 32) * RUN_SAMPLES_SPREAD)
}

/** Streams whose rows lie beside each other are merged together: what is changed are few pages then. */
function blockOf(stream: number): number {
  return stream >>> 10
}
