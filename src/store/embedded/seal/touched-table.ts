/** Which stretches of the watched streams were touched, one row per sealed segment and stream. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { TOUCHED_SUM } from '../rows/meta-names.ts'
import { TOUCHED_TOTAL_SQL, touchedSum, watchedSum, wrapSum } from '../rows/row-sum.ts'

/** Most rows of a stream. Beyond that the oldest two are merged into one, which covers more than the change. */
const ROWS_PER_STREAM_MAX = 16

interface Row {
  readonly cursor: number
  readonly start: number
  readonly until: number
}

/** The touched spans of sealed segments, written by the sealer for watched streams only. */
export class TouchedTable {
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  readonly #selectOldest: StatementSync
  readonly #delete: StatementSync
  readonly #readTotal: StatementSync
  readonly #writeTotal: StatementSync
  #watched = new Set<number>()
  /** Whether all rows were added up since the start. */
  #isSummed = false

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#insert = db.prepare(
      'INSERT OR REPLACE INTO touched (cursor, stream, start, until) VALUES (?, ?, ?, ?)',
    )
    this.#selectOldest = db.prepare(
      'SELECT cursor, start, until FROM touched WHERE stream = ? ORDER BY cursor',
    )
    this.#delete = db.prepare('DELETE FROM touched WHERE stream = ? AND cursor = ?')
    this.#readTotal = db.prepare(`SELECT value FROM meta WHERE name = '${TOUCHED_SUM}'`)
    this.#writeTotal = db.prepare(
      `INSERT OR REPLACE INTO meta (name, value) VALUES ('${TOUCHED_SUM}', ?)`,
    )
    this.reload()
  }

  /** Reads again which streams are watched; a rollback may have changed it. */
  reload(): void {
    const rows = this.#db.prepare('SELECT stream FROM watched').all() as Array<{ stream: number }>
    this.#watched = new Set(rows.map((row) => row.stream))
  }

  /** Adds streams to those that are watched, durably. */
  watchAlso(streams: readonly number[]): void {
    if (streams.some((stream) => !this.#watched.has(stream))) {
      this.watch([...this.#watched, ...streams])
    }
  }

  /** Replaces the set of watched streams, durably; only what differs is written. */
  watch(streams: readonly number[]): void {
    const wanted = new Set(streams)
    const gone = [...this.#watched].filter((stream) => !wanted.has(stream))
    const added = [...wanted].filter((stream) => !this.#watched.has(stream))
    if (gone.length === 0 && added.length === 0 && this.#isSummed) return
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      for (const stream of gone) this.forget(stream)
      const insert = this.#db.prepare('INSERT OR IGNORE INTO watched (stream) VALUES (?)')
      let sum = 0
      for (const stream of added) {
        if (insert.run(stream).changes > 0) sum += watchedSum(stream)
      }
      if (this.#isSummed) this.#addToTotal(sum)
      else this.#sumAll()
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#db.exec('ROLLBACK')
      this.reload()
      throw error
    }
    this.#watched = wanted
    this.#isSummed = true
  }

  /** Does as watch() does; why it could not, or undefined. */
  tryWatch(streams: readonly number[]): string | undefined {
    try {
      this.watch(streams)
      return undefined
    } catch (error) {
      return String(error)
    }
  }

  /** Damaged rows are reported at the start; the rest is used. */
  #sumAll(): void {
    const { value } = this.#db.prepare(TOUCHED_TOTAL_SQL).get() as { value: number }
    this.#writeTotal.run(wrapSum(value))
  }

  /** Remembers that a stream was touched by the segment that ends with a sequence. */
  add(stream: number, sequence: number, span: { from: number; until: number }): void {
    if (!this.#watched.has(stream)) return
    const before = this.#rowsOf(stream)
    this.#insert.run(sequence, stream, span.from, span.until)
    const rows = this.#rowsOf(stream)
    if (rows.length > ROWS_PER_STREAM_MAX) {
      const [oldest, next] = rows
      this.#delete.run(stream, oldest.cursor)
      const start = Math.min(oldest.start, next.start)
      this.#insert.run(next.cursor, stream, start, Math.max(oldest.until, next.until))
    }
    this.#addToTotal(sumOf(stream, this.#rowsOf(stream)) - sumOf(stream, before))
  }

  /** Drops what is known of a stream. */
  forget(stream: number): void {
    if (!this.#watched.delete(stream)) return
    this.#addToTotal(-sumOf(stream, this.#rowsOf(stream)) - watchedSum(stream))
    this.#db.prepare('DELETE FROM touched WHERE stream = ?').run(stream)
    this.#db.prepare('DELETE FROM watched WHERE stream = ?').run(stream)
  }

  #rowsOf(stream: number): Row[] {
    return this.#selectOldest.all(stream) as unknown as Row[]
  }

  #addToTotal(sum: number): void {
    const { value } = (this.#readTotal.get() ?? { value: 0 }) as { value: number }
    this.#writeTotal.run(wrapSum(value + sum))
  }
}

function sumOf(stream: number, rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + touchedSum(stream, row), 0)
}
