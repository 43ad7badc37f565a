import type { SampleColumns } from '../../ports/sample-port.ts'
import { DamagedBytes, emptyColumns } from '../chunk/index.ts'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import {
  CHUNK_LEVEL,
  type ChunkPlace,
  type ChunkRow,
  decodeRow,
  RUN_LEVEL,
} from '../rows/chunk-row.ts'
import { correctedRow } from '../rows/corrected-row.ts'
import { describeRow, describeSuspect } from '../rows/damaged-row.ts'
import type { KnownRows } from '../rows/known-rows.ts'
import { keepsLastValue } from '../rows/last-value.ts'
import { StreamRows } from '../rows/stream-rows.ts'
import { isSummaryBound } from '../summary/index.ts'
import type { ChunkReadTable } from './chunk-read-table.ts'

/** The row with the latest sample, without its packed samples. */
interface LatestRow extends Omit<ChunkRow, 'data'> {
  readonly lastValue: Uint8Array | null
}

/** Rows that failed their check and are skipped by later reads. Beyond this number they are checked again. */
const DAMAGED_ROWS_MAX = 100_000

type Span = { readonly from: number; readonly until: number }

/**
 * The rows of samples.db, each verified by its checksum and contents. A row that fails is reported once and skipped;
 * the rest of the stream, and other streams, are served.
 */
export class CheckedRows {
  readonly #table: ChunkReadTable
  readonly #onDamage: (found: FoundDamage) => void
  readonly #damaged = new Set<number>()
  readonly #known: StreamRows
  readonly #suspect = new Set<number>()
  readonly #ownerInTable = (id: number) => this.#table.selectOwner(id)

  constructor(table: ChunkReadTable, onDamage: (found: FoundDamage) => void) {
    this.#table = table
    this.#known = new StreamRows(table)
    this.#onDamage = onDamage
  }

  /** How many rows were found not to check; a read during which it rose is to be repeated. */
  get damagedRows(): number {
    return this.#damaged.size
  }

  /** Whether the rows that the index finds of a stream were found not to add up. */
  isSuspect(stream: number): boolean {
    return this.#suspect.has(stream)
  }

  /** Whether a stream has no rows, as far as its sum tells: most streams have no companion. */
  isEmpty(stream: number): boolean {
    return this.#table.isEmpty(stream)
  }

  /** Whether a row was found not to check. */
  isDamaged(row: ChunkPlace): boolean {
    return this.#damaged.has(row.id)
  }

  /** As ChunkReadTable does: several look-ups over one state of the file. */
  inOneView<T>(look: () => T): T {
    return this.#table.inOneView(look)
  }

  /** The runs of a stream that meet from ≤ time < until, newest first; of these only the chosen. */
  runs(
    stream: number,
    { from, until }: Span,
    choose = (places: ChunkPlace[]): readonly ChunkPlace[] => places,
  ): ChunkRow[] {
    const isMet = (place: ChunkPlace): boolean =>
      place.start < until && place.last >= from && !this.isDamaged(place)
    return this.#guard(
      stream,
      (known) => this.#rowsAt(stream, choose(known.runs.filter(isMet)), RUN_LEVEL),
      () => this.#salvage(stream, RUN_LEVEL, { from, until }).sort((a, b) => b.id - a.id),
    )
  }

  /** Chunks that meet from ≤ time < until, oldest first; `wants` decides where the search may end. */
  chunks(
    stream: number,
    span: Span & { readonly isLatestFirst: boolean },
    wants: (row: ChunkRow) => boolean,
  ): ChunkRow[] {
    return this.#guard(
      stream,
      (known) => {
        const found: ChunkRow[] = []
        for (const place of span.isLatestFirst ? before(known, span) : after(known, span)) {
          const [row] = this.#rowsAt(stream, [place], CHUNK_LEVEL)
          if (row === undefined) continue
          found.push(row)
          if (!wants(row)) break
        }
        return span.isLatestFirst ? found.reverse() : found
      },
      () => this.#salvage(stream, CHUNK_LEVEL, span),
    )
  }

  /** Where the chunks lie that meet from ≤ time < until, oldest first. */
  places(stream: number, span: Span): ChunkPlace[] {
    return this.#guard(
      stream,
      (known) => [...after(known, span)],
      () => this.#salvage(stream, CHUNK_LEVEL, span),
    )
  }

  /** The summary of a chunk, null where there is none to rely on, undefined when the row is gone. */
  summary(stream: number, place: ChunkPlace): Uint8Array | null | undefined {
    try {
      const row = this.#table.selectSummary(place.id)
      if (row === undefined) return undefined
      if (!(row.summary instanceof Uint8Array)) return null
      return isSummaryBound(row.summary) || !this.#suspect.has(stream) ? row.summary : null
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return null
    }
  }

  /** The chunk at a place: null where it does not check, undefined when the row is gone. */
  chunkAt(stream: number, place: ChunkPlace): ChunkRow | null | undefined {
    const row = this.#rowAt(place, CHUNK_LEVEL)
    if (row === null) this.reportDamaged(stream, place)
    return row
  }

  /** The row with the latest sample; undefined when there is none, null where that is unknown. */
  last(stream: number): LatestRow | undefined | null {
    return this.#guard(
      stream,
      ({ lastChunk, runs }) => {
        let best = lastChunk
        let level = CHUNK_LEVEL
        // Newest first: of equal ones the newest counts, and any before a chunk.
        for (const run of runs.toReversed()) {
          if (best !== undefined && run.last < best.last) continue
          best = run
          level = RUN_LEVEL
        }
        if (best === undefined) return undefined
        if (this.isDamaged(best)) return null
        const { id, start, last, count } = best
        const place = { id, start, last, count, level, summary: null }
        if (!keepsLastValue(count)) return { ...place, lastValue: null }
        const row = this.#table.selectLast(id)
        return row?.last === last ? { ...place, lastValue: row.lastValue } : null
      },
      () => null,
    )
  }

  /** The packed samples of a row, undefined when it is gone or cannot be read. */
  data(id: number): Uint8Array | undefined {
    try {
      return this.#table.selectData(id)
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return undefined
    }
  }

  /** The samples of a row, none where it does not check. */
  decode(stream: number, row: ChunkRow, form?: { readonly isTimesOnly?: boolean }): SampleColumns {
    try {
      return decodeRow(row, stream, this.#ownerInTable, form)
    } catch (error) {
      if (!(error instanceof DamagedBytes || isDamagedFile(error))) throw error
      // Wrong columns are reported with their stream, and corrected when the index is rebuilt.
      const found = { ...row, stream }
      const isMislabeled = this.#suspect.has(stream) && correctedRow(found) !== found
      if (!isMislabeled) this.reportDamaged(stream, row, row.data)
      return emptyColumns
    }
  }

  /** Reports a row that is damaged, and leaves it out from then on. */
  reportDamaged(stream: number, place: ChunkPlace, data?: unknown): void {
    const bytes = data instanceof Uint8Array ? data : new Uint8Array(0)
    if (this.#damaged.size < DAMAGED_ROWS_MAX) this.#damaged.add(place.id)
    this.#onDamage(describeRow({ stream, place, data: bytes }))
  }

  /** Checks everything again, as after a rebuild of the index. */
  clearSuspects(): void {
    this.#damaged.clear()
    this.#suspect.clear()
    this.#known.clear()
  }

  #guard<T>(stream: number, look: (known: KnownRows) => T, otherwise: () => T): T {
    try {
      return this.inOneView(() => look(this.#known.of(stream)))
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      this.#reportSuspect(stream, 'does not add up to its sum')
      return otherwise()
    }
  }

  /** The rows at places that are known to be there; unreadable ones are reported and left out. */
  #rowsAt(stream: number, places: readonly ChunkPlace[], level: number): ChunkRow[] {
    const rows: ChunkRow[] = []
    for (const place of places) {
      if (this.isDamaged(place)) continue
      const row = this.#rowAt(place, level)
      if (row === undefined || row === null) this.reportDamaged(stream, place)
      else rows.push(row)
    }
    return rows
  }

  /** The row at a place: null where it cannot be read, undefined when it is gone. */
  #rowAt(place: ChunkPlace, level: number): ChunkRow | null | undefined {
    try {
      const row = this.#table.selectRow(place.id)
      if (row === undefined) return undefined
      // The sum verified the place, and the place verifies the samples.
      return row.data instanceof Uint8Array ? { ...row, ...place, level } : null
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return null
    }
  }

  /** Row by row, as far as the index can be read. */
  #salvage(stream: number, level: number, { from, until }: Span): ChunkRow[] {
    // By id: pages that are named twice give their rows twice.
    const places = new Map<number, ChunkPlace>()
    try {
      for (const place of this.#table.scanPlaces(stream, level)) places.set(place.id, place)
    } catch (error) {
      if (!isDamagedFile(error)) throw error
    }
    const met = [...places.values()].filter(({ start, last }) => last >= from && start < until)
    return this.#rowsAt(stream, met, level).sort((a, b) => a.start - b.start)
  }

  #reportSuspect(stream: number, what: string): void {
    if (this.#suspect.has(stream)) return
    this.#suspect.add(stream)
    this.#onDamage(describeSuspect(stream, what))
  }
}

/** Chunks that meet from ≤ time < until, latest first. */
function* before(known: KnownRows, { from, until }: Span): Generator<ChunkPlace> {
  for (const place of known.backward(until)) {
    if (place.last < from) return
    yield place
  }
}

/** Chunks that meet from ≤ time < until, oldest first. */
function* after(known: KnownRows, { from, until }: Span): Generator<ChunkPlace> {
  for (const place of known.forward(from)) {
    if (place.start >= until) return
    yield place
  }
}
