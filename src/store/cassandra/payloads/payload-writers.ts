/**
 * Who writes payloads: every process under an id of its own and a lease on it. What a process has left without
 * an outcome is taken over with the lease by one that lives; whoever has lost its lease goes on under another id.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, refuse } from '../../../base/index.ts'
import type { Lease } from '../../catalog-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { Leases } from '../lease/leases.ts'

/** A process that was killed is taken for dead after this. */
const LEASE_MS = 30_000

/** What is done under a lease must be over before others may take it: a statement may take some seconds. */
const HELD_MS = 15_000

const RETRY_AFTER_SECONDS = 5

interface HeldWriter {
  readonly lease: Lease
  readonly renewedAtMs: number
}

/** The ids that a process may write under: its own, and those that it has taken over. */
export class PayloadWriters {
  readonly #cluster: Cluster
  readonly #leases: Leases
  readonly #clock: Clock
  readonly #holder = randomUUID()
  readonly #held = new Map<string, HeldWriter>()
  /** Ids of this process that others have taken over. */
  readonly #lost = new Set<string>()

  constructor(deps: { cluster: Cluster; leases: Leases; clock: Clock }) {
    this.#cluster = deps.cluster
    this.#leases = deps.leases
    this.#clock = deps.clock
  }

  /** Takes the lease on an id that no process has had. */
  async begin(writer: string): Promise<void> {
    if (!(await this.#take(writer))) throw new Error(`BUG: writer ${writer} is taken`)
  }

  /** The ids that are held. */
  held(): string[] {
    return [...this.#held.keys()]
  }

  /** Refuses when another process may be at work for a writer; others than those that were held may be written for. */
  require(writer: string): void {
    const held = this.#held.get(writer)
    const isLate = held !== undefined && this.#clock.elapsed() - held.renewedAtMs > HELD_MS
    if (isLate || this.#lost.has(writer)) {
      refuse('store_away', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
  }

  /** Renews what is held; tells which ids others have taken over meanwhile. */
  async renew(): Promise<string[]> {
    const lost: string[] = []
    for (const [writer, { lease }] of [...this.#held]) {
      const isHeld = (await this.#take(writer)) && this.#isNext(writer, lease)
      if (isHeld) continue
      this.#held.delete(writer)
      this.#lost.add(writer)
      lost.push(writer)
    }
    return lost
  }

  /** Takes over the ids of processes that are gone and have left something; tells which. */
  async takeOver(): Promise<string[]> {
    const taken: string[] = []
    for (const row of await this.#cluster.run('SELECT DISTINCT writer FROM payload_writer')) {
      const writer = row.writer as string
      if (this.#held.has(writer)) continue
      if (await this.#take(writer)) taken.push(writer)
    }
    return taken
  }

  /** Lets an id go that has left nothing behind. */
  async end(writer: string): Promise<void> {
    await this.#cluster.run('DELETE FROM payload_writer WHERE writer = ?', [writer])
    await this.release(writer)
  }

  /** Lets an id go: whoever comes next takes over what it has left. */
  async release(writer: string): Promise<void> {
    const held = this.#held.get(writer)
    this.#held.delete(writer)
    if (held !== undefined) await this.#leases.release(held.lease)
  }

  async #take(writer: string): Promise<boolean> {
    const renewedAtMs = this.#clock.elapsed()
    const got = await this.#leases.acquire({
      ...{ name: `payloads:${writer}`, holder: this.#holder },
      ...{ nowMs: this.#clock.now(), ttlMs: LEASE_MS },
    })
    if (got === undefined) return false
    this.#held.set(writer, { lease: got.lease, renewedAtMs })
    this.#lost.delete(writer)
    return true
  }

  /** Whether nobody had a lease between two times that this process took it. */
  #isNext(writer: string, before: Lease): boolean {
    const fence = this.#held.get(writer)?.lease.fence ?? 0
    return fence === before.fence || fence === before.fence + 1
  }
}
