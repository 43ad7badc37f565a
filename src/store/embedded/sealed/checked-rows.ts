import type { SampleColumns } from '../../sample-port.ts'
import { DamagedBytes, emptyColumns } from '../chunk/index.ts'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { HandleSet } from '../head/handle-set.ts'
import {
  CHUNK_LEVEL,
  type ChunkPlace,
  type ChunkRow,
  decodeRow,
  RUN_LEVEL,
} from '../rows/chunk-row.ts'
import { describeRow, describeSuspect } from '../rows/damaged-row.ts'
import { isSummaryBound } from '../summary/index.ts'
import type { ChunkReadTable, LastRow } from './chunk-read-table.ts'

/** Rows that do not check are left out of later reads; beyond so many they are looked at again. */
const DAMAGED_ROWS_MAX = 100_000

type Span = { readonly from: number; readonly until: number }

/**
 * The rows of samples.db with everything held against what it says of itself. What does not check is
 * told once and left out; whatever else the stream holds, and other streams, are served.
 */
export class CheckedRows {
  readonly #table: ChunkReadTable
  readonly #onDamage: (found: FoundDamage) => void
  readonly #damaged = new Set<number>()
  readonly #sound = new HandleSet()
  readonly #suspect = new Set<number>()
  readonly #ownerInTable = (id: number) => this.#table.selectOwner(id)

  constructor(table: ChunkReadTable, onDamage: (found: FoundDamage) => void) {
    this.#table = table
    this.#onDamage = onDamage
  }

  /** How many rows were found not to check; a read during which it rose is to be repeated. */
  get damagedRows(): number {
    return this.#damaged.size
  }

  /** Whether a row was found not to check. */
  isDamaged(row: ChunkPlace): boolean {
    return this.#damaged.has(row.id)
  }

  /** As ChunkReadTable does: several look-ups over one state of the file. */
  inOneView<T>(look: () => T): T {
    return this.#table.inOneView(look)
  }

  /** The runs of a stream that meet from ≤ time < until, newest first. */
  runs(stream: number, span: Span): ChunkRow[] {
    const { from, until } = span
    const found = this.#guard(
      stream,
      () => this.#table.selectRuns(stream, from, until),
      () => this.#salvage(stream, RUN_LEVEL, span).sort((a, b) => b.id - a.id),
    )
    return this.#damaged.size === 0 ? found : found.filter((row) => !this.isDamaged(row))
  }

  /** Chunks that meet from ≤ time < until, oldest first; `wants` tells where the search may end. */
  chunks(
    stream: number,
    span: Span & { readonly isLatestFirst: boolean },
    wants: (row: ChunkRow) => boolean,
  ): ChunkRow[] {
    const wantsAfter = (row: ChunkRow): boolean => this.isDamaged(row) || wants(row)
    const found = this.#guard(
      stream,
      () =>
        span.isLatestFirst
          ? this.#table.selectBackward(stream, span, wantsAfter).reverse()
          : this.#table.selectForward(stream, span, wantsAfter),
      () => this.#salvage(stream, CHUNK_LEVEL, span),
    )
    return this.#damaged.size === 0 ? found : found.filter((row) => !this.isDamaged(row))
  }

  /** Where the chunks lie that meet from ≤ time < until, oldest first. */
  places(stream: number, { from, until }: Span): ChunkPlace[] {
    return this.#guard(
      stream,
      () => this.#table.selectPlaces(stream, from, until),
      () => this.#salvage(stream, CHUNK_LEVEL, { from, until }),
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
    try {
      const row = this.#table.selectRow(place.id)
      if (row === undefined) return undefined
      const { start, last, count, level } = row
      const isIt = start === place.start && last === place.last && count === place.count
      if (isIt && level === CHUNK_LEVEL && row.data instanceof Uint8Array) return row
    } catch (error) {
      if (!isDamagedFile(error)) throw error
    }
    this.tellDamaged(stream, place)
    return null
  }

  /** The row with the latest sample; undefined when there is none, null where that cannot be told. */
  last(stream: number): LastRow | undefined | null {
    return this.#guard(
      stream,
      () => {
        const row = this.#table.selectLast(stream)
        return row !== undefined && this.#damaged.has(row.id) ? null : row
      },
      () => null,
    )
  }

  /** A row in full, undefined when it is gone or cannot be read. */
  row(id: number): ChunkRow | undefined {
    try {
      return this.#table.selectRow(id)
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return undefined
    }
  }

  /** The samples of a row, none where it does not check. */
  decode(stream: number, row: ChunkRow): SampleColumns {
    try {
      return decodeRow(row, stream, this.#ownerInTable)
    } catch (error) {
      if (!(error instanceof DamagedBytes || isDamagedFile(error))) throw error
      this.tellDamaged(stream, row, row.data)
      return emptyColumns
    }
  }

  /** Tells of a row that does not check, and leaves it out from here on. */
  tellDamaged(stream: number, place: ChunkPlace, data?: unknown): void {
    const bytes = data instanceof Uint8Array ? data : new Uint8Array(0)
    if (this.#damaged.size < DAMAGED_ROWS_MAX) this.#damaged.add(place.id)
    this.#onDamage(describeRow({ stream, place, data: bytes }))
  }

  /** Looks at everything anew, as after the index was built again. */
  forgetDoubts(): void {
    this.#damaged.clear()
    this.#suspect.clear()
  }

  #guard<T>(stream: number, look: () => T, otherwise: () => T): T {
    try {
      if (!this.#sound.has(stream)) this.#checkSum(stream)
      return look()
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      this.#tellSuspect(stream, 'cannot be read in full')
      return otherwise()
    }
  }

  /** Holds the rows that the index finds of a stream against their sum, once. */
  #checkSum(stream: number): void {
    if (this.#suspect.has(stream)) return
    const { kept, found } = this.#table.selectSums(stream)
    if (kept === found) this.#sound.add(stream)
    else if (kept === undefined) this.#tellSuspect(stream, 'cannot be held against its sum')
    else this.#tellSuspect(stream, 'does not add up to its sum')
  }

  /** Row by row, as far as the index can be read. */
  #salvage(stream: number, level: number, { from, until }: Span): ChunkRow[] {
    const places: ChunkPlace[] = []
    try {
      for (const place of this.#table.scanPlaces(stream, level)) places.push(place)
    } catch (error) {
      if (!isDamagedFile(error)) throw error
    }
    const rows: ChunkRow[] = []
    for (const place of places) {
      if (place.last < from || place.start >= until || this.isDamaged(place)) continue
      const row = this.row(place.id)
      if (row === undefined) this.tellDamaged(stream, place)
      else rows.push(row)
    }
    return rows
  }

  #tellSuspect(stream: number, what: string): void {
    if (this.#suspect.has(stream)) return
    this.#suspect.add(stream)
    this.#onDamage(describeSuspect(stream, what))
  }
}
