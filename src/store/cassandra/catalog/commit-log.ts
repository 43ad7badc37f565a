/**
 * The log of all commits of a cluster: entry after entry, each appended by a lightweight transaction that
 * holds only if nobody else has appended in its place. Whoever appends has therefore seen all before it.
 */
import { randomUUID } from 'node:crypto'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { type Effects, packEffects, unpackEffects } from './log-entry.ts'

/** Entries of a partition: with their payloads of at most INLINE_BYTES_MAX it stays below 20 MB. */
const ENTRIES_PER_BUCKET = 1_000
/** A longer payload lies in parts beside the log. */
const INLINE_BYTES_MAX = 16 * 1024
const PART_BYTES = 256 * 1024
/** Processes that are further behind than this start again; entries beyond it go. */
const KEPT_SECONDS = 2 * 86_400
/** Entries that are read at once. */
const ENTRIES_PER_READ = 100

/** How far the log is: its last entry, the cursor of the last change, the last handle given. */
export interface LogHead {
  readonly seq: number
  readonly cursor: number
  readonly handle: number
}

/** An entry of the log. */
export interface LogEntry {
  readonly seq: number
  readonly firstCursor: number
  readonly effects: Effects
  /** The head once it is there. */
  readonly head: LogHead
}

const COLUMNS = 'seq, id, first_cursor, changes, last_handle, parts, payload'

/** Appends to the log and reads it. */
export class CommitLog {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** Appends an entry behind a head; undefined when somebody else has. */
  async append(
    after: LogHead,
    effects: Effects,
    lastHandle: number,
  ): Promise<LogEntry | undefined> {
    const id = randomUUID()
    const payload = packEffects(effects)
    const isLong = payload.length > INLINE_BYTES_MAX
    const parts = isLong ? Math.ceil(payload.length / PART_BYTES) : 0
    const head = {
      seq: after.seq + 1,
      cursor: after.cursor + effects.changes.length,
      handle: lastHandle,
    }
    if (isLong) await this.#writeParts(id, payload)
    const isAppended = await this.#insert({
      ...{ id, parts, head, changes: effects.changes.length },
      payload: isLong ? Buffer.alloc(0) : payload,
    })
    if (isAppended) return { seq: head.seq, firstCursor: after.cursor + 1, effects, head }
    if (isLong) await this.#removeParts(id, parts)
    return undefined
  }

  /** The next entries behind one, in order; none when there are none. */
  async readAfter(seq: number, limit = ENTRIES_PER_READ): Promise<LogEntry[]> {
    const cql = `SELECT ${COLUMNS} FROM change_log WHERE bucket = ? AND seq > ? LIMIT ?`
    const params = [bucketOf(seq + 1), BigInt(seq), limit]
    const rows = await this.#cluster.run(cql, params)
    // One that is missing amid others is not read past: it is being written.
    const gap = rows.findIndex((row, at) => Number(row.seq) !== seq + 1 + at)
    return await this.#cluster.inParallel(gap < 0 ? rows : rows.slice(0, gap), (row) =>
      this.#entryOf(row),
    )
  }

  /** The sequence number of the entry with a cursor, or of the first kept behind it; asked rarely. */
  async seqOfCursor(cursor: number, head: LogHead): Promise<number> {
    let [from, until] = [1, head.seq + 1]
    while (from < until) {
      const middle = Math.floor((from + until) / 2)
      const cql = 'SELECT first_cursor, changes FROM change_log WHERE bucket = ? AND seq = ?'
      const [row] = await this.#cluster.run(cql, [bucketOf(middle), BigInt(middle)])
      const isBefore =
        row === undefined || Number(row.first_cursor) + Number(row.changes) - 1 < cursor
      if (isBefore) from = middle + 1
      else until = middle
    }
    return from
  }

  async #insert(entry: {
    id: string
    parts: number
    head: LogHead
    changes: number
    payload: Buffer
  }): Promise<boolean> {
    const { id, parts, head, changes, payload } = entry
    const cql = `INSERT INTO change_log (bucket, seq, id, first_cursor, changes, last_handle, parts,
      payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS USING TTL ${KEPT_SECONDS}`
    const firstCursor = BigInt(head.cursor - changes + 1)
    const place = [bucketOf(head.seq), BigInt(head.seq)]
    const rest = [firstCursor, changes, BigInt(head.handle), parts, payload]
    try {
      return (await this.#cluster.cas(cql, [...place, id, ...rest])).isApplied
    } catch (error) {
      // Nobody knows whether it was made: a serial read settles it, one way or the other.
      const look = 'SELECT id FROM change_log WHERE bucket = ? AND seq = ?'
      const rows = await this.#cluster.run(look, place, { isSerial: true }).catch(() => undefined)
      if (rows === undefined) throw error
      return rows[0]?.id === id
    }
  }

  async #writeParts(id: string, payload: Buffer): Promise<void> {
    const cql = `INSERT INTO change_part (id, part, payload) VALUES (?, ?, ?) USING TTL ${KEPT_SECONDS}`
    const statements = Array.from(
      { length: Math.ceil(payload.length / PART_BYTES) },
      (_, part) => ({
        ...{
          cql,
          params: [id, part, payload.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)],
        },
      }),
    )
    await this.#cluster.runAll(statements)
  }

  async #removeParts(id: string, parts: number): Promise<void> {
    const cql = 'DELETE FROM change_part WHERE id = ? AND part = ?'
    await this.#cluster.runAll(
      Array.from({ length: parts }, (_, part) => ({ cql, params: [id, part] })),
    )
  }

  async #entryOf(row: CqlRow): Promise<LogEntry> {
    const seq = Number(row.seq)
    const firstCursor = Number(row.first_cursor)
    const cursor = firstCursor + Number(row.changes) - 1
    return {
      ...{ seq, firstCursor, effects: unpackEffects(await this.#payloadOf(row)) },
      head: { seq, cursor, handle: Number(row.last_handle) },
    }
  }

  async #payloadOf(row: CqlRow): Promise<Buffer> {
    const count = Number(row.parts)
    if (count === 0) return row.payload as Buffer
    const cql = 'SELECT payload FROM change_part WHERE id = ? AND part = ?'
    const parts = await this.#cluster.inParallel(
      Array.from({ length: count }, (_, part) => part),
      async (part) => (await this.#cluster.run(cql, [row.id, part]))[0]?.payload as Buffer,
    )
    return Buffer.concat(parts)
  }
}

function bucketOf(seq: number): bigint {
  return BigInt(Math.floor((seq - 1) / ENTRIES_PER_BUCKET))
}
