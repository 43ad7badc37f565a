import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Rows of one statement: running one costs as much as two rows. */
const TOGETHER = 64

export type RowValue = string | number | null

/** Inserts rows many at a time, those left out that meet one with their key. */
export class InsertTogether {
  readonly #one: StatementSync
  readonly #many: StatementSync
  readonly #columns: number

  /** With the names of a table and of its columns. */
  constructor(db: DatabaseSync, table: string, columns: readonly string[]) {
    const row = `(${columns.map(() => '?').join(', ')})`
    const prepare = (rows: number): StatementSync =>
      // Nothing in it can fail halfway, so SQLite keeps no copies of the pages that the statement changes.
      db.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')})
        VALUES ${new Array(rows).fill(row).join(', ')}`)
    this.#one = prepare(1)
    this.#many = prepare(TOGETHER)
    this.#columns = columns.length
  }

  /** Inserts rows given value by value; false when one was left out. */
  insert(values: readonly RowValue[]): boolean {
    const step = TOGETHER * this.#columns
    let inserted = 0
    let at = 0
    for (; at + step <= values.length; at += step) {
      inserted += Number(this.#many.run(...values.slice(at, at + step)).changes)
    }
    for (; at < values.length; at += this.#columns) {
      inserted += Number(this.#one.run(...values.slice(at, at + this.#columns)).changes)
    }
    return inserted * this.#columns === values.length
  }
}
