/** Reads samples.db from end to end and compares all copies of every fact. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { DamagedBytes, namesOwner } from '../chunk/index.ts'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { type ChunkRow, DAMAGED_LEVEL, decodeRow, placeSeed } from '../rows/chunk-row.ts'
import { CHECKED_COLUMNS, correctedRow } from '../rows/corrected-row.ts'
import { describeRow, describeSuspect } from '../rows/damaged-row.ts'
import { STREAM_END, sumIndexedRows } from '../rows/indexed-sums-table.ts'
import { unpackLastValue } from '../rows/last-value.ts'
import { bucketOf, STREAMS_PER_BUCKET, unpackSums } from '../rows/stream-sums.ts'
import { foldColumns, foldSummary, readSummary, SummaryFold } from '../summary/index.ts'
import { ChunkReadTable } from './chunk-read-table.ts'
import { readKept } from './kept-state.ts'

/** A step ends after so much: some milliseconds of one thread, and a short read transaction. */
const BYTES_PER_STEP = 2 * 1024 * 1024
const BUCKETS_PER_STEP = 16

const LEAST_STREAM =
  'SELECT min(stream) AS value FROM chunk INDEXED BY chunk_by_start WHERE stream >= ? AND stream < ?'

interface FullRow extends ChunkRow {
  readonly stream: number
  readonly lastValue: Uint8Array | null
}

/** What one step of a scrub read and found. */
export interface ScrubStep {
  items: number
  bytes: number
  readonly damages: FoundDamage[]
  isDone: boolean
}

/** One pass over samples.db on a connection of its own. Every step sees one state of the file. */
export class ScrubTable {
  readonly #db: DatabaseSync
  readonly #file: string
  #rows: StatementSync
  readonly #inIndex: StatementSync
  readonly #bucket: StatementSync
  /** Rows that the index names and the table does not have. */
  readonly #missing: StatementSync
  readonly #idEnd: number
  #id = 0
  #skip = 1
  #nextBucket = 0
  #isKeptChecked = false

  constructor(file: string) {
    this.#file = file
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    this.#rows = this.#prepareRows()
    this.#inIndex = this.#db.prepare(
      `SELECT 1 FROM chunk INDEXED BY chunk_by_start WHERE stream = ? AND level = ? AND start = ?
       AND last = ? AND count = ? AND id = ?`,
    )
    this.#bucket = this.#db.prepare('SELECT sums FROM stream_sum WHERE bucket = ?')
    this.#missing = this.#db.prepare(
      `SELECT id, stream, start, last, count FROM chunk i INDEXED BY chunk_by_start
       WHERE stream >= ? AND stream < ? AND NOT EXISTS
         (SELECT 1 FROM chunk t NOT INDEXED WHERE t.id = i.id AND t.stream = i.stream) LIMIT 1000`,
    )
    const last = this.#db.prepare('SELECT max(id) AS value FROM chunk').get()
    this.#idEnd = Number(last?.value ?? 0) + 1
  }

  /** Reads on; isDone means that everything was read. */
  step(): ScrubStep {
    const step: ScrubStep = { items: 0, bytes: 0, damages: [], isDone: false }
    this.#db.exec('BEGIN')
    try {
      if (!this.#isKeptChecked) this.#checkKept(step)
      else if (this.#id + 1 < this.#idEnd) this.#checkRows(step)
      else this.#checkSums(step)
    } finally {
      // Not COMMIT: after a malformed page was met, that throws its error once more.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    }
    return step
  }

  #prepareRows(): StatementSync {
    return this.#db.prepare(
      `SELECT id, ${CHECKED_COLUMNS}, summary, data,
         iif(typeof(last_value) = 'blob', last_value, NULL) AS lastValue
       FROM chunk NOT INDEXED WHERE id > ? AND id < ? ORDER BY id`,
    )
  }

  close(): void {
    this.#db.close()
  }

  #checkKept(step: ScrubStep): void {
    this.#isKeptChecked = true
    const table = new ChunkReadTable(this.#file)
    try {
      const kept = readKept(table, this.#file)
      if (kept instanceof Error) step.damages.push(describePlace('meta', 0, kept.message))
      else step.damages.push(...kept.damages)
    } finally {
      table.close()
    }
    step.items += 1
  }

  #checkRows(step: ScrubStep): void {
    try {
      const found = this.#rows.iterate(this.#id, this.#idEnd) as unknown as Iterable<FullRow>
      for (const row of found) {
        this.#id = row.id
        this.#skip = 1
        step.items += 1
        step.bytes += row.data?.length ?? 0
        const damage = this.#checkRow(row)
        if (damage !== undefined) step.damages.push(damage)
        if (step.bytes >= BYTES_PER_STEP) return
      }
      this.#id = this.#idEnd
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      const what = `rows after ${this.#id} of table chunk cannot be read; their samples are missing`
      step.damages.push(describePlace('chunk', this.#id, what))
      // A statement that failed may report its error once more on its next use.
      this.#rows = this.#prepareRows()
      this.#id += this.#skip
      this.#skip *= 2
    }
  }

  #checkRow(row: FullRow): FoundDamage | undefined {
    // Rows that were set aside have been reported.
    if (row.level === DAMAGED_LEVEL) return undefined
    const { id, stream, level, start, last, count } = row
    const corrected = correctedRow(row)
    if (corrected !== row) {
      return describeSuspect(corrected.stream, `gives row ${id} wrong columns`)
    }
    try {
      const columns = decodeRow(row, stream, () => row)
      const wrong = wrongBeside(row, columns)
      if (wrong !== undefined) {
        const { damage, bytes } = describeRow({ stream, place: row, data: row.data })
        const what = `${wrong} of row ${id} of table chunk does not check; its samples do`
        return { damage: { ...damage, what }, bytes }
      }
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error
      const data = row.data instanceof Uint8Array ? row.data : new Uint8Array(0)
      return describeRow({ stream, place: row, data })
    }
    if (this.#inIndex.get(stream, level, start, last, count, id) !== undefined) return undefined
    return describeSuspect(stream, `does not name row ${id}`)
  }

  #checkSums(step: ScrubStep): void {
    for (let buckets = 0; buckets < BUCKETS_PER_STEP; buckets += 1) {
      const bucket = this.#bucketFrom(this.#nextBucket)
      if (bucket === undefined) {
        step.isDone = true
        return
      }
      this.#checkBucket(bucket, step)
      this.#nextBucket = bucket + 1
    }
  }

  /**
   * The next bucket from one on of which a sum is kept, or of whose streams the index names a row. All between are
   * empty: one damaged number of a stream can lie millions of buckets behind the others.
   */
  #bucketFrom(bucket: number): number | undefined {
    const end = bucketOf(STREAM_END)
    const kept =
      this.#least('SELECT min(bucket) AS value FROM stream_sum WHERE bucket >= ? AND bucket < ?', {
        from: bucket,
        until: end,
      }) ?? end
    let next = kept
    try {
      const from = bucket * STREAMS_PER_BUCKET
      const stream = this.#least(LEAST_STREAM, { from, until: STREAM_END })
      if (stream !== undefined) next = Math.min(kept, bucketOf(stream))
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      // The rows of a bucket that is read next are reported; those of others have sums.
    }
    return next < end ? next : undefined
  }

  #checkBucket(bucket: number, step: ScrubStep): void {
    const first = bucket * STREAMS_PER_BUCKET
    try {
      const row = this.#bucket.get(bucket)
      const empty = new Float64Array(STREAMS_PER_BUCKET)
      const kept = row === undefined ? empty : unpackSums(bucket, row.sums)
      if (kept === undefined) {
        const what = `the sums of streams ${first} to ${first + STREAMS_PER_BUCKET - 1} do not check`
        step.damages.push(describePlace('stream_sum', bucket, what))
        return
      }
      const [found] = sumIndexedRows(this.#db, first, first + STREAMS_PER_BUCKET)
      const sums = found?.sums ?? empty
      for (const [at, sum] of kept.entries()) {
        if (sum === sums[at]) continue
        step.damages.push(describeSuspect(first + at, 'does not add up to its sum'))
      }
      for (const place of this.#missing.all(first, first + STREAMS_PER_BUCKET)) {
        const row = place as unknown as FullRow
        const none = new Uint8Array(0)
        step.damages.push(describeRow({ stream: row.stream, place: row, data: none }))
      }
      step.items += sums.filter((sum) => sum !== 0).length
    } catch (error) {
      if (!isDamagedFile(error)) throw error
      const what = `the rows of streams from ${first} cannot be listed`
      step.damages.push(describePlace('stream_sum', bucket, what))
    }
  }

  #least(query: string, { from, until }: { from: number; until: number }): number | undefined {
    const { value } = this.#db.prepare(query).get(from, until) as { value: number | null }
    return value ?? undefined
  }
}

/** What a row keeps beside its samples and does not fit them. */
function wrongBeside(row: FullRow, columns: SampleColumns): string | undefined {
  // What format 1 kept here is not used.
  if (row.lastValue !== null && namesOwner(row.data)) {
    const value = columns.texts?.[columns.count - 1] ?? columns.numbers[columns.count - 1]
    const kept = unpackLastValue(row.lastValue, row.stream, row.last)
    if (!Object.is(kept, value)) return 'the last value'
  }
  if (row.summary === null) return undefined
  return isSummaryOf(row, row.summary, columns) ? undefined : 'the summary'
}

/** Whether the summary of the blocks matches the samples. */
function isSummaryOf(row: FullRow, summary: Uint8Array, columns: SampleColumns): boolean {
  const blocks = readSummary(summary, placeSeed(row))
  if (blocks === undefined) return true
  const edges = Float64Array.from({ length: blocks.length + 1 }, (_, at) =>
    at < blocks.length ? blocks.firstTime[at] : row.last + 1,
  )
  const [stored, counted] = [new SummaryFold(edges), new SummaryFold(edges)]
  if (foldSummary(blocks, stored) === undefined) return false
  foldColumns(columns, counted)
  return JSON.stringify(stored.finish()) === JSON.stringify(counted.finish())
}

function describePlace(table: string, offset: number, what: string): FoundDamage {
  const damage = {
    file: `samples.db.${table}`,
    offset,
    bytes: 0,
    handles: [],
    what,
    from: undefined,
    until: undefined,
  }
  return { damage, bytes: new Uint8Array(0) }
}
