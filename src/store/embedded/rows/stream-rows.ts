import { damagedIndex } from '../damage/folder-damaged.ts'
import { type IndexedRow, KnownRows } from './known-rows.ts'

/** Rows that are remembered: some 15 MB. */
const WEIGHT_MAX = 250_000

/** Rows that remain after a trim. */
const WEIGHT_KEPT = 220_000

/** What a connection to samples.db gives of its rows, always of one state of the file. */
export interface RowIndex {
  /** The sum of a stream's rows as it is kept, undefined where it does not check. */
  keptSum(stream: number): number | undefined
  /** All rows of a stream as the index names them, in the order of level and start. */
  listRows(stream: number): IndexedRow[]
  /** The rows of a stream but for chunks that begin before a time. */
  listRowsFrom(stream: number, from: number): IndexedRow[]
  /** The chunks of a stream that begin in from ≤ start < until, oldest first. */
  listChunks(stream: number, from: number, until: number): IndexedRow[]
}

interface Known {
  /** The sum that verified the rows. */
  kept: number
  readonly rows: KnownRows
  weight: number
}

/**
 * The rows of streams. They are verified by the stream's sum before use, and again whenever the sum has changed. IDs
 * are never reused, so changed rows have another sum. A wrong index entry, of this stream or a neighbor, makes the sums
 * differ; that throws, as a damaged file does.
 */
export class StreamRows {
  readonly #index: RowIndex
  /** The one used last comes last. */
  readonly #known = new Map<number, Known>()
  #weight = 0

  constructor(index: RowIndex) {
    this.#index = index
  }

  /** All rows of a stream, as the file has them at this moment. */
  of(stream: number): KnownRows {
    const kept = this.#index.keptSum(stream)
    if (kept === undefined) throw damagedIndex('The sum of the rows of a stream does not check')
    const known = this.#known.get(stream)
    this.#drop(stream)
    const rows =
      known !== undefined && (known.kept === kept || this.#refresh(stream, known.rows, kept))
        ? known.rows
        : this.#load(stream, kept)
    this.#keep(stream, kept, rows)
    return rows
  }

  /** Applies a change that the writer made, and its effect on the sum. */
  change(stream: number, kept: number, apply: (rows: KnownRows) => void): void {
    const known = this.#known.get(stream)
    if (known === undefined) return
    const { rows } = known
    // Until their changes arrive they are not verified: a failure leaves them to be read again.
    known.kept = Number.NaN
    apply(rows)
    known.kept = kept
    this.#weight += rows.weight - known.weight
    known.weight = rows.weight
    this.#trim(stream)
  }

  /** Forgets everything, as after a rollback. */
  clear(): void {
    this.#known.clear()
    this.#weight = 0
  }

  #load(stream: number, kept: number): KnownRows {
    const list = (from: number, until: number): IndexedRow[] =>
      this.#index.listChunks(stream, from, until)
    const rows = new KnownRows(this.#index.listRows(stream), list)
    if (rows.sum !== kept) throw damagedIndex('The rows of a stream do not add up to their sum')
    return rows
  }

  /** Most changes are at the end: only that is read again, and the sum shows whether that sufficed. */
  #refresh(stream: number, rows: KnownRows, kept: number): boolean {
    const { tailStart } = rows
    if (tailStart === Number.NEGATIVE_INFINITY) return false
    rows.refresh(this.#index.listRowsFrom(stream, tailStart))
    return rows.sum === kept
  }

  #keep(stream: number, kept: number, rows: KnownRows): void {
    const { weight } = rows
    this.#known.set(stream, { kept, rows, weight })
    this.#weight += weight
    this.#trim(stream)
  }

  /** Forgets the oldest where there is too much; the one that is in use stays. */
  #trim(stream: number): void {
    if (this.#weight <= WEIGHT_MAX) return
    // Many at once: the oldest lies behind the places of all that were taken out or used again since.
    for (const [oldest] of this.#known) {
      if (this.#weight <= WEIGHT_KEPT || oldest === stream) return
      this.#drop(oldest)
    }
  }

  #drop(stream: number): void {
    this.#weight -= this.#known.get(stream)?.weight ?? 0
    this.#known.delete(stream)
  }
}
