import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type EpochMs, epochMs } from '../../../base/index.ts'
import {
  type KeptPayload,
  PayloadDamaged,
  type PayloadKey,
  type PayloadSummary,
  type RunOutcome,
  type RunSummary,
} from '../../ports/payload-port.ts'
import { readSpans } from './assigned-spans.ts'
import {
  checkOfAssigned,
  checkOfConnector,
  checkOfOutcome,
  checkOfPayload,
  readPayloads,
} from './payload-checks.ts'
import { earlierRunUid, payloadUid, readPayloadUid } from './payload-uid.ts'

const OUTCOME = `start_ms, end_ms, status, rows_fetched, rows_ingested, rows_skipped, samples, message,
  outcome.check_sum AS outcome_check`
const SUMMARY = `payload.number, time_ms, method, octet_length(body) AS body_bytes, ${OUTCOME}`
const WHOLE = `${SUMMARY}, query, body, payload.check_sum AS payload_check, spans, assigned.check_sum AS assigned_check`
const JOINED = 'FROM payload LEFT JOIN outcome ON outcome.number = payload.number'
const JOINED_ALL = `${JOINED} LEFT JOIN assigned ON assigned.number = payload.number`
/** The last run of each payload, and those before it. */
const RUNS = `SELECT payload.number AS number, time_ms, 0 AS earlier, ${OUTCOME} ${JOINED} WHERE connector = ?1
  UNION ALL SELECT outcome.number, time_ms, id, ${OUTCOME} FROM earlier_run AS outcome
    JOIN payload ON payload.number = outcome.number WHERE outcome.connector = ?1`

interface OutcomeRow {
  readonly number: number
  readonly outcome_check: number | null
  readonly start_ms: number
  readonly end_ms: number
  readonly status: RunOutcome['status']
  readonly rows_fetched: number
  readonly rows_ingested: number
  readonly rows_skipped: number
  readonly samples: number
  readonly message: string
}

interface SummaryRow extends OutcomeRow {
  readonly time_ms: number
  readonly method: string
  readonly body_bytes: number | null
}

interface WholeRow extends SummaryRow {
  readonly query: string
  readonly body: string | null
  readonly payload_check: number
  readonly spans: string | null
  readonly assigned_check: number
}

interface RunRow extends OutcomeRow {
  readonly time_ms: number
  /** Which of the runs before the last; 0 for the last. */
  readonly earlier: number
}

/** A row of a scrub: whole, with the connector that it names. */
interface ScrubbedRow {
  readonly number: number
  readonly bytes: number
  /** What does not check, or undefined. */
  readonly problem: string | undefined
}

/** All reads of payloads.db. */
export class PayloadReadTable {
  readonly #db: DatabaseSync
  readonly #list: StatementSync
  readonly #get: StatementSync
  readonly #count: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    const ofConnector = 'connector = (SELECT ref FROM connector WHERE uid = ?)'
    this.#list = db.prepare(
      `SELECT ${SUMMARY} ${JOINED} WHERE ${ofConnector} ORDER BY payload.number DESC LIMIT ? OFFSET ?`,
    )
    this.#get = db.prepare(
      `SELECT ${WHOLE} ${JOINED_ALL} WHERE payload.number = ? AND ${ofConnector}`,
    )
    this.#count = db.prepare(`SELECT count(*) AS count FROM payload WHERE ${ofConnector}`)
  }

  /** The greatest number of a payload, of those from one and below another. */
  selectLast(from = 0, until: number = Number.MAX_SAFE_INTEGER): number {
    const statement = this.#db.prepare(
      'SELECT max(number) AS number FROM payload WHERE number >= ? AND number < ?',
    )
    const row = statement.get(from, until)
    return (row as { number: number | null }).number ?? 0
  }

  /** Summaries of a connector's payloads, the newest first; damaged ones are reported. */
  selectPage(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
    onDamage: (what: string) => void,
  ): PayloadSummary[] {
    const rows = readPayloads(() => this.#list.all(connectorUid, limit, start))
    return (rows as unknown as SummaryRow[]).flatMap((row) => {
      try {
        return summaryOf(row)
      } catch (error) {
        if (!(error instanceof PayloadDamaged)) throw error
        onDamage(error.message)
        return []
      }
    })
  }

  selectCount(connectorUid: string): number {
    return readPayloads(() => (this.#count.get(connectorUid) as { count: number }).count)
  }

  /** A connector's runs, the one that began last first; damaged ones are reported. */
  selectRuns(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
    onDamage: (what: string) => void,
  ): RunSummary[] {
    const runs = this.#db.prepare(
      `SELECT * FROM (${RUNS}) ORDER BY coalesce(start_ms, time_ms) DESC, number DESC, earlier = 0 DESC, earlier DESC LIMIT ?2 OFFSET ?3`,
    )
    const rows = readPayloads(() => {
      const ref = this.#refOf(connectorUid)
      return ref === undefined ? [] : runs.all(ref, limit, start)
    })
    return (rows as unknown as RunRow[]).flatMap((row) => {
      try {
        return runOf(row)
      } catch (error) {
        if (!(error instanceof PayloadDamaged)) throw error
        onDamage(error.message)
        return []
      }
    })
  }

  selectRunCount(connectorUid: string): number {
    return readPayloads(() => {
      const ref = this.#refOf(connectorUid)
      const earlier = this.#db.prepare(
        'SELECT count(*) AS count FROM earlier_run WHERE connector = ?',
      )
      const before = ref === undefined ? 0 : (earlier.get(ref) as { count: number }).count
      return before + this.selectCount(connectorUid)
    })
  }

  #refOf(connectorUid: string): number | undefined {
    const row = this.#db.prepare('SELECT ref FROM connector WHERE uid = ?').get(connectorUid)
    return (row as { ref: number } | undefined)?.ref
  }

  /** One payload; throws PayloadDamaged when it does not check. */
  select(connectorUid: string, uid: string): KeptPayload | undefined {
    const place = readPayloadUid(uid)
    if (place === undefined) return undefined
    const row = readPayloads(() => this.#get.get(place.number, connectorUid))
    if (row === undefined) return undefined
    const found = row as unknown as WholeRow
    const { query, body } = found
    const kept = { ...summaryOf(found), query, body, assigned: assignedIn(found, uid) }
    if (found.payload_check !== checkOfPayload(found.number, connectorUid, kept)) {
      throw new PayloadDamaged(`payload ${uid} does not check`)
    }
    return kept.time === place.time ? kept : undefined
  }

  /** Where payloads without an outcome are, from a number on. */
  selectUnsettled(after: number, limit: number): PayloadKey[] {
    const statement = this.#db.prepare(
      `SELECT payload.number AS number, time_ms, org_uid, uid FROM payload JOIN connector ON ref = connector
       WHERE payload.number > ? AND NOT EXISTS (SELECT 1 FROM outcome WHERE outcome.number = payload.number)
       ORDER BY payload.number LIMIT ?`,
    )
    const rows = readPayloads(() => statement.all(after, limit)) as unknown as Array<{
      number: number
      time_ms: number
      org_uid: string
      uid: string
    }>
    return rows.map(({ number, time_ms: time, org_uid: orgUid, uid: connectorUid }) => ({
      orgUid,
      connectorUid,
      uid: payloadUid(epochMs(time), number),
    }))
  }

  selectConnectors(): Array<Pick<PayloadKey, 'orgUid' | 'connectorUid'>> {
    const statement = this.#db.prepare('SELECT org_uid, uid FROM connector ORDER BY ref')
    const rows = readPayloads(() => statement.all()) as unknown as Array<{
      org_uid: string
      uid: string
    }>
    return rows.map(({ org_uid: orgUid, uid: connectorUid }) => ({ orgUid, connectorUid }))
  }

  /** The UIDs of a connector's newest payloads, the oldest of these first. */
  selectUids(connectorUid: string, limit: number): string[] {
    const statement = this.#db.prepare(`SELECT number, time_ms FROM payload
      WHERE connector = (SELECT ref FROM connector WHERE uid = ?) ORDER BY number DESC LIMIT ?`)
    const rows = readPayloads(() => statement.all(connectorUid, limit)) as unknown as Array<{
      number: number
      time_ms: number
    }>
    return rows.map((row) => payloadUid(epochMs(row.time_ms), row.number)).reverse()
  }

  /** The runs of a payload before its last, the oldest first; throws PayloadDamaged when one does not check. */
  selectEarlier(number: number): RunSummary[] {
    const statement = this.#db.prepare(`SELECT outcome.number, time_ms, id AS earlier, ${OUTCOME}
      FROM earlier_run AS outcome JOIN payload ON payload.number = outcome.number
      WHERE outcome.number = ? ORDER BY id`)
    return (readPayloads(() => statement.all(number)) as unknown as RunRow[]).map(runOf)
  }

  /** The next payloads of a scrub, each verified by its checksums. */
  selectToCheck(after: number, limit: number): ScrubbedRow[] {
    const statement = this.#db.prepare(
      `SELECT ${WHOLE}, payload.bytes AS bytes, ref, org_uid, uid, connector.check_sum AS connector_check
       ${JOINED_ALL} LEFT JOIN connector ON ref = connector WHERE payload.number > ? ORDER BY payload.number LIMIT ?`,
    )
    const rows = readPayloads(() => statement.all(after, limit)) as unknown as CheckedRow[]
    return rows.map((row) => ({ number: row.number, bytes: row.bytes, problem: problemOf(row) }))
  }

  /** How many payloads the table has, and how many the index knows. */
  selectCounts(): { readonly rows: number; readonly indexed: number } {
    const count = (from: string): number =>
      readPayloads(() => {
        const row = this.#db.prepare(`SELECT count(*) AS count FROM ${from}`).get()
        return (row as { count: number }).count
      })
    return {
      rows: count('payload NOT INDEXED'),
      indexed: count('payload INDEXED BY payload_of WHERE connector >= 0'),
    }
  }
}

interface CheckedRow extends WholeRow {
  readonly bytes: number
  readonly ref: number | null
  readonly org_uid: string
  readonly uid: string
  readonly connector_check: number
}

function problemOf(row: CheckedRow): string | undefined {
  const name = `payload ${payloadUid(epochMs(row.time_ms), row.number)}`
  if (row.ref === null) return `${name} belongs to no connector`
  if (row.connector_check !== checkOfConnector(row.ref, row.org_uid, row.uid)) {
    return `the connector of ${name} does not check`
  }
  const { method, query, body } = row
  const payload = { time: epochMs(row.time_ms), method, query, body }
  if (row.payload_check !== checkOfPayload(row.number, row.uid, payload)) {
    return `${name} does not check`
  }
  if (row.spans !== null && row.assigned_check !== checkOfAssigned(row.number, row.spans)) {
    return `the times of ${name} do not check`
  }
  const isOutcomeRight =
    row.outcome_check === null || row.outcome_check === checkOfOutcome(row.number, outcomeIn(row))
  return isOutcomeRight ? undefined : `the outcome of ${name} does not check`
}

function summaryOf(row: SummaryRow): PayloadSummary {
  const time: EpochMs = epochMs(row.time_ms)
  const uid = payloadUid(time, row.number)
  const outcome = row.outcome_check === null ? undefined : outcomeIn(row)
  if (outcome !== undefined && checkOfOutcome(row.number, outcome) !== row.outcome_check) {
    throw new PayloadDamaged(`the outcome of payload ${uid} does not check`)
  }
  return { uid, time, method: row.method, bytes: row.body_bytes ?? 0, outcome }
}

function runOf(row: RunRow): RunSummary {
  const payload = payloadUid(epochMs(row.time_ms), row.number)
  const uid = row.earlier === 0 ? payload : earlierRunUid(payload, row.earlier)
  const time = epochMs(row.time_ms)
  if (row.outcome_check === null) return { uid, time, outcome: undefined }
  const outcome = outcomeIn(row)
  if (checkOfOutcome(row.number, outcome) === row.outcome_check) return { uid, time, outcome }
  throw new PayloadDamaged(`the outcome of run ${uid} does not check`)
}

function assignedIn({ number, spans, assigned_check: check }: WholeRow, uid: string) {
  if (spans === null) return []
  if (check === checkOfAssigned(number, spans)) return readSpans(spans)
  throw new PayloadDamaged(`the times of payload ${uid} do not check`)
}

function outcomeIn(row: OutcomeRow): RunOutcome {
  return {
    start: epochMs(row.start_ms),
    end: epochMs(row.end_ms),
    status: row.status,
    rowsFetched: row.rows_fetched,
    rowsIngested: row.rows_ingested,
    rowsSkipped: row.rows_skipped,
    samples: row.samples,
    message: row.message,
  }
}
