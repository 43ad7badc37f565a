/** Inserts payloads, those that come while one statement runs together with the next. */
import { refuse } from '../../../base/index.ts'
import type { NewPayload } from '../../ports/payload-port.ts'
import type { Database } from '../connection/database.ts'
import { toStored } from '../connection/stored-text.ts'

/** Beyond this the database cannot keep up, and an error is better than a wait. */
const WAITING_MAX = 4_096
const WAITING_BYTES_MAX = 64 * 1024 * 1024
const RETRY_AFTER_SECONDS = 5
const ROWS_PER_STATEMENT = 500
const BYTES_PER_STATEMENT = 8 * 1024 * 1024

interface Waiting extends PromiseWithResolvers<void> {
  readonly uid: string
  readonly writer: string
  readonly payload: NewPayload
  readonly query: Buffer
  readonly body: Buffer | null
  readonly bytes: number
}

export class PayloadInserts {
  readonly #database: Database
  #queue: Waiting[] = []
  #bytes = 0
  #working: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Refuses while too many payloads wait. */
  require({ query, body }: NewPayload): void {
    const bytes = query.length + (body?.length ?? 0)
    const isFull = this.#queue.length >= WAITING_MAX || this.#bytes + bytes > WAITING_BYTES_MAX
    if (isFull && this.#queue.length > 0) {
      refuse('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
  }

  /** Inserts a payload; resolves when it is durable, with the bytes that it counts. */
  async insert(uid: string, writer: string, payload: NewPayload): Promise<number> {
    const query = Buffer.from(payload.query)
    const body = payload.body === null ? null : Buffer.from(payload.body)
    const bytes = query.length + (body?.length ?? 0)
    const one = { uid, writer, payload, query, body, bytes, ...Promise.withResolvers<void>() }
    this.#queue.push(one)
    this.#bytes += bytes
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
    await one.promise
    return bytes
  }

  /** Waits for what was given before. */
  async settled(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const some = this.#take()
      try {
        await this.#insert(some)
        for (const { resolve } of some) resolve()
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
      for (const { bytes } of some) this.#bytes -= bytes
    }
  }

  #take(): Waiting[] {
    let total = 0
    const count = this.#queue.slice(0, ROWS_PER_STATEMENT).findIndex(({ bytes }, at) => {
      total += bytes
      return at > 0 && total > BYTES_PER_STATEMENT
    })
    return this.#queue.splice(0, count < 0 ? ROWS_PER_STATEMENT : count)
  }

  /** May be repeated after a lost answer: the UID is there then. */
  async #insert(some: readonly Waiting[]): Promise<void> {
    await this.#database.read(
      `INSERT INTO payload (connector, uid, org, received_at_ms, method, query, body, counted_bytes,
          started_at_ms, writer)
        SELECT connector, uid, org, received, method, query, body, counted, received, writer
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::bytea[],
          $8::bigint[], $9::text[])
          AS n (connector, uid, org, received, method, query, body, counted, writer)
        ON CONFLICT (connector, uid) DO NOTHING`,
      [
        some.map(({ payload }) => toStored(payload.connectorUid)),
        some.map(({ uid }) => uid),
        some.map(({ payload }) => toStored(payload.orgUid)),
        some.map(({ payload }) => payload.time),
        some.map(({ payload }) => toStored(payload.method)),
        some.map(({ query }) => query),
        some.map(({ body }) => body),
        some.map(({ bytes }) => bytes),
        some.map(({ writer }) => writer),
      ],
    )
  }
}
