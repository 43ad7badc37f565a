import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Reads that take several statements. The writer thread commits between any two of them: without
 * one snapshot a claim could be read before its holder is deleted, and the holder after.
 */
export class CatalogSnapshot {
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #end: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#begin = db.prepare('BEGIN')
    this.#end = db.prepare('COMMIT')
  }

  /** Runs a read that sees the catalog as it is at its first statement; one inside another shares it. */
  read<T>(read: () => T): T {
    if (this.#db.isTransaction) return read()
    this.#begin.run()
    try {
      return read()
    } finally {
      this.#end.run()
    }
  }
}
