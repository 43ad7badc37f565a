/** Leases, by the clock of the database: those of the processes may differ. */
import type { Lease } from '../../ports/catalog-port.ts'
import type { Database } from '../connection/database.ts'
import { nowInSql } from '../connection/database-clock.ts'
import { fromStored, toStored } from '../connection/stored-text.ts'

/** Whether somebody has a lease; one that ends later than it was taken for was taken by a clock that was ahead. */
const isRunning = (now: string, ttl: string) =>
  `l.expires_at_ms > ${now} AND l.expires_at_ms - ${now} <= ${ttl}::bigint`

export class Leases {
  readonly #database: Database
  readonly #nowMs: () => number | null

  constructor(database: Database, nowMs: () => number | null) {
    this.#database = database
    this.#nowMs = nowMs
  }

  /** Takes or renews a lease in one statement, which waits for commits that rely on the one before. */
  async acquire(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const running = isRunning(nowInSql('$4'), '$3')
    const [row] = await this.#database.read(
      `INSERT INTO lease AS l (name, holder, fence, expires_at_ms) VALUES ($1, $2, 1, ${nowInSql('$4')} + $3::bigint)
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at_ms = excluded.expires_at_ms,
          fence = CASE WHEN ${running} THEN l.fence ELSE l.fence + 1 END
        WHERE l.holder = excluded.holder OR NOT (${running})
        RETURNING fence`,
      [toStored(name), toStored(holder), ttlMs, this.#nowMs()],
    )
    return row === undefined ? undefined : { name, holder, fence: row[0] as number }
  }

  /** Ends a lease; its row stays, so that the fence goes on rising. */
  async release({ name, holder, fence }: Lease): Promise<void> {
    await this.#database.read(
      `UPDATE lease SET holder = '', expires_at_ms = 0 WHERE name = $1 AND holder = $2 AND fence = $3`,
      [toStored(name), toStored(holder), fence],
    )
  }

  async holderOf(name: string, ttlMs: number): Promise<string | undefined> {
    const [row] = await this.#database.read(
      `SELECT holder FROM lease l WHERE name = $1 AND ${isRunning(nowInSql('$3'), '$2')}`,
      [toStored(name), ttlMs, this.#nowMs()],
    )
    return row === undefined ? undefined : fromStored(row[0] as string)
  }
}
