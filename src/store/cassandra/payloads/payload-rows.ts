/** The writes of payloads into pages, and pages that go. */
import type { Clock } from '../../../base/index.ts'
import { writeSpans } from '../../embedded/payloads/assigned-spans.ts'
import type { AssignedSpan, NewPayload, RunOutcome } from '../../payload-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { PayloadRow } from './connector-view.ts'
import { contentOf, keptBytesOf, PayloadParts } from './payload-content.ts'

/** Where a row is. */
export interface RowPlace {
  readonly connectorUid: string
  readonly page: string
  readonly uid: string
}

/** What comes for a dropped page within this is dropped with it. */
const LATE_MS = 24 * 3_600_000

const PLACE = 'WHERE connector = ? AND page = ? AND uid = ?'

/** Rows of payloads as they are written. */
export class PayloadRows {
  readonly #cluster: Cluster
  readonly #clock: Clock
  readonly parts: PayloadParts

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster
    this.#clock = clock
    this.parts = new PayloadParts(cluster)
  }

  /** Keeps a payload, which is there when all of it is. */
  async insert({ connectorUid, page, uid }: RowPlace, payload: NewPayload): Promise<void> {
    const { time, method, query, body } = payload
    const data = contentOf(payload)
    const { crc, inline } = keptBytesOf(data)
    // What is undefined is not written: a null would be a tombstone.
    const bodyBytes = body === null ? undefined : Buffer.byteLength(body)
    await this.#cluster.run(
      `INSERT INTO payload (connector, page, uid, time, method, query_bytes, body_bytes, content,
        content_crc, is_whole) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[connectorUid, page, uid, BigInt(time), method, Buffer.byteLength(query), bodyBytes],
        ...[inline, BigInt(crc), inline !== undefined],
      ],
    )
    if (inline !== undefined) return
    await this.parts.write({ connectorUid, name: uid }, data)
    await this.#cluster.run(`UPDATE payload SET is_whole = true ${PLACE}`, [
      ...[connectorUid, page, uid],
    ])
  }

  /** Keeps assigned times, of long ones under a name that nothing has yet. */
  async setAssigned(
    { connectorUid, page, uid }: RowPlace,
    spans: readonly AssignedSpan[],
    name: string,
  ): Promise<void> {
    const data = Buffer.from(writeSpans(spans))
    const { bytes, crc, inline } = keptBytesOf(data)
    await this.parts.write({ connectorUid, name }, data)
    await this.#cluster.run(
      `UPDATE payload SET assigned_bytes = ?, assigned = ?, assigned_crc = ?, assigned_in = ? ${PLACE}`,
      [
        ...[bytes, inline ?? null, BigInt(crc), inline === undefined ? name : ''],
        ...[connectorUid, page, uid],
      ],
    )
  }

  /** Keeps what came of a payload. */
  async setOutcome({ connectorUid, page, uid }: RowPlace, outcome: RunOutcome): Promise<void> {
    const cql = `UPDATE payload SET outcome = ? ${PLACE}`
    await this.#cluster.run(cql, [JSON.stringify(outcome), connectorUid, page, uid])
  }

  /** Keeps what came of a payload before. */
  async insertEarlier(
    { connectorUid, page, uid }: RowPlace,
    { uid: of, time }: Pick<PayloadRow, 'uid' | 'time'>,
    outcome: RunOutcome,
  ): Promise<void> {
    await this.#cluster.run(
      'INSERT INTO payload (connector, page, uid, run_of, time, outcome) VALUES (?, ?, ?, ?, ?, ?)',
      [connectorUid, page, uid, of, BigInt(time), JSON.stringify(outcome)],
    )
  }

  /**
   * Forgets a page with everything in it. One that is not over stays in the map, so that what its writer goes on to put
   * can be found.
   */
  async drop(connectorUid: string, page: string, isOver: boolean): Promise<void> {
    const cql = `SELECT uid, query_bytes, body_bytes, assigned_bytes, assigned_in
      FROM payload WHERE connector = ? AND page = ?`
    for await (const rows of this.#cluster.pages(cql, [connectorUid, page], 1_000)) {
      await this.#cluster.inParallel(rows, async (row) => {
        const number = (name: string): number => (row[name] as number | null) ?? 0
        const content = { connectorUid, name: row.uid as string }
        await this.parts.delete(content, number('query_bytes') + number('body_bytes'))
        const assigned = { connectorUid, name: (row.assigned_in as string | null) ?? '' }
        await this.parts.delete(assigned, number('assigned_bytes'))
      })
    }
    const late = BigInt(this.#clock.now() + LATE_MS) * 1_000n
    const timestamp = isOver ? late : undefined
    const where = 'WHERE connector = ? AND page = ?'
    await this.#cluster.run(`DELETE FROM payload ${where}`, [connectorUid, page], { timestamp })
    if (isOver) {
      await this.#cluster.run(`DELETE FROM payload_page ${where}`, [connectorUid, page])
    }
  }
}
