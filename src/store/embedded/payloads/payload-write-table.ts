import type { DatabaseSync } from 'node:sqlite'
import type { PayloadBounds } from '../../ports/payload-port.ts'
import {
  checkOfAssigned,
  checkOfConnector,
  checkOfOutcome,
  checkOfPayload,
} from './payload-checks.ts'
import type {
  AssignedWrite,
  OutcomeWrite,
  PayloadBatch,
  PayloadWrite,
  WholeWrite,
} from './payload-protocol.ts'

/** How far the bound may be exceeded before the oldest are deleted. Deleting in batches costs less. */
const TRIM_SLACK = 64

/** Assigned times count among the bytes of their payload beyond this: most are shorter than a row. */
const UNCOUNTED_SPANS = 1_000

/** What is kept of one connector. */
interface Tally {
  readonly ref: number
  count: number
  bytes: number
}

/** The statements of the writes. */
function prepareAll(db: DatabaseSync) {
  const goners =
    'number IN (SELECT number FROM payload INDEXED BY payload_of WHERE connector = ? AND number <= ?)'
  return {
    insertConnector: db.prepare(
      'INSERT INTO connector (ref, org_uid, uid, check_sum) VALUES (?, ?, ?, ?)',
    ),
    insertPayload: db.prepare(
      'INSERT INTO payload (number, connector, time_ms, method, bytes, check_sum, query, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    // The payload may have gone while it ran.
    insertOutcome: db.prepare(
      'INSERT OR REPLACE INTO outcome SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE EXISTS (SELECT 1 FROM payload WHERE number = ?1)',
    ),
    insertAssigned: db.prepare('INSERT OR REPLACE INTO assigned VALUES (?, ?, ?)'),
    placeOf: db.prepare(
      'SELECT uid, length(spans) AS length FROM payload JOIN connector ON ref = connector LEFT JOIN assigned ON assigned.number = payload.number WHERE payload.number = ?',
    ),
    setBytes: db.prepare('UPDATE payload SET bytes = bytes + ?2 WHERE number = ?1'),
    keepEarlier: db.prepare(
      'INSERT INTO earlier_run SELECT NULL, connector, outcome.* FROM outcome JOIN payload ON payload.number = outcome.number WHERE outcome.number = ?',
    ),
    trimEarlier: db.prepare(
      'DELETE FROM earlier_run WHERE connector = (SELECT connector FROM payload WHERE number = ?1) AND id <= (SELECT id FROM earlier_run WHERE connector = (SELECT connector FROM payload WHERE number = ?1) ORDER BY id DESC LIMIT 1 OFFSET ?2)',
    ),
    insertEarlier: db.prepare(
      'INSERT OR REPLACE INTO earlier_run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    deleteAssigned: db.prepare(`DELETE FROM assigned WHERE ${goners}`),
    deleteEarlier: db.prepare('DELETE FROM earlier_run WHERE connector = ? AND number <= ?'),
    oldest: db.prepare(
      'SELECT number, bytes FROM payload INDEXED BY payload_of WHERE connector = ? ORDER BY number',
    ),
    deleteOutcomes: db.prepare(`DELETE FROM outcome WHERE ${goners}`),
    deletePayloads: db.prepare('DELETE FROM payload WHERE connector = ? AND number <= ?'),
    deleteConnector: db.prepare('DELETE FROM connector WHERE ref = ?'),
    nextRef: db.prepare('SELECT coalesce(max(ref), 0) + 1 AS ref FROM connector'),
    last: db.prepare('SELECT coalesce(max(number), 0) AS number FROM payload'),
  }
}

/** All writes to payloads.db. */
export class PayloadWriteTable {
  readonly #db: DatabaseSync
  readonly #bounds: PayloadBounds
  readonly #tallies = new Map<string, Tally>()
  readonly #touched = new Set<Tally>()
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(db: DatabaseSync, bounds: PayloadBounds) {
    this.#db = db
    this.#bounds = bounds
    this.#statements = prepareAll(db)
    this.#readTallies()
  }

  /** The greatest number of a payload that is kept; 0 without any. */
  get lastNumber(): number {
    return (this.#statements.last.get() as { number: number }).number
  }

  /** Makes all of a batch, durably, or nothing of it. */
  apply(batch: PayloadBatch): void {
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      for (const put of batch.puts) this.#put(put)
      for (const assigned of batch.assigned) this.#keepAssigned(assigned)
      for (const outcome of batch.outcomes) this.#settle(outcome)
      for (const whole of batch.wholes) this.#keepWhole(whole)
      for (const uid of batch.deletes) this.#delete(uid)
      for (const tally of this.#touched) this.#trim(tally)
      this.#touched.clear()
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#rollback()
      throw error
    }
  }

  #put({ number, orgUid, connectorUid, ...payload }: PayloadWrite): void {
    const { time, method, query, body } = payload
    const tally = this.#tallyOf(orgUid, connectorUid)
    const bytes = Buffer.byteLength(query) + (body === null ? 0 : Buffer.byteLength(body))
    const check = checkOfPayload(number, connectorUid, payload)
    this.#statements.insertPayload.run(number, tally.ref, time, method, bytes, check, query, body)
    tally.count += 1
    tally.bytes += bytes
    this.#touched.add(tally)
  }

  /** The payload may have gone while it ran. */
  #keepAssigned({ number, spans }: AssignedWrite): void {
    const place = this.#statements.placeOf.get(number) as
      | { uid: string; length: number | null }
      | undefined
    if (place === undefined) return
    this.#statements.insertAssigned.run(number, spans, checkOfAssigned(number, spans))
    const more = countedOf(spans.length) - countedOf(place.length ?? 0)
    const tally = this.#tallies.get(place.uid)
    if (more === 0 || tally === undefined) return
    this.#statements.setBytes.run(number, more)
    tally.bytes += more
    this.#touched.add(tally)
  }

  #settle(outcome: OutcomeWrite): void {
    const { number, start, end, status, samples, message } = outcome
    const { rowsFetched, rowsIngested, rowsSkipped } = outcome
    const isAgain = this.#statements.keepEarlier.run(number).changes > 0
    if (isAgain) this.#statements.trimEarlier.run(number, this.#bounds.countMax)
    this.#statements.insertOutcome.run(
      number,
      start,
      end,
      status,
      rowsFetched,
      rowsIngested,
      rowsSkipped,
      samples,
      message,
      checkOfOutcome(number, outcome),
    )
  }

  /** In the place of what has the number. */
  #keepWhole({ put, spans, outcome, earlier }: WholeWrite): void {
    const { number, connectorUid } = put
    this.#forget(number)
    this.#put(put)
    if (spans !== '') this.#keepAssigned({ number, spans })
    if (outcome !== undefined) this.#settle({ ...outcome, number })
    const tally = this.#tallies.get(connectorUid)
    for (const { id, outcome: before } of earlier) {
      const { start, end, status, rowsFetched, rowsIngested, rowsSkipped } = before
      this.#statements.insertEarlier.run(
        id,
        tally?.ref ?? 0,
        number,
        start,
        end,
        status,
        rowsFetched,
        rowsIngested,
        rowsSkipped,
        before.samples,
        before.message,
        checkOfOutcome(number, before),
      )
    }
  }

  #forget(number: number): void {
    const place = this.#statements.placeOf.get(number) as { uid: string } | undefined
    if (place === undefined) return
    for (const table of ['outcome', 'assigned', 'earlier_run', 'payload']) {
      this.#db.prepare(`DELETE FROM ${table} WHERE number = ?`).run(number)
    }
    this.#readTallies()
  }

  #delete(uid: string): void {
    const tally = this.#tallies.get(uid)
    if (tally === undefined) return
    this.#deleteUpTo(tally, Number.MAX_SAFE_INTEGER)
    this.#statements.deleteConnector.run(tally.ref)
    this.#tallies.delete(uid)
    this.#touched.delete(tally)
  }

  /** Lets the oldest go until the rest is within the bounds; the newest stays. */
  #trim(tally: Tally): void {
    const { countMax, bytesMax } = this.#bounds
    if (tally.count <= countMax + TRIM_SLACK && tally.bytes <= bytesMax) return
    let last = 0
    for (const row of this.#statements.oldest.iterate(tally.ref)) {
      const { number, bytes } = row as { number: number; bytes: number }
      if (tally.count === 1 || (tally.count <= countMax && tally.bytes <= bytesMax)) break
      last = number
      tally.count -= 1
      tally.bytes -= bytes
    }
    this.#deleteUpTo(tally, last)
  }

  #deleteUpTo({ ref }: Tally, number: number): void {
    this.#statements.deleteOutcomes.run(ref, number)
    this.#statements.deleteAssigned.run(ref, number)
    this.#statements.deleteEarlier.run(ref, number)
    this.#statements.deletePayloads.run(ref, number)
  }

  #tallyOf(orgUid: string, uid: string): Tally {
    const known = this.#tallies.get(uid)
    if (known !== undefined) return known
    const { ref } = this.#statements.nextRef.get() as { ref: number }
    this.#statements.insertConnector.run(ref, orgUid, uid, checkOfConnector(ref, orgUid, uid))
    const tally = { ref, count: 0, bytes: 0 }
    this.#tallies.set(uid, tally)
    return tally
  }

  /** A disk that failed may fail here too: the next transaction begins by asking again. */
  #rollback(): void {
    this.#touched.clear()
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // The first failure is reported.
    }
    this.#readTallies()
  }

  #readTallies(): void {
    this.#tallies.clear()
    const rows = this.#db
      .prepare(
        'SELECT uid, ref, count(number) AS count, coalesce(sum(bytes), 0) AS bytes FROM connector LEFT JOIN payload INDEXED BY payload_of ON connector = ref GROUP BY ref',
      )
      .all() as unknown as Array<Tally & { uid: string }>
    for (const { uid, ref, count, bytes } of rows) this.#tallies.set(uid, { ref, count, bytes })
  }
}

function countedOf(length: number): number {
  return length > UNCOUNTED_SPANS ? length : 0
}
