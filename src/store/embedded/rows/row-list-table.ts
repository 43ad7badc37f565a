import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CHUNK_LEVEL, RUN_LEVEL } from './chunk-row.ts'
import type { IndexedRow } from './known-rows.ts'

/** Infinities as SQLite's integers know them. */
const START_MAX = 2 ** 53

const FIELDS = 'SELECT id, level, start, last, count FROM chunk INDEXED BY chunk_by_start'

/** Lists the rows of streams as the index names them, on any connection to samples.db. */
export class RowListTable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** All rows of a stream in the order of level and start. */
  rows(stream: number): IndexedRow[] {
    return this.#all(`${FIELDS} WHERE stream = ? ORDER BY level, start`, stream)
  }

  /** The rows of a stream but for chunks that begin before a time. */
  rowsFrom(stream: number, from: number): IndexedRow[] {
    const runs = `${FIELDS} WHERE stream = ? AND level = ${RUN_LEVEL} ORDER BY start`
    const others = `${FIELDS} WHERE stream = ? AND (level, start) >= (${CHUNK_LEVEL}, ?)
      ORDER BY level, start`
    return [...this.#all(runs, stream), ...this.#all(others, stream, from)]
  }

  /** The chunks of a stream that begin in from ≤ start < until, oldest first. */
  chunks(stream: number, from: number, until: number): IndexedRow[] {
    const query = `${FIELDS} WHERE stream = ? AND level = ${CHUNK_LEVEL}
      AND start >= ? AND start < ? ORDER BY start`
    return this.#all(query, stream, Math.max(from, -START_MAX), Math.min(until, START_MAX))
  }

  #all(query: string, ...values: number[]): IndexedRow[] {
    const statement = this.#statements.getOrInsertComputed(query, () => {
      const made = this.#db.prepare(query)
      made.setReturnArrays(true)
      return made
    })
    return statement.all(...values) as unknown as IndexedRow[]
  }
}
