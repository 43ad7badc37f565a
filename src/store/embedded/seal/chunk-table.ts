/** The writing side of samples.db: one connection, in the sealer's thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { COMPANION_BASE } from '../../fields/companion.ts'
import { damagedIndex, isDamagedFile } from '../damage/folder-damaged.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import { type ChunkPlace, type FoundRow, type PackedChunk, RUN_LEVEL } from '../rows/chunk-row.ts'
import type { KnownRows } from '../rows/known-rows.ts'
import { SEALED_CHECK, SEALED_SEGMENT, SEALED_SEQUENCE } from '../rows/meta-names.ts'
import { RowListTable } from '../rows/row-list-table.ts'
import { rowSum, sealedSum } from '../rows/row-sum.ts'
import { StreamRows } from '../rows/stream-rows.ts'
import { packSums, STREAMS_PER_BUCKET, StreamSums } from '../rows/stream-sums.ts'
import { SAMPLES_BUSY_MS } from './open-samples-file.ts'
import { readAllRows } from './sum-rows-table.ts'

/** Reads of the service take milliseconds. */
const CHECKPOINT_WAIT_MS = 100

/** What a page of one row holds beside its bytes: its other columns, and what SQLite needs. */
const OTHER_CELL_BYTES_MAX = 200

/** The index named a row under a stream that the row is not of: what was to be changed is another's. */
function checkOwned(changes: number | bigint): void {
  if (Number(changes) === 1) return
  throw damagedIndex('The index of samples.db names a row that is not of its stream')
}

/** Statements over samples.db that change it, and the look-ups that sealing needs. */
export class ChunkTable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  readonly #sums: StreamSums
  readonly #lists: RowListTable
  readonly #known: StreamRows
  readonly #pageBytes: number

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#pageBytes = Number(db.prepare('PRAGMA page_size').get()?.page_size)
    this.#sums = new StreamSums({
      selectBucket: (bucket) =>
        this.#prepare('SELECT sums FROM stream_sum WHERE bucket = ?').get(bucket)?.sums,
      writeBucket: (bucket, packed) => {
        const write = 'INSERT OR REPLACE INTO stream_sum (bucket, sums) VALUES (?, ?)'
        this.#prepare(write).run(bucket, packed)
      },
      hasRows: (bucket) => this.#hasRows(bucket),
    })
    this.#lists = new RowListTable(db)
    this.#known = new StreamRows({
      keptSum: (stream) => this.#sums.get(stream),
      listRows: (stream) => this.#lists.rows(stream),
      listRowsFrom: (stream, from) => this.#lists.rowsFrom(stream, from),
      listChunks: (stream, from, until) => this.#lists.chunks(stream, from, until),
    })
  }

  begin(): void {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  /**
   * Begins the first of the transactions that a seal takes. The very first seal records that nothing is sealed yet:
   * rows that it leaves when it is cut would be taken for those of a file that has lost count.
   */
  beginSeal(): void {
    this.begin()
    const isCounted = this.#prepare('SELECT 1 FROM meta WHERE name = ?').get(SEALED_SEGMENT)
    if (isCounted === undefined) this.writeSealed(0, 0)
  }

  commit(): void {
    this.#sums.flush()
    this.#db.exec('COMMIT')
  }

  rollback(): void {
    this.#sums.clearCache()
    this.#known.clear()
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  /** Copies the log into the file and empties it, as far as readers allow: samples lie once on disk. */
  checkpoint(): void {
    // A reader that stays, such as a backup, must not hold up sealing: the next one empties the log.
    this.#db.exec(`PRAGMA busy_timeout = ${CHECKPOINT_WAIT_MS}`)
    try {
      this.#prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${SAMPLES_BUSY_MS}`)
    }
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
    // Before there is a row that a missing sum would not account for.
    this.#sums.get(stream)
    const { lastInsertRowid } = this.#prepare(
      `INSERT INTO chunk (stream, level, start, last, count, last_value, summary, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(stream, level, row.start, row.last, row.count, row.lastValue, row.summary, row.data)
    const { start, last, count } = row
    const id = Number(lastInsertRowid)
    const place = { id, start, last, count }
    this.#sums.add(stream, rowSum({ ...place, level }))
    this.#change(stream, (known) => known.add(level, place))
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
    this.#change(stream, (known) => {
      known.remove(level, found)
      known.add(level, { id, start, last, count })
    })
  }

  setLevel(found: FoundRow, level: number): void {
    this.#sums.add(found.stream, rowSum({ ...found, level }) - rowSum(found))
    const { id, stream } = found
    const change = 'UPDATE chunk SET level = ? WHERE id = ? AND +stream = ?'
    checkOwned(this.#prepare(change).run(level, id, stream).changes)
    this.#change(stream, (known) => {
      known.remove(found.level, found)
      known.add(level, placeOf(found))
    })
  }

  delete(found: FoundRow): void {
    this.#sums.add(found.stream, -rowSum(found))
    const remove = 'DELETE FROM chunk WHERE id = ? AND +stream = ?'
    checkOwned(this.#prepare(remove).run(found.id, found.stream).changes)
    this.#change(found.stream, (known) => known.remove(found.level, found))
  }

  /** All rows of a stream, as they are at this moment. */
  rowsOf(stream: number): KnownRows {
    return this.#known.of(stream)
  }

  #change(stream: number, apply: (known: KnownRows) => void): void {
    this.#known.change(stream, this.#sums.get(stream), apply)
  }

  /** Whether any stream has a companion with rows. */
  hasCompanions(): boolean {
    const query = `SELECT 1 FROM chunk WHERE stream >= ${COMPANION_BASE} LIMIT 1`
    return this.#prepare(query).get() !== undefined
  }

  /** How many runs a stream has and how many samples they hold. */
  countRuns(stream: number): { runs: number; samples: number } {
    return this.#prepare(
      `SELECT count(*) AS runs, coalesce(sum(count), 0) AS samples FROM chunk
       WHERE stream = ? AND level = ${RUN_LEVEL}`,
    ).get(stream) as { runs: number; samples: number }
  }

  selectData(id: number): Uint8Array | undefined {
    const row = this.#prepare('SELECT data FROM chunk WHERE id = ?').get(id)
    return (row as { data: Uint8Array } | undefined)?.data
  }

  /**
   * Whether a row goes on in other pages. To change or delete one whose bytes do not check would free pages by a chain
   * that may lead into other rows.
   */
  goesOn(id: number): boolean {
    const row = this.#prepare(
      `SELECT length(data) + coalesce(length(summary), 0) + coalesce(length(last_value), 0) AS bytes
       FROM chunk WHERE id = ?`,
    ).get(id) as { bytes: number | null } | undefined
    return (row?.bytes ?? this.#pageBytes) > this.#pageBytes - OTHER_CELL_BYTES_MAX
  }

  /** What the table itself, not its index, says of a row's owner. */
  selectOwner(id: number): { stream: number; level: number } | undefined {
    const row = this.#prepare('SELECT stream, level FROM chunk WHERE id = ?').get(id)
    return row as { stream: number; level: number } | undefined
  }

  /** Every row of a stream, of any level, verified by their sum. */
  listRows(stream: number): FoundRow[] {
    // Throws where they do not add up.
    this.#known.of(stream)
    return this.#lists
      .rows(stream)
      .map(([id, level, start, last, count]) => ({ id, stream, level, start, last, count }))
  }

  /**
   * Corrects rows whose columns are wrong, and builds the index of the rows again from the rows, and sums that do
   * not check. Where rows are damaged or are not those that the sums describe, the index stays, and only rows that
   * their own sums confirm are corrected. False when nothing is done.
   */
  rebuildIndex(onRows: () => void): boolean {
    const rows = readAllRows(this.#db, onRows)
    if (rows === undefined) return false
    this.#sums.clearCache()
    this.#known.clear()
    if (!rows.isWhole) return rows.corrected.length > 0 && this.#tryCorrect(rows.corrected)
    this.#replaceIndex(rows.sums, rows.corrected)
    return true
  }

  /** Corrects rows with the index as it is; false, and nothing is done, where that does not name them as they are. */
  #tryCorrect(rows: readonly FoundRow[]): boolean {
    try {
      inTransaction(this.#db, () => this.#correct(rows))
      return true
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return false
    }
  }

  #correct(rows: readonly FoundRow[]): void {
    const write = this.#db.prepare(
      'UPDATE chunk SET stream = ?, level = ?, start = ?, last = ?, count = ? WHERE id = ?',
    )
    for (const { id, stream, level, start, last, count } of rows) {
      write.run(stream, level, start, last, count, id)
    }
  }

  /**
   * Lets go of the index and makes it again. Its pages stay behind unused: to free what a damaged tree
   * names, as REINDEX does, frees what others use where one bit of a page number is wrong.
   */
  #replaceIndex(sums: ReadonlyMap<number, Float64Array>, corrected: readonly FoundRow[]): void {
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
      this.#correct(corrected)
      db.exec(sql)
      const write = db.prepare('INSERT OR REPLACE INTO stream_sum (bucket, sums) VALUES (?, ?)')
      for (const [bucket, some] of sums) write.run(bucket, packSums(bucket, some))
      db.exec('COMMIT')
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK')
      db.exec('PRAGMA writable_schema = OFF')
      db.enableDefensive(true)
    }
  }

  #hasRows(bucket: number): boolean {
    const first = bucket * STREAMS_PER_BUCKET
    const query = 'SELECT 1 FROM chunk WHERE stream >= ? AND stream < ? LIMIT 1'
    return this.#prepare(query).get(first, first + STREAMS_PER_BUCKET) !== undefined
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function placeOf({ id, start, last, count }: ChunkPlace): ChunkPlace {
  return { id, start, last, count }
}
