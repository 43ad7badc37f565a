/** The writing side of samples.db: one connection, in the sealer's thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import {
  CHUNK_LEVEL,
  type ChunkPlace,
  type ChunkRow,
  type PackedChunk,
  RUN_LEVEL,
} from '../rows/chunk-row.ts'
import { SEALED_CHECK, SEALED_SEGMENT, SEALED_SEQUENCE } from '../rows/meta-names.ts'
import { ROW_SUM_SQL, rowSum, sealedSum, wrapSum } from '../rows/row-sum.ts'
import { STREAMS_PER_BUCKET, StreamSums } from '../rows/stream-sums.ts'

/** A row as it was found, which a change of it takes out of the sum of its stream. */
export interface FoundRow extends ChunkPlace {
  readonly stream: number
  readonly level: number
}

/** SQLite's code for a damaged file. */
const CORRUPT = 11

/** The index named a row under a stream that the row is not of: what was to be changed is another's. */
function checkOwned(changes: number | bigint): void {
  if (Number(changes) === 1) return
  const error = new Error('The index of samples.db names a row of another stream')
  throw Object.assign(error, { code: 'ERR_SQLITE_ERROR', errcode: CORRUPT })
}

/** Statements over samples.db that change it, and the look-ups that sealing needs. */
export class ChunkTable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  readonly #sums: StreamSums

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#sums = new StreamSums({
      selectBucket: (bucket) =>
        this.#prepare('SELECT sums FROM stream_sum WHERE bucket = ?').get(bucket)?.sums,
      writeBucket: (bucket, packed) => {
        const write = 'INSERT OR REPLACE INTO stream_sum (bucket, sums) VALUES (?, ?)'
        this.#prepare(write).run(bucket, packed)
      },
      countBucket: (bucket) => this.#countBucket(bucket),
    })
  }

  begin(): void {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  commit(): void {
    this.#sums.flush()
    this.#db.exec('COMMIT')
  }

  rollback(): void {
    this.#sums.clearCache()
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

  /** Remembers how far the journal is in here. */
  writeSealed(segment: number, lastSequence: number | undefined): void {
    const sequence = lastSequence ?? this.readMeta(SEALED_SEQUENCE)
    this.writeMeta(SEALED_SEGMENT, segment)
    this.writeMeta(SEALED_SEQUENCE, sequence)
    this.writeMeta(SEALED_CHECK, sealedSum(segment, sequence))
  }

  /** Adds a row; returns its id. */
  insert(stream: number, level: number, row: PackedChunk): number {
    const { lastInsertRowid } = this.#prepare(
      `INSERT INTO chunk (stream, level, start, last, count, last_value, summary, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(stream, level, row.start, row.last, row.count, row.lastValue, row.summary, row.data)
    const { start, last, count } = row
    const id = Number(lastInsertRowid)
    this.#sums.add(stream, rowSum({ id, level, start, last, count }))
    return id
  }

  /** Puts other samples into a row that keeps its place in the order of sealing. */
  update(found: FoundRow, row: PackedChunk): void {
    const { id, stream, level } = found
    const { start, last, count } = row
    this.#sums.add(stream, rowSum({ id, level, start, last, count }) - rowSum(found))
    const changed = this.#prepare(
      `UPDATE chunk SET start = ?, last = ?, count = ?, last_value = ?, summary = ?, data = ?
       WHERE id = ? AND +stream = ?`,
    ).run(row.start, row.last, row.count, row.lastValue, row.summary, row.data, id, stream)
    checkOwned(changed.changes)
  }

  setLevel(found: FoundRow, level: number): void {
    this.#sums.add(found.stream, rowSum({ ...found, level }) - rowSum(found))
    const { id, stream } = found
    const change = 'UPDATE chunk SET level = ? WHERE id = ? AND +stream = ?'
    checkOwned(this.#prepare(change).run(level, id, stream).changes)
  }

  delete(found: FoundRow): void {
    this.#sums.add(found.stream, -rowSum(found))
    const remove = 'DELETE FROM chunk WHERE id = ? AND +stream = ?'
    checkOwned(this.#prepare(remove).run(found.id, found.stream).changes)
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
    const rows = this.#prepare(
      'SELECT id, stream, level, start, last, count FROM chunk WHERE stream = ? LIMIT ?',
    ).all(stream, limit) as unknown as FoundRow[]
    for (const row of rows) this.delete(row)
    if (rows.length < limit) this.#sums.clear(stream)
    return rows.length
  }

  /** Builds the index of the rows again from the rows; false, and nothing is done, where those are damaged. */
  rebuildIndex(): boolean {
    if (!this.#areRowsWhole()) return false
    this.#replaceIndex()
    return true
  }

  /**
   * Lets go of the index and makes it again. Its pages stay behind unused: to free what a damaged tree
   * names, as REINDEX does, frees what others use where one bit of a page number is wrong.
   */
  #replaceIndex(): void {
    const db = this.#db
    const query = `SELECT sql FROM sqlite_schema WHERE name = 'chunk_by_start'`
    const { sql } = db.prepare(query).get() as { sql: string }
    const { schema_version } = db.prepare('PRAGMA schema_version').get() as {
      schema_version: number
    }
    db.enableDefensive(false)
    db.exec('BEGIN IMMEDIATE')
    try {
      db.exec('PRAGMA writable_schema = ON')
      db.exec(`DELETE FROM sqlite_schema WHERE name = 'chunk_by_start'`)
      db.exec(`PRAGMA schema_version = ${schema_version + 1}`)
      // Forgets the index that this connection still knows.
      db.exec('PRAGMA writable_schema = RESET')
      db.exec(sql)
      db.exec('COMMIT')
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK')
      db.exec('PRAGMA writable_schema = OFF')
      db.enableDefensive(true)
    }
  }

  /** Whether every row can be read, in the order of ids: only then do the rows tell more than the index. */
  #areRowsWhole(): boolean {
    let before = 0
    try {
      const rows = this.#prepare(
        'SELECT id, stream, level, start, last, count, data FROM chunk NOT INDEXED',
      )
      for (const row of rows.iterate() as unknown as Iterable<{ id: number }>) {
        if (row.id <= before) return false
        before = row.id
      }
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return false
    }
    const query = `SELECT seq AS value FROM sqlite_sequence WHERE name = 'chunk'`
    const last = this.#prepare(query).get() as { value: number } | undefined
    return before <= (last?.value ?? 0)
  }

  #countBucket(bucket: number): Uint32Array {
    const sums = new Uint32Array(STREAMS_PER_BUCKET)
    const first = bucket * STREAMS_PER_BUCKET
    const rows = this.#prepare(
      `SELECT stream, sum(${ROW_SUM_SQL}) AS sum FROM chunk
       WHERE stream >= ? AND stream < ? GROUP BY stream`,
    ).all(first, first + STREAMS_PER_BUCKET) as Array<{ stream: number; sum: number }>
    for (const { stream, sum } of rows) sums[stream - first] = wrapSum(sum)
    return sums
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
