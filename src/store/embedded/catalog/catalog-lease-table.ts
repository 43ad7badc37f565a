/** The statements with which leases are read and kept. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Lease } from '../../ports/catalog-port.ts'
import { checkOfLease } from './catalog-checks.ts'

/** A lease as it was taken last. */
export interface TakenLease extends Lease {
  readonly expiresAtMs: number
}

/** Reads who holds which lease, and until when. */
export class CatalogLeaseReader {
  readonly #select: StatementSync

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT holder, fence, expires_at_ms, crc FROM lease WHERE name = ?')
  }

  select(name: string): TakenLease | undefined {
    const row = this.#select.get(name)
    if (row === undefined) return undefined
    const lease = { name, holder: row.holder as string, fence: row.fence as number }
    const expiresAtMs = row.expires_at_ms as number
    // One that does not check holds nobody up; its fence is the best there is to count on from.
    const isWhole = checkOfLease(lease, expiresAtMs) === row.crc
    return isWhole ? { ...lease, expiresAtMs } : { ...lease, holder: '', expiresAtMs: 0 }
  }
}

/** Who holds which lease, and until when. */
export class CatalogLeases extends CatalogLeaseReader {
  readonly #upsert: StatementSync

  constructor(db: DatabaseSync) {
    super(db)
    this.#upsert = db.prepare(`INSERT INTO lease (name, holder, fence, expires_at_ms, crc)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET holder = excluded.holder,
      fence = excluded.fence, expires_at_ms = excluded.expires_at_ms, crc = excluded.crc`)
  }

  upsert(lease: Lease, expiresAtMs: number): void {
    const crc = checkOfLease(lease, expiresAtMs)
    this.#upsert.run(lease.name, lease.holder, lease.fence, expiresAtMs, crc)
  }
}

/** Whether a lease that is taken for `ttlMs` each time is somebody's. */
export function isLeaseRunning(
  { expiresAtMs }: TakenLease,
  { nowMs, ttlMs }: { readonly nowMs: number; readonly ttlMs: number },
): boolean {
  const remainingMs = expiresAtMs - nowMs
  // One that would run longer than it was taken for was taken by a clock that was ahead.
  return remainingMs > 0 && remainingMs <= ttlMs
}
