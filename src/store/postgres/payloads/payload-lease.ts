/**
 * Who works on payloads that have no outcome yet: the process that received them, as long as it renews its lease. What
 * a process has left is taken over by one that lives. A process that lost its lease continues under another name.
 */
import { type Clock, refuse, systemClock } from '../../../base/index.ts'
import { Renewal } from '../../lease/renewal.ts'
import type { PayloadKey } from '../../ports/payload-port.ts'
import type { Database, SqlRow } from '../connection/database.ts'
import { nowInSql } from '../connection/database-clock.ts'
import { fromStored } from '../connection/stored-text.ts'
import { OrderedUids } from './ordered-uids.ts'

/** A process that was killed is taken for dead after this. */
const LEASE_MS = 30_000
/** What is done under a lease must be over before others may take it over: a statement may take some seconds. */
const HELD_MS = 15_000
const RETRY_AFTER_SECONDS = 5
/** Polls after which payloads that were taken over and have no outcome are reported again. */
const LOOKS_PER_REMINDER = 12
/** Payloads that are taken over, or reported, at a time. */
const LEFT_MAX = 1_000

/** The name under which this process writes, and what it has taken over. */
export class PayloadWriter {
  readonly #database: Database
  readonly #clock: Clock
  readonly #nowMs: () => number | null
  readonly #listeners: ((left: readonly PayloadKey[]) => void)[] = []
  #uids = new OrderedUids()
  #renewedAtMs = 0
  #renewals: Renewal[] = []
  #looks = 0

  constructor(database: Database, clock: Clock | undefined) {
    this.#database = database
    this.#clock = clock ?? systemClock
    this.#nowMs = () => clock?.now() ?? null
  }

  get name(): string {
    return this.#uids.writer
  }

  /** The UIDs that payloads of this process get. */
  get uids(): OrderedUids {
    return this.#uids
  }

  /** Begins to write, and takes over what processes that are gone have left. */
  async open(): Promise<void> {
    await this.#begin()
    await this.#takeOver()
    this.#renewals = [new Renewal(() => this.renew()), new Renewal(() => this.look())]
  }

  /** Refuses while another process may have taken over the work of this one. */
  require(): void {
    if (this.#clock.elapsed() - this.#renewedAtMs <= HELD_MS) return
    refuse('store_away', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  /** Renews the lease; begins again under another name when it was over. */
  async renew(): Promise<void> {
    const renewedAtMs = this.#clock.elapsed()
    const rows = await this.#database.read(
      `UPDATE payload_writer SET expires_at_ms = ${nowInSql('$3')} + $2::bigint
        WHERE writer = $1 AND expires_at_ms > ${nowInSql('$3')} RETURNING writer`,
      [this.name, LEASE_MS, this.#nowMs()],
    )
    if (rows.length > 0) this.#renewedAtMs = renewedAtMs
    else await this.#begin()
  }

  watchLeft(listener: (left: readonly PayloadKey[]) => void): void {
    this.#listeners.push(listener)
  }

  /** Takes over payloads of dead processes, and reports those without an outcome. */
  async look(): Promise<void> {
    const taken = await this.#takeOver()
    this.#looks += 1
    if (taken === 0 && this.#looks % LOOKS_PER_REMINDER !== 0) return
    const left = await this.#unsettled('AND is_left', '', LEFT_MAX)
    if (left.length > 0) for (const listener of this.#listeners) listener(left)
  }

  /** Payloads without an outcome that this process works on, or has to. */
  async listUnsettled(after: string, limit: number): Promise<PayloadKey[]> {
    let taken: number
    do taken = await this.#takeOver()
    while (taken === LEFT_MAX)
    return await this.#unsettled('', after, limit)
  }

  /** Lets go of what is left, so that others can take it over. */
  async close(): Promise<void> {
    await Promise.all(this.#renewals.map((renewal) => renewal.close()))
    await this.#database.read('DELETE FROM payload_writer WHERE writer = $1', [this.name])
  }

  async #begin(): Promise<void> {
    this.#uids = new OrderedUids()
    const renewedAtMs = this.#clock.elapsed()
    await this.#database.read(
      `INSERT INTO payload_writer (writer, expires_at_ms) VALUES ($1, ${nowInSql('$3')} + $2::bigint)
        ON CONFLICT (writer) DO NOTHING`,
      [this.name, LEASE_MS, this.#nowMs()],
    )
    this.#renewedAtMs = renewedAtMs
  }

  /** Takes over payloads whose process is gone; returns how many. Processes that look at once get different ones. */
  async #takeOver(): Promise<number> {
    const now = this.#nowMs()
    await this.#database.read(
      `DELETE FROM payload_writer WHERE expires_at_ms <= ${nowInSql('$1')}`,
      [now],
    )
    const rows = await this.#database.read(
      `UPDATE payload p SET writer = $1, is_left = true
        FROM (SELECT connector, uid FROM payload WHERE outcome IS NULL
            AND writer <> ALL (ARRAY(SELECT writer FROM payload_writer))
          ORDER BY uid LIMIT ${LEFT_MAX} FOR UPDATE SKIP LOCKED) q
        WHERE p.connector = q.connector AND p.uid = q.uid RETURNING 1`,
      [this.name],
    )
    return rows.length
  }

  async #unsettled(condition: string, after: string, limit: number): Promise<PayloadKey[]> {
    const rows = await this.#database.read(
      `SELECT org, connector, uid FROM payload WHERE outcome IS NULL AND writer = $1 AND uid > $2
        ${condition} ORDER BY uid LIMIT $3`,
      [this.name, after, limit],
    )
    return rows.map(keyOf)
  }
}

function keyOf(row: SqlRow): PayloadKey {
  const [orgUid, connectorUid, uid] = (row as string[]).map(fromStored)
  return { orgUid, connectorUid, uid }
}
