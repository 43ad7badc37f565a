/**
 * Writes the rows of samples.db again where pages of them are damaged; docs/format/samples-db.md. Damaged
 * trees are only read, never written to nor freed: what they name may be in use elsewhere.
 */
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { StreamHandle } from '../../ports/sample-port.ts'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { type ChunkRow, DAMAGED_LEVEL, isDecoded } from '../rows/chunk-row.ts'
import { CHECKED_COLUMNS, correctedRow } from '../rows/corrected-row.ts'
import { describeRow, describeSuspect } from '../rows/damaged-row.ts'
import { STREAMS_PER_BUCKET, unpackSums } from '../rows/stream-sums.ts'
import { sumStreams } from './samples-tables.ts'

/** The log takes each row once, and then the file. */
const ROOM_TIMES = 2.2

/** Rows that are listed one by one, each by two files in quarantine; of others, only the streams are listed. */
const LOST_REPORTED_MAX = 100
const STREAMS_REPORTED_MAX = 10_000

/** Rows that the index does not know, checked last. More are left behind and detected by the sums. */
const FOREIGN_MAX = 100_000

/** Ids of which no row could be read, one after the other, after which the search by id ends. */
const SKIP_MAX = 2 ** 40

/** A greater id was never given. */
const ID_END = 2 ** 48

/** Where the last ID is unknown, this many IDs after the greatest known one count as used. */
const IDS_LEFT_OUT = 1_000_000

/** Rows between two looks whether the store closes. */
const ROWS_PER_LOOK = 256

/** Making `chunk` again makes sqlite_sequence again, where the last id is kept. */
const TREES = `'chunk', 'chunk_by_start', 'stream_sum', 'sqlite_sequence'`
const FIELDS = 'id, stream, level, start, last, count'

interface SalvagedRow extends ChunkRow {
  readonly stream: number
  readonly lastValue: unknown
}

type IndexEntry = Omit<SalvagedRow, 'lastValue' | 'summary' | 'data'>

/** What salvaging is asked to respect. */
interface SalvageOptions {
  /** Called between rows; what it throws undoes everything. */
  readonly onRows: () => void
  /** Called with everything lost before the damaged rows are let go. */
  readonly onLost: (found: FoundDamage) => void
  /** The segment whose seal met the damage. */
  readonly segment: number
}

/**
 * Writes every row that can be read to fresh tables, which take the place of the damaged ones in one
 * transaction; returns the losses.
 */
export function salvageRows(db: DatabaseSync, options: SalvageOptions): FoundDamage[] {
  const file = db.location()
  if (file === null) throw new Error('BUG: rows in memory are not salvaged')
  checkRoom(file)
  // On a connection of its own, which goes on seeing what was there before.
  using before = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  before.exec('BEGIN')
  db.enableDefensive(false)
  db.exec('BEGIN IMMEDIATE')
  try {
    replaceTrees(db)
    const salvage = new Salvage(before, db, options)
    salvage.copyRows()
    salvage.copyIndexed()
    salvage.copyForeign()
    salvage.keepLastId()
    sumStreams(db)
    const damages = salvage.report()
    for (const found of damages) options.onLost(found)
    db.exec('COMMIT')
    return damages
  } catch (error) {
    throw error instanceof FreshDamaged ? error.cause : error
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
    db.exec('PRAGMA writable_schema = OFF')
    db.enableDefensive(true)
  }
}

function checkRoom(file: string): void {
  const { bavail, bsize } = statfsSync(dirname(file))
  if (bavail * bsize >= statSync(file).size * ROOM_TIMES) return
  const error = new Error('There is no room to write the rows of samples.db again')
  throw Object.assign(error, { code: 'ENOSPC' })
}

/** Lets go of the damaged trees and makes empty ones of the same description. */
function replaceTrees(db: DatabaseSync): void {
  const created = db
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE name IN (${TREES}) AND name <> 'sqlite_sequence'
       ORDER BY name`,
    )
    .all() as Array<{ sql: string }>
  const { schema_version } = db.prepare('PRAGMA schema_version').get() as { schema_version: number }
  db.exec('PRAGMA writable_schema = ON')
  db.exec(`DELETE FROM sqlite_schema WHERE name IN (${TREES})`)
  db.exec(`PRAGMA schema_version = ${schema_version + 1}`)
  // Forgets the trees that this connection still knows.
  db.exec('PRAGMA writable_schema = RESET')
  for (const { sql } of created) db.exec(sql)
}

/** The fresh tables cannot be written to: that must not pass for a damaged row. */
class FreshDamaged extends Error {}

function inFresh<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isDamagedFile(error) ? new FreshDamaged('see the cause', { cause: error }) : error
  }
}

/** One salvage under way: from one connection to another. */
class Salvage {
  readonly #before: DatabaseSync
  readonly #db: DatabaseSync
  readonly #options: SalvageOptions
  readonly #insert: StatementSync
  readonly #hasId: StatementSync
  readonly #idMax: number
  readonly #foreign: number[] = []
  readonly #damages: FoundDamage[] = []
  readonly #hurtStreams = new Set<number>()
  readonly #otherStreams = new Set<StreamHandle>()
  #idSeen = 0
  #kept = 0
  #lost = 0
  #looked = 0

  constructor(before: DatabaseSync, db: DatabaseSync, options: SalvageOptions) {
    this.#before = before
    this.#db = db
    this.#options = options
    this.#insert = db.prepare(
      `INSERT INTO chunk (${FIELDS}, last_value, summary, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#hasId = db.prepare('SELECT 1 FROM chunk WHERE id = ?')
    this.#idMax = this.#try(() => readLastId(before)) ?? 0
  }

  /** Copies the rows that the table gives and its index knows as they are. */
  copyRows(): void {
    const inIndex = this.#before.prepare(
      `SELECT 1 FROM chunk INDEXED BY chunk_by_start WHERE stream = ? AND level = ? AND start = ?
       AND last = ? AND count = ? AND id = ?`,
    )
    // Undefined where the index cannot be read.
    const isInIndex = ({ stream, level, start, last, count, id }: SalvagedRow) =>
      this.#try(() => inIndex.get(stream, level, start, last, count, id) !== undefined)
    let id = 0
    for (let skip = 0; skip < SKIP_MAX; skip = skip * 2 + 1) {
      const isDone = this.#try(() => {
        for (const row of this.#rowsAfter(id + skip)) {
          id = Math.max(id, row.id)
          skip = 0
          const isIndexed = isInIndex(row) ?? isOwned(row)
          if (isIndexed) this.#keep(correctedRow(row))
          else if (this.#foreign.length < FOREIGN_MAX) this.#foreign.push(row.id)
        }
        return true
      })
      if (isDone === true) return
    }
  }

  /** Copies what else the index knows and can be read, and notes what cannot. */
  copyIndexed(): void {
    const entries = this.#before.prepare(
      `SELECT ${FIELDS} FROM chunk INDEXED BY chunk_by_start ORDER BY stream, level, start`,
    )
    this.#try(() => {
      for (const entry of entries.iterate() as unknown as Iterable<IndexEntry>) {
        this.#look()
        this.#idSeen = Math.max(this.#idSeen, entry.id)
        if (this.#hasKept(entry.id)) continue
        const row = this.#rowAt(entry.id)
        // What the index says of a row counts where its samples say so too.
        if (row !== undefined && isSameEntry(row, entry)) this.#keep(correctedRow(row))
        else if (row !== undefined && isOwned({ ...row, ...entry }))
          this.#keep({ ...row, ...entry })
        else this.#noteLost(entry)
      }
    })
  }

  /** Copies rows that the index does not know, where they say themselves whose they are. */
  copyForeign(): void {
    for (const id of this.#foreign) {
      this.#look()
      if (id > (this.#idMax || this.#idSeen) || this.#hasKept(id)) continue
      const found = this.#rowAt(id)
      const row = found && correctedRow(found)
      if (row !== undefined && isOwned(row)) this.#keep(row)
    }
  }

  /** Keeps every id from coming back, also those of rows that are lost. */
  keepLastId(): void {
    const last = this.#idMax === 0 ? this.#idSeen + IDS_LEFT_OUT : this.#idMax
    const write = this.#db.prepare(
      `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'chunk'`,
    )
    if (write.run(last).changes > 0) return
    this.#db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('chunk', ?)`).run(last)
  }

  /** Everything that is lost, as far as it is known what it was. */
  report(): FoundDamage[] {
    this.#reportStreams()
    const { segment: offset } = this.#options
    const what =
      `pages of table chunk cannot be read: ${this.#kept} rows were written again, ` +
      `${this.#lost} that the index knows are lost`
    const handles = [...this.#otherStreams]
    const nowhere = { bytes: 0, handles, from: undefined, until: undefined }
    const damage = { file: 'samples.db.chunk', offset, ...nowhere, what }
    return [...this.#damages, { damage, bytes: new Uint8Array(0) }]
  }

  /** Streams whose rows no longer match their sum, without a known lost row. */
  #reportStreams(): void {
    const after = this.#db.prepare('SELECT sums FROM stream_sum WHERE bucket = ?')
    const buckets = this.#before.prepare('SELECT bucket, sums FROM stream_sum')
    this.#try(() => {
      const rows = buckets.iterate() as unknown as Iterable<{ bucket: number; sums: unknown }>
      for (const { bucket, sums } of rows) {
        const kept = unpackSums(bucket, sums)
        const found = unpackSums(bucket, after.get(bucket)?.sums)
        for (const [at, sum] of kept?.entries() ?? []) {
          const stream = bucket * STREAMS_PER_BUCKET + at
          if (sum === (found?.[at] ?? 0) || this.#hurtStreams.has(stream)) continue
          this.#reportOne(describeSuspect(stream, 'does not add up to its sum'))
        }
      }
    })
  }

  #rowsAfter(id: number): Iterable<SalvagedRow> {
    const rows = this.#before.prepare(
      `SELECT id, ${CHECKED_COLUMNS}, last_value AS lastValue, summary, data FROM chunk NOT INDEXED
       WHERE id > ? ORDER BY id`,
    )
    return rows.iterate(id) as unknown as Iterable<SalvagedRow>
  }

  #rowAt(id: number): SalvagedRow | undefined {
    return this.#try(
      () =>
        this.#before
          .prepare(
            `SELECT id, ${CHECKED_COLUMNS}, last_value AS lastValue, summary, data FROM chunk NOT INDEXED
             WHERE id = ?`,
          )
          .get(id) as unknown as SalvagedRow | undefined,
    )
  }

  #keep(row: SalvagedRow): void {
    this.#look()
    if (!(row.data instanceof Uint8Array) || this.#hasKept(row.id)) return
    const { id, stream, start, last, count, data } = row
    const level = this.#levelOf(row)
    const [lastValue, summary] = [bytesOrNull(row.lastValue), bytesOrNull(row.summary)]
    inFresh(() => {
      this.#insert.run(id, stream, level, start, last, count, lastValue, summary, data)
    })
    this.#kept += 1
  }

  /** Rows that do not check are set aside: no seal may be stopped by one. */
  #levelOf(row: SalvagedRow): number {
    const { level, stream, data } = row
    if (level === DAMAGED_LEVEL || isDecoded(row, stream, () => row)) return level
    this.#hurtStreams.add(stream)
    this.#reportOne(describeRow({ stream, place: row, data }))
    return DAMAGED_LEVEL
  }

  #hasKept(id: number): boolean {
    return inFresh(() => this.#hasId.get(id) !== undefined)
  }

  #noteLost({ stream, ...place }: IndexEntry): void {
    this.#lost += 1
    this.#hurtStreams.add(stream)
    this.#reportOne(describeRow({ stream, place, data: new Uint8Array(0) }))
  }

  #reportOne(found: FoundDamage): void {
    if (this.#damages.length < LOST_REPORTED_MAX) this.#damages.push(found)
    else if (this.#otherStreams.size < STREAMS_REPORTED_MAX) {
      for (const stream of found.damage.handles) this.#otherStreams.add(stream)
    }
  }

  #look(): void {
    this.#looked += 1
    if (this.#looked % ROWS_PER_LOOK === 0) this.#options.onRows()
  }

  /** What a look at the damaged tables gives, undefined where it meets the damage. */
  #try<T>(look: () => T): T | undefined {
    try {
      return look()
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      return undefined
    }
  }
}

function readLastId(db: DatabaseSync): number | undefined {
  const row = db.prepare(`SELECT seq AS value FROM sqlite_sequence WHERE name = 'chunk'`).get()
  return typeof row?.value === 'number' && row.value < ID_END ? row.value : undefined
}

function isSameEntry(row: SalvagedRow, entry: IndexEntry): boolean {
  return (
    row.stream === entry.stream &&
    row.level === entry.level &&
    row.start === entry.start &&
    row.last === entry.last &&
    row.count === entry.count
  )
}

/** Whether a row says itself whose it is. */
function isOwned(row: SalvagedRow): boolean {
  return isDecoded(row, row.stream, () => undefined)
}

function bytesOrNull(value: unknown): Uint8Array | null {
  return value instanceof Uint8Array ? value : null
}
