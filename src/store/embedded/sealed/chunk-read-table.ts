/** The reading side of samples.db: one connection, in the main thread. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { TouchedSpan } from '../../sample-port.ts'
import { CHUNK_LEVEL, type ChunkPlace, type ChunkRow, RUN_LEVEL } from '../rows/chunk-row.ts'
import { SEALED_CHECK, SEALED_SEGMENT, SEALED_SEQUENCE, TOUCHED_SUM } from '../rows/meta-names.ts'
import { ROW_SUM_SQL, sealedSum, TOUCHED_TOTAL_SQL, wrapSum } from '../rows/row-sum.ts'
import { bucketOf, STREAMS_PER_BUCKET, unpackSums } from '../rows/stream-sums.ts'

const ROW = 'id, level, start, last, count, summary, data'
/** Format 1 kept texts here too, which SQLite turned into numbers where they looked like some. */
const LAST_VALUE = `iif(typeof(last_value) = 'blob', last_value, NULL) AS lastValue`
const CHUNKS = `FROM chunk WHERE stream = ? AND level = ${CHUNK_LEVEL}`
const RUNS = `FROM chunk WHERE stream = ? AND level = ${RUN_LEVEL}`

/** A row's last sample, its value still packed. */
export interface LastRow {
  readonly id: number
  readonly last: number
  readonly lastValue: Uint8Array | null
}

/** Look-ups in samples.db. None leaves a read transaction open across an await. */
export class ChunkReadTable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    this.#db.exec('PRAGMA cache_size = -32000')
  }

  /**
   * Runs several look-ups over one state of the file: the sealer commits in its own thread, and
   * could otherwise move samples from where the next look-up goes to where the last one was.
   */
  inOneView<T>(look: () => T): T {
    if (this.#db.isTransaction) return look()
    this.#prepare('BEGIN').run()
    try {
      return look()
    } finally {
      // Not COMMIT: after a look-up that met a malformed page, that throws its error once more.
      if (this.#db.isTransaction) this.#prepare('ROLLBACK').run()
    }
  }

  /** How far the journal is in here; undefined when what is kept of it does not check. */
  readSealed(): { segment: number; sequence: number } | undefined {
    const [segment, sequence] = [this.#readMeta(SEALED_SEGMENT), this.#readMeta(SEALED_SEQUENCE)]
    const check = this.#readMeta(SEALED_CHECK)
    if (check !== undefined && segment !== undefined && sequence !== undefined) {
      return check === sealedSum(segment, sequence) ? { segment, sequence } : undefined
    }
    const hasRows = this.#prepare('SELECT 1 FROM chunk LIMIT 1').get() !== undefined
    const isFresh = check === undefined && segment === undefined && sequence === undefined
    return isFresh && !hasRows ? { segment: 0, sequence: 0 } : undefined
  }

  /** Whether the watched streams and their touched spans add up to their sum. */
  isTouchedWhole(): boolean {
    const { value } = this.#prepare(TOUCHED_TOTAL_SQL).get() as { value: number }
    return wrapSum(value) === (this.#readMeta(TOUCHED_SUM) ?? 0)
  }

  /** The sum of a stream's rows as it is kept, undefined where it does not check, and as it is. */
  selectSums(stream: number): { kept: number | undefined; found: number } {
    const bucket = bucketOf(stream)
    const row = this.#prepare('SELECT sums FROM stream_sum WHERE bucket = ?').get(bucket)
    const sums = row === undefined ? undefined : unpackSums(bucket, row.sums)
    const { found } = this.#prepare(
      `SELECT coalesce(sum(${ROW_SUM_SQL}), 0) AS found FROM chunk WHERE stream = ?`,
    ).get(stream) as { found: number }
    const kept = row === undefined ? 0 : sums?.[stream % STREAMS_PER_BUCKET]
    return { kept, found: wrapSum(found) }
  }

  /** Where all rows of a stream and level lie, oldest first, from the index alone. */
  scanPlaces(stream: number, level: number): Iterable<ChunkPlace> {
    return this.#prepare(
      `SELECT id, start, last, count FROM chunk WHERE stream = ? AND level = ? ORDER BY start`,
    ).iterate(stream, level) as unknown as Iterable<ChunkPlace>
  }

  /** The runs of a stream that meet from ≤ time < until, newest first. */
  selectRuns(stream: number, from: number, until: number): ChunkRow[] {
    return this.#prepare(`SELECT ${ROW} ${RUNS} AND start < ? AND last >= ? ORDER BY id DESC`).all(
      stream,
      until,
      from,
    ) as unknown as ChunkRow[]
  }

  /** Chunks that meet from ≤ time < until, latest first, while `wants` asks for more. */
  selectBackward(
    stream: number,
    span: { from: number; until: number },
    wants: (row: ChunkRow) => boolean,
  ): ChunkRow[] {
    const found: ChunkRow[] = []
    const rows = this.#prepare(`SELECT ${ROW} ${CHUNKS} AND start < ? ORDER BY start DESC`)
    for (const row of rows.iterate(stream, span.until) as unknown as Iterable<ChunkRow>) {
      if (row.last < span.from) break
      found.push(row)
      if (!wants(row)) break
    }
    return found
  }

  /** Chunks that meet from ≤ time < until, oldest first, while `wants` asks for more. */
  selectForward(
    stream: number,
    span: { from: number; until: number },
    wants: (row: ChunkRow) => boolean,
  ): ChunkRow[] {
    const found: ChunkRow[] = []
    const from = this.#startMeeting(stream, span.from)
    const rows = this.#prepare(
      `SELECT ${ROW} ${CHUNKS} AND start >= ? AND start < ? ORDER BY start`,
    )
    for (const row of rows.iterate(stream, from, span.until) as unknown as Iterable<ChunkRow>) {
      found.push(row)
      if (!wants(row)) break
    }
    return found
  }

  /** Where the chunks lie that meet from ≤ time < until, oldest first; read from the index alone. */
  selectPlaces(stream: number, from: number, until: number): ChunkPlace[] {
    return this.#prepare(
      `SELECT id, start, last, count ${CHUNKS} AND start >= ? AND start < ? ORDER BY start`,
    ).all(stream, this.#startMeeting(stream, from), until) as unknown as ChunkPlace[]
  }

  /** One row, or undefined when it has been merged into others. */
  selectRow(id: number): ChunkRow | undefined {
    const row = this.#prepare(`SELECT ${ROW} FROM chunk WHERE id = ?`).get(id)
    return row as unknown as ChunkRow | undefined
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

  /** The row that holds the stream's latest sample; of equal ones the newest. */
  selectLast(stream: number): LastRow | undefined {
    const last = `SELECT id, last, ${LAST_VALUE}`
    let best = this.#prepare(`${last} ${CHUNKS} ORDER BY start DESC LIMIT 1`).get(stream) as
      | LastRow
      | undefined
    const runs = this.#prepare(`${last} ${RUNS} ORDER BY id`).all(stream) as unknown as LastRow[]
    for (const run of runs) if (best === undefined || run.last >= best.last) best = run
    return best
  }

  /** Touched spans after a cursor, with the cursor of each; rows of one cursor are never parted. */
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
      span: { handle: row.stream, from: row.start, until: row.until },
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

  /** The start of the chunk that may reach over a time from before it, else the time itself. */
  #startMeeting(stream: number, time: number): number {
    const row = this.#prepare(
      `SELECT start, last ${CHUNKS} AND start <= ? ORDER BY start DESC LIMIT 1`,
    ).get(stream, time) as { start: number; last: number } | undefined
    return row !== undefined && row.last >= time ? row.start : time
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
