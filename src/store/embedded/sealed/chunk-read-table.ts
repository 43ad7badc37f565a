/** The reading side of samples.db: one connection, in the main thread. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { TouchedSpan } from '../../ports/sample-port.ts'
import type { ChunkPlace, ChunkRow } from '../rows/chunk-row.ts'
import { CHECKED_COLUMNS } from '../rows/corrected-row.ts'
import type { IndexedRow } from '../rows/known-rows.ts'
import { TOUCHED_SUM } from '../rows/meta-names.ts'
import { RowListTable } from '../rows/row-list-table.ts'
import { TOUCHED_TOTAL_SQL, wrapSum } from '../rows/row-sum.ts'
import { readSealed, type SealedState } from '../rows/sealed-state.ts'
import type { RowIndex } from '../rows/stream-rows.ts'
import { bucketOf, STREAMS_PER_BUCKET, unpackSums } from '../rows/stream-sums.ts'

const ROW = `id, ${CHECKED_COLUMNS}, summary, data`
/** Format 1 kept texts here too, which SQLite turned into numbers where they looked like some. */
const LAST_VALUE = `iif(typeof(last_value) = 'blob', last_value, NULL) AS lastValue`

/** Buckets of sums at hand: those of a million streams, 8 MB. */
const BUCKETS_MAX = 4_096
const NO_SUMS = new Float64Array(STREAMS_PER_BUCKET)

/** A row's last sample, its value still packed. */
interface LastRow {
  readonly id: number
  readonly last: number
  readonly lastValue: Uint8Array | null
}

/** Look-ups in samples.db. None leaves a read transaction open across an await. */
export class ChunkReadTable implements RowIndex {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #lists: RowListTable
  /** Sums by bucket, as they are while nobody else commits. */
  readonly #sums = new Map<number, Float64Array>()
  #sumsVersion = 0
  /** Whether the version was read in the transaction under way, which sees one state of the file. */
  #isVersionRead = false
  /** Whether the version was read for `isEmpty` by the synchronous code under way. */
  #isVersionRecent = false

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    this.#db.exec('PRAGMA cache_size = -8000')
    this.#lists = new RowListTable(this.#db)
  }

  /**
   * Runs several look-ups over one state of the file: the sealer commits in its own thread, and
   * could otherwise move samples from where the next look-up goes to where the last one was.
   */
  inOneView<T>(look: () => T): T {
    if (this.#db.isTransaction) return look()
    this.#prepare('BEGIN').run()
    this.#isVersionRead = false
    try {
      return look()
    } finally {
      this.#isVersionRead = false
      // Not COMMIT: after a look-up that met a malformed page, that throws its error once more.
      if (this.#db.isTransaction) this.#prepare('ROLLBACK').run()
    }
  }

  /** How far the journal is in here; undefined when what is kept of it does not check. */
  readSealed(): SealedState | undefined {
    return readSealed(this.#db)
  }

  /** Whether the watched streams and their touched spans add up to their sum. */
  isTouchedWhole(): boolean {
    const { value } = this.#prepare(TOUCHED_TOTAL_SQL).get() as { value: number }
    return wrapSum(value) === (this.#readMeta(TOUCHED_SUM) ?? 0)
  }

  /** The sum of a stream's rows as it is kept, undefined where it does not check. */
  keptSum(stream: number): number | undefined {
    this.#checkVersion()
    return this.#sumOf(stream)
  }

  /**
   * Whether a stream has no rows. Until the current synchronous code ends, the file is asked only once whether others
   * have committed, because the head still has what they have sealed.
   */
  isEmpty(stream: number): boolean {
    if (!this.#isVersionRecent) {
      this.#checkVersion()
      this.#isVersionRecent = true
      queueMicrotask(() => {
        this.#isVersionRecent = false
      })
    }
    return this.#sumOf(stream) === 0
  }

  #sumOf(stream: number): number | undefined {
    const bucket = bucketOf(stream)
    let sums = this.#sums.get(bucket)
    if (sums === undefined) {
      const row = this.#prepare('SELECT sums FROM stream_sum WHERE bucket = ?').get(bucket)
      sums = row === undefined ? NO_SUMS : unpackSums(bucket, row.sums)
      if (sums === undefined) return undefined
      if (this.#sums.size >= BUCKETS_MAX) this.#sums.clear()
      this.#sums.set(bucket, sums)
    }
    return sums[stream % STREAMS_PER_BUCKET]
  }

  /** Forgets sums when others have committed. */
  #checkVersion(): void {
    if (this.#isVersionRead) return
    const { data_version } = this.#prepare('PRAGMA data_version').get() as { data_version: number }
    if (data_version !== this.#sumsVersion) this.#sums.clear()
    this.#sumsVersion = data_version
    this.#isVersionRead = this.#db.isTransaction
  }

  /** All rows of a stream as the index names them, in the order of level and start. */
  listRows(stream: number): IndexedRow[] {
    return this.#lists.rows(stream)
  }

  /** The rows of a stream but for chunks that begin before a time. */
  listRowsFrom(stream: number, from: number): IndexedRow[] {
    return this.#lists.rowsFrom(stream, from)
  }

  /** The chunks of a stream that begin in from ≤ start < until, oldest first. */
  listChunks(stream: number, from: number, until: number): IndexedRow[] {
    return this.#lists.chunks(stream, from, until)
  }

  /** Where all rows of a stream and level lie, oldest first, from the index alone. */
  scanPlaces(stream: number, level: number): Iterable<ChunkPlace> {
    return this.#prepare(
      // A number that does not fit would leave the statement open, and its lock held. Without the table's name, start is
      // the alias, and SQLite sorts the rows instead of following the index.
      `SELECT id, ${CHECKED_COLUMNS} FROM chunk WHERE stream = ? AND level = ? ORDER BY chunk.start`,
    ).iterate(stream, level) as unknown as Iterable<ChunkPlace>
  }

  /** One row, or undefined when it has been merged into others. */
  selectRow(id: number): ChunkRow | undefined {
    const row = this.#prepare(`SELECT ${ROW} FROM chunk WHERE id = ?`).get(id)
    return row as unknown as ChunkRow | undefined
  }

  /** The packed samples of a row. */
  selectData(id: number): Uint8Array | undefined {
    const row = this.#prepare('SELECT data FROM chunk WHERE id = ?').get(id)
    return (row as { data: Uint8Array } | undefined)?.data
  }

  /** What the table itself, not its index, says of a row's owner. */
  selectOwner(id: number): { stream: number; level: number } | undefined {
    const row = this.#prepare('SELECT stream, level FROM chunk WHERE id = ?').get(id)
    return row as { stream: number; level: number } | undefined
  }

  /** A row's summary, undefined when the row is gone. */
  selectSummary(id: number): { summary: Uint8Array | null } | undefined {
    const row = this.#prepare('SELECT summary FROM chunk WHERE id = ?').get(id)
    return row as { summary: Uint8Array | null } | undefined
  }

  /** What a row keeps of its last sample; undefined when the row is gone. */
  selectLast(id: number): LastRow | undefined {
    const row = this.#prepare(`SELECT id, last, ${LAST_VALUE} FROM chunk WHERE id = ?`).get(id)
    return row as LastRow | undefined
  }

  /**
   * Touched spans after a cursor, with the cursor of each; rows of one cursor are never parted. A row is about a whole
   * segment, which may have begun before the cursor.
   */
  selectTouched(cursor: number, limit: number): Array<{ cursor: number; span: TouchedSpan }> {
    const end = this.#prepare(
      `SELECT max(cursor) AS cursor FROM
       (SELECT cursor FROM touched WHERE cursor > ? ORDER BY cursor LIMIT ?)`,
    ).get(cursor, limit) as { cursor: number | null }
    const rows = this.#prepare(
      `SELECT cursor, stream, start, until FROM touched
       WHERE cursor > ? AND cursor <= ? ORDER BY cursor, stream`,
    ).all(cursor, end.cursor ?? cursor) as unknown as Array<{
      cursor: number
      stream: TouchedSpan['handle']
      start: TouchedSpan['from']
      until: TouchedSpan['until']
    }>
    return rows.map((row) => ({
      cursor: row.cursor,
      span: { handle: row.stream, from: row.start, until: row.until, mayBeOlder: true },
    }))
  }

  /** The streams that are watched. */
  selectWatched(): number[] {
    const rows = this.#prepare('SELECT stream FROM watched').all() as Array<{ stream: number }>
    return rows.map((row) => row.stream)
  }

  close(): void {
    this.#db.close()
  }

  #readMeta(name: string): number | undefined {
    const row = this.#prepare('SELECT value FROM meta WHERE name = ?').get(name)
    return (row as { value: number } | undefined)?.value
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
