import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Rows of one statement: running one costs as much as two rows. */
const SIZES = [64, 10, 3, 1]

export type RowValue = string | number | null | Uint8Array

/** Inserts rows many at a time, those left out that meet one with their key. */
export class InsertTogether {
  readonly #sized: readonly { readonly values: number; readonly statement: StatementSync }[]
  readonly #columns: number

  /** With the names of a table and of its columns. */
  constructor(db: DatabaseSync, table: string, columns: readonly string[]) {
    const row = `(${columns.map(() => '?').join(', ')})`
    const prepare = (rows: number): StatementSync =>
      // Nothing in it can fail halfway, so SQLite keeps no copies of the pages that the statement changes.
      db.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')})
        VALUES ${new Array(rows).fill(row).join(', ')}`)
    this.#columns = columns.length
    this.#sized = SIZES.map((rows) => ({
      values: rows * columns.length,
      statement: prepare(rows),
    }))
  }

  /** Inserts rows given value by value; false when one was left out. */
  insert(values: readonly RowValue[]): boolean {
    let inserted = 0
    let at = 0
    for (const { values: step, statement } of this.#sized) {
      for (; at + step <= values.length; at += step) {
        const some = step === values.length ? values : values.slice(at, at + step)
        inserted += Number(statement.run(...some).changes)
      }
    }
    return inserted * this.#columns === values.length
  }
}
