/** The writing side of samples.db: one connection, in the sealer's thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  CHUNK_LEVEL,
  type ChunkPlace,
  type ChunkRow,
  type PackedChunk,
  RUN_LEVEL,
} from './chunk-row.ts'

/** Statements over samples.db that change it, and the look-ups that sealing needs. */
export class ChunkTable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  begin(): void {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  commit(): void {
    this.#db.exec('COMMIT')
  }

  rollback(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  /** Copies the log into the file and empties it, as far as readers allow: samples lie once on disk. */
  checkpoint(): void {
    this.#prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  }

  readMeta(name: string): number {
    const row = this.#prepare('SELECT value FROM meta WHERE name = ?').get(name)
    return (row as { value: number } | undefined)?.value ?? 0
  }

  writeMeta(name: string, value: number): void {
    this.#prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)').run(name, value)
  }

  insert(stream: number, level: number, row: PackedChunk): void {
    this.#prepare(
      `INSERT INTO chunk (stream, level, start, last, count, last_value, summary, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(stream, level, row.start, row.last, row.count, row.lastValue, row.summary, row.data)
  }

  /** Puts other samples into a row that keeps its place in the order of sealing. */
  update(id: number, row: PackedChunk): void {
    this.#prepare(
      `UPDATE chunk SET start = ?, last = ?, count = ?, last_value = ?, summary = ?, data = ?
       WHERE id = ?`,
    ).run(row.start, row.last, row.count, row.lastValue, row.summary, row.data, id)
  }

  setLevel(id: number, level: number): void {
    this.#prepare('UPDATE chunk SET level = ? WHERE id = ?').run(level, id)
  }

  delete(id: number): void {
    this.#prepare('DELETE FROM chunk WHERE id = ?').run(id)
  }

  /** The runs of a stream, newest first. */
  selectRuns(stream: number): ChunkRow[] {
    return this.#prepare(
      `SELECT id, level, start, last, count, summary, data FROM chunk
       WHERE stream = ? AND level = ${RUN_LEVEL} ORDER BY id DESC`,
    ).all(stream) as unknown as ChunkRow[]
  }

  /** How many runs a stream has and how many samples they hold. */
  countRuns(stream: number): { runs: number; samples: number } {
    return this.#prepare(
      `SELECT count(*) AS runs, coalesce(sum(count), 0) AS samples FROM chunk
       WHERE stream = ? AND level = ${RUN_LEVEL}`,
    ).get(stream) as { runs: number; samples: number }
  }

  /** The chunk that begins at or before a time, nearest to it. */
  selectChunkBefore(stream: number, time: number): ChunkPlace | undefined {
    return this.#prepare(
      `SELECT id, start, last, count FROM chunk
       WHERE stream = ? AND level = ${CHUNK_LEVEL} AND start <= ? ORDER BY start DESC LIMIT 1`,
    ).get(stream, time) as ChunkPlace | undefined
  }

  /** The chunk that begins after a time, nearest to it. */
  selectChunkAfter(stream: number, time: number): ChunkPlace | undefined {
    return this.#prepare(
      `SELECT id, start, last, count FROM chunk
       WHERE stream = ? AND level = ${CHUNK_LEVEL} AND start > ? ORDER BY start LIMIT 1`,
    ).get(stream, time) as ChunkPlace | undefined
  }

  /** Rows of a stream that begin in from ≤ start < until, at most `limit`. */
  selectStarting(
    stream: number,
    span: { level: number; from: number; until: number },
    limit: number,
  ): ChunkPlace[] {
    return this.#prepare(
      `SELECT id, start, last, count FROM chunk
       WHERE stream = ? AND level = ? AND start >= ? AND start < ? ORDER BY start LIMIT ?`,
    ).all(stream, span.level, span.from, span.until, limit) as unknown as ChunkPlace[]
  }

  selectData(id: number): Uint8Array | undefined {
    const row = this.#prepare('SELECT data FROM chunk WHERE id = ?').get(id)
    return (row as { data: Uint8Array } | undefined)?.data
  }

  /** What the table itself, not its index, says of a row's owner. */
  selectOwner(id: number): { stream: number; level: number } | undefined {
    const row = this.#prepare('SELECT stream, level FROM chunk WHERE id = ?').get(id)
    return row as { stream: number; level: number } | undefined
  }

  /** Deletes at most `limit` rows of a stream, of any level; tells how many. */
  deleteStream(stream: number, limit: number): number {
    const chosen = 'SELECT id FROM chunk WHERE stream = ? LIMIT ?'
    const result = this.#prepare(`DELETE FROM chunk WHERE id IN (${chosen})`).run(stream, limit)
    return Number(result.changes)
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
