/** Calls and runs of connectors in PostgreSQL. docs/format/postgres.md describes the tables. */
import { type Clock, epochMs, refuse } from '../../../base/index.ts'
import { readSpans, writeSpans } from '../../embedded/payloads/assigned-spans.ts'
import type { MovablePayloads, WholePayload } from '../../ports/move-port.ts'
import type {
  AssignedSpan,
  KeptPayload,
  NewPayload,
  PayloadBounds,
  PayloadKey,
  PayloadStore,
  PayloadSummary,
  RunOutcome,
  RunSummary,
} from '../../ports/payload-port.ts'
import type { Database, SqlRow } from '../connection/database.ts'
import { fromStored, toStored } from '../connection/stored-text.ts'
import { PayloadInserts } from './payload-inserts.ts'
import { PayloadWriter } from './payload-lease.ts'

/** Enough to repair a connector by; a body may have megabytes. */
const BOUNDS: PayloadBounds = { countMax: 1_000, bytesMax: 64 * 1024 * 1024 }
/** Assigned times count among the bytes of their payload beyond this: most are shorter than a row. */
const UNCOUNTED_SPANS = 1_000
/** What is beyond the bounds is deleted when so much of a bound has come. */
const TRIM_SHARE = 0.1
const RETRY_AFTER_SECONDS = 5

/** How payloads are kept. */
interface PayloadOptions {
  readonly bounds?: PayloadBounds
  /** For leases, instead of the database's clock; tests have one. */
  readonly clock?: Clock
}

/** Opens the payloads of a database whose schema is there, and takes over what processes that are gone have left. */
export async function openPostgresPayloads(
  database: Database,
  options: PayloadOptions = {},
): Promise<PayloadStore & MovablePayloads> {
  const store = new PostgresPayloads(database, options)
  await store.open()
  return store
}

/** The payloads of a connector within the bounds; $1 is the connector. */
function keptOf({ countMax, bytesMax }: PayloadBounds): string {
  return `(SELECT * FROM (SELECT *, row_number() OVER newest AS place, sum(counted_bytes) OVER newest AS total
      FROM payload WHERE connector = $1 WINDOW newest AS (ORDER BY uid DESC)) p
    WHERE place <= ${countMax} AND (place = 1 OR total <= ${bytesMax}))`
}

const SUMMARY = 'uid, received_at_ms, method, octet_length(body), outcome'

class PostgresPayloads implements PayloadStore, MovablePayloads {
  readonly #database: Database
  readonly #bounds: PayloadBounds
  readonly #kept: string
  readonly #writer: PayloadWriter
  readonly #inserts: PayloadInserts
  /** What this process was given, or has taken over, and has no outcome yet. */
  readonly #own = new Set<string>()
  /** Inserts that are under way. */
  readonly #landing = new Map<string, Promise<void>>()
  /** How much of the bounds of a connector has come since the last deletion. */
  readonly #untrimmed = new Map<string, number>()
  readonly #trims = new Map<string, Promise<void>>()

  constructor(database: Database, { bounds = BOUNDS, clock }: PayloadOptions) {
    this.#database = database
    this.#bounds = bounds
    this.#kept = keptOf(bounds)
    this.#writer = new PayloadWriter(database, clock)
    this.#inserts = new PayloadInserts(database)
  }

  async open(): Promise<void> {
    await this.#writer.open()
  }

  put(payload: NewPayload): { readonly uid: string; readonly landed: Promise<void> } {
    this.#writer.require()
    this.#inserts.require(payload)
    const uid = this.#writer.uids.next(payload.time)
    this.#own.add(uid)
    const landed = this.#inserts.insert(uid, this.#writer.name, payload).then(
      (bytes) => this.#noteRoom(payload.connectorUid, bytes),
      (error: unknown) => {
        this.#own.delete(uid)
        throw error
      },
    )
    const isOver = () => void this.#landing.delete(uid)
    this.#landing.set(uid, landed.then(isOver, isOver))
    return { uid, landed }
  }

  async keepAssigned(
    { connectorUid, uid }: PayloadKey,
    spans: readonly AssignedSpan[],
  ): Promise<void> {
    await this.#landing.get(uid)
    const text = writeSpans(spans)
    const rows = await this.#database.read(
      `UPDATE payload SET assigned = $4, counted_bytes = octet_length(query) + coalesce(octet_length(body), 0) + $5
        WHERE connector = $1 AND uid = $2 AND ($3::text IS NULL OR writer = $3) RETURNING 1`,
      [toStored(connectorUid), uid, this.#writerOf(uid), text, countedOf(text)],
    )
    if (rows.length === 0) await this.#requireGone({ connectorUid, uid })
    else if (countedOf(text) > 0) this.#noteRoom(connectorUid, text.length)
  }

  async settle({ connectorUid, uid }: PayloadKey, outcome: RunOutcome): Promise<void> {
    // SQL that fails at once is over before its payload is there.
    await this.#landing.get(uid)
    const rows = await this.#database.read(
      `WITH before AS (SELECT * FROM payload WHERE connector = $1 AND uid = $2 FOR UPDATE),
        run AS (INSERT INTO payload_run (connector, uid, payload, received_at_ms, started_at_ms, outcome)
          SELECT connector, $6, uid, received_at_ms, started_at_ms, outcome FROM before
          WHERE outcome <> $4 ON CONFLICT DO NOTHING)
        UPDATE payload p SET outcome = $4, started_at_ms = $5 FROM before b
        WHERE p.connector = b.connector AND p.uid = b.uid AND ($3::text IS NULL OR p.writer = $3) RETURNING 1`,
      [
        toStored(connectorUid),
        uid,
        this.#writerOf(uid),
        JSON.stringify(outcome),
        outcome.start,
        this.#writer.uids.nextEarlier(outcome.end),
      ],
    )
    if (rows.length === 0) await this.#requireGone({ connectorUid, uid })
    else this.#noteRoom(connectorUid, 0)
    this.#own.delete(uid)
  }

  async list(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<{ payloads: PayloadSummary[]; totalCount: number }> {
    const connector = toStored(connectorUid)
    const [page, counted] = await Promise.all([
      this.#database.read(
        `SELECT ${SUMMARY} FROM ${this.#kept} k ORDER BY uid DESC OFFSET $2 LIMIT $3`,
        [connector, start, limit],
      ),
      this.#database.read(`SELECT count(*) FROM ${this.#kept} k`, [connector]),
    ])
    return { payloads: page.map(summaryOf), totalCount: counted[0][0] as number }
  }

  async listRuns(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<{ runs: RunSummary[]; totalCount: number }> {
    const rows = await this.#database.read(
      `SELECT uid, received_at_ms, outcome FROM (
          SELECT uid, uid AS payload, received_at_ms, started_at_ms, outcome, 1 AS is_last FROM ${this.#kept} k
          UNION ALL
          SELECT uid, payload, received_at_ms, started_at_ms, outcome, 0 FROM payload_run
            WHERE connector = $1 AND payload IN (SELECT uid FROM ${this.#kept} k)) r
        ORDER BY started_at_ms DESC, payload DESC, is_last DESC, uid DESC LIMIT ${this.#bounds.countMax}`,
      [toStored(connectorUid)],
    )
    const runs = (rows as readonly [string, number, string | null][]).map(
      ([uid, time, outcome]) => {
        return { uid, time: epochMs(time), outcome: outcomeOf(outcome) }
      },
    )
    return { runs: runs.slice(start, start + limit), totalCount: runs.length }
  }

  async get(connectorUid: string, uid: string): Promise<KeptPayload | undefined> {
    const [row] = await this.#database.read(
      `SELECT ${SUMMARY}, query, body, assigned FROM ${this.#kept} k WHERE uid = $2`,
      [toStored(connectorUid), uid],
    )
    return row === undefined ? undefined : payloadOf(row)
  }

  async listUnsettled(after: string | undefined, limit: number): Promise<PayloadKey[]> {
    const keys = await this.#writer.listUnsettled(after ?? '', limit)
    for (const { uid } of keys) this.#own.add(uid)
    return keys
  }

  watchLeft(listener: (left: readonly PayloadKey[]) => void): void {
    this.#writer.watchLeft((left) => {
      for (const { uid } of left) this.#own.add(uid)
      listener(left)
    })
  }

  async listConnectors(): Promise<Pick<PayloadKey, 'orgUid' | 'connectorUid'>[]> {
    const rows = await this.#database.read(
      'SELECT DISTINCT org, connector FROM payload ORDER BY org, connector',
    )
    return rows.map((row) => {
      const [orgUid, connectorUid] = (row as string[]).map(fromStored)
      return { orgUid, connectorUid }
    })
  }

  async deleteOf(connectorUid: string): Promise<void> {
    await this.#inserts.settled()
    await this.#trims.get(connectorUid)
    this.#untrimmed.delete(connectorUid)
    const connector = toStored(connectorUid)
    await this.#database.transaction(async (client) => {
      await client.run('DELETE FROM payload WHERE connector = $1', [connector])
      await client.run('DELETE FROM payload_run WHERE connector = $1', [connector])
    })
  }

  async *everything(): AsyncGenerator<WholePayload> {
    for (const { orgUid, connectorUid } of await this.listConnectors()) {
      const connector = toStored(connectorUid)
      const rows = await this.#database.read(`SELECT uid FROM ${this.#kept} k ORDER BY uid`, [
        connector,
      ])
      for (const [uid] of rows as readonly [string][]) {
        const kept = await this.get(connectorUid, uid)
        if (kept === undefined) continue
        const runs = await this.#database.read(
          'SELECT uid, outcome FROM payload_run WHERE connector = $1 AND payload = $2 ORDER BY uid',
          [connector, uid],
        )
        const earlier = (runs as readonly [string, string][]).map(([runUid, outcome]) => {
          return { uid: runUid, outcome: JSON.parse(outcome) as RunOutcome }
        })
        yield { ...kept, orgUid, connectorUid, earlier }
      }
    }
  }

  async keepWhole(payload: WholePayload): Promise<void> {
    const { orgUid, connectorUid, uid, time, method, query, body, assigned, outcome } = payload
    const connector = toStored(connectorUid)
    const spans = writeSpans(assigned)
    const bytes = Buffer.byteLength(query) + Buffer.byteLength(body ?? '') + countedOf(spans)
    await this.#database.transaction(async (client) => {
      await client.run('DELETE FROM payload WHERE connector = $1 AND uid = $2', [connector, uid])
      await client.run('DELETE FROM payload_run WHERE connector = $1 AND payload = $2', [
        connector,
        uid,
      ])
      await client.run(
        `INSERT INTO payload (connector, uid, org, received_at_ms, method, query, body, assigned, counted_bytes,
          outcome, started_at_ms, writer) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
        [
          connector,
          uid,
          toStored(orgUid),
          time,
          toStored(method),
          Buffer.from(query),
          body === null ? null : Buffer.from(body),
          spans,
          bytes,
          outcome === undefined ? null : JSON.stringify(outcome),
          outcome?.start ?? time,
          this.#writer.name,
        ],
      )
      for (const run of payload.earlier) {
        await client.run(
          `INSERT INTO payload_run (connector, uid, payload, received_at_ms, started_at_ms, outcome)
            VALUES ($1, $2, $3, $4, $5, $6)`,
          [connector, run.uid, uid, time, run.outcome.start, JSON.stringify(run.outcome)],
        )
      }
    })
  }

  /** The database checks what it reads by itself. */
  async scrub(): Promise<void> {}

  async close(): Promise<void> {
    await this.#inserts.settled()
    await Promise.all(this.#trims.values())
    await this.#writer.close()
  }

  /** The name that a payload must still have, of those that this process works on. */
  #writerOf(uid: string): string | null {
    return this.#own.has(uid) ? this.#writer.name : null
  }

  /** Of a payload that is not kept nothing is kept; one that another process has taken over is its. */
  async #requireGone({
    connectorUid,
    uid,
  }: Pick<PayloadKey, 'connectorUid' | 'uid'>): Promise<void> {
    const rows = await this.#database.read(
      'SELECT 1 FROM payload WHERE connector = $1 AND uid = $2',
      [toStored(connectorUid), uid],
    )
    this.#own.delete(uid)
    if (rows.length > 0) refuse('store_away', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  /** Deletes what is beyond the bounds of a connector, from time to time and beside all else. */
  #noteRoom(connectorUid: string, bytes: number): void {
    const { countMax, bytesMax } = this.#bounds
    const share = (this.#untrimmed.get(connectorUid) ?? 1) + 1 / countMax + bytes / bytesMax
    this.#untrimmed.set(connectorUid, share)
    if (share < TRIM_SHARE || this.#trims.has(connectorUid)) return
    this.#untrimmed.set(connectorUid, 0)
    const trimming = this.#trim(toStored(connectorUid))
      // What is not deleted now is deleted the next time.
      .catch(() => {})
      .finally(() => this.#trims.delete(connectorUid))
    this.#trims.set(connectorUid, trimming)
  }

  async #trim(connector: string): Promise<void> {
    await this.#database.read(
      `DELETE FROM payload WHERE connector = $1 AND uid <
        (SELECT min(uid) FROM ${this.#kept} k) RETURNING 1`,
      [connector],
    )
    await this.#database.read(
      `DELETE FROM payload_run r WHERE connector = $1 AND (
        NOT EXISTS (SELECT 1 FROM payload p WHERE p.connector = $1 AND p.uid = r.payload)
        OR uid < (SELECT min(uid) FROM (SELECT uid FROM payload_run WHERE connector = $1
          ORDER BY uid DESC LIMIT ${this.#bounds.countMax}) newest))`,
      [connector],
    )
  }
}

function countedOf(spans: string): number {
  return spans.length > UNCOUNTED_SPANS ? spans.length : 0
}

function outcomeOf(outcome: string | null): RunOutcome | undefined {
  return outcome === null ? undefined : (JSON.parse(outcome) as RunOutcome)
}

function summaryOf(row: SqlRow): PayloadSummary {
  const [uid, time, method, bytes, outcome] = row as [
    string,
    number,
    string,
    number | null,
    string | null,
  ]
  return {
    uid,
    time: epochMs(time),
    method: fromStored(method),
    bytes: bytes ?? 0,
    outcome: outcomeOf(outcome),
  }
}

function payloadOf(row: SqlRow): KeptPayload {
  const [query, body, assigned] = row.slice(5) as [Buffer, Buffer | null, string]
  return {
    ...summaryOf(row),
    query: query.toString(),
    body: body === null ? null : body.toString(),
    assigned: readSpans(assigned),
  }
}
