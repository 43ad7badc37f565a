/** The statements with which the writer keeps leases. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Lease } from '../../catalog-port.ts'
import { checkOfLease } from './catalog-checks.ts'

/** Who holds which lease, and until when. */
export class CatalogLeases {
  readonly #select: StatementSync
  readonly #upsert: StatementSync

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT holder, fence, expires_at_ms, crc FROM lease WHERE name = ?')
    this.#upsert = db.prepare(`INSERT INTO lease (name, holder, fence, expires_at_ms, crc)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET holder = excluded.holder,
      fence = excluded.fence, expires_at_ms = excluded.expires_at_ms, crc = excluded.crc`)
  }

  select(name: string): (Lease & { readonly expiresAtMs: number }) | undefined {
    const row = this.#select.get(name)
    if (row === undefined) return undefined
    const lease = { name, holder: row.holder as string, fence: row.fence as number }
    const expiresAtMs = row.expires_at_ms as number
    // One that does not check holds nobody up; its fence is the best there is to count on from.
    const isWhole = checkOfLease(lease, expiresAtMs) === row.crc
    return isWhole ? { ...lease, expiresAtMs } : { ...lease, holder: '', expiresAtMs: 0 }
  }

  upsert(lease: Lease, expiresAtMs: number): void {
    const crc = checkOfLease(lease, expiresAtMs)
    this.#upsert.run(lease.name, lease.holder, lease.fence, expiresAtMs, crc)
  }
}
