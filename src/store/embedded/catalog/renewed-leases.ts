import type { Lease } from '../../ports/catalog-port.ts'
import { isLeaseRunning, type TakenLease } from './catalog-lease-table.ts'

interface LeaseRequest {
  readonly holder: string
  readonly nowMs: number
  readonly ttlMs: number
}

/**
 * The leases that this process took, and until when they were renewed. Only one process has the folder open, so a
 * renewal is not written: an idle service leaves its disk alone, and a lease of a process that died ends early.
 */
export class RenewedLeases {
  readonly #taken = new Map<string, TakenLease>()

  /** Renews a lease if its holder still has it. */
  renew(name: string, { holder, nowMs, ttlMs }: LeaseRequest): Lease | undefined {
    const taken = this.#runningAt(name, { nowMs, ttlMs })
    if (taken?.holder !== holder) return undefined
    const lease = { name, holder, fence: taken.fence }
    this.note(lease, nowMs + ttlMs)
    return lease
  }

  /** Who has a lease that this process took; undefined when nobody does. */
  holderAt(name: string, at: Omit<LeaseRequest, 'holder'>): string | undefined {
    return this.#runningAt(name, at)?.holder
  }

  /** Keeps a lease that was just written. */
  note(lease: Lease, expiresAtMs: number): void {
    this.#taken.set(lease.name, { ...lease, expiresAtMs })
  }

  /** Forgets a lease that its holder releases. */
  drop({ name, fence }: Lease): void {
    if (this.#taken.get(name)?.fence === fence) this.#taken.delete(name)
  }

  #runningAt(name: string, at: Omit<LeaseRequest, 'holder'>): TakenLease | undefined {
    const taken = this.#taken.get(name)
    if (taken === undefined || isLeaseRunning(taken, at)) return taken
    this.#taken.delete(name)
    return undefined
  }
}
