import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { KeyedMutex, Refusal } from '../../../base/index.ts'
import type { Lease } from '../../catalog-port.ts'
import { awayRefusal } from '../connection/away.ts'
import { APART_MS_MAX } from '../connection/clock-skew.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'

/** Tries to take a lease that others want too, before it is told as being theirs. */
const TRIES_MAX = 5
const WAIT_MS = 50

/** A lease as it was taken last. */
interface TakenLease extends Lease {
  readonly expiresAtMs: number
}

/** Who wants a lease, when and for how long. */
interface LeaseWish {
  readonly name: string
  readonly holder: string
  readonly nowMs: number
  readonly ttlMs: number
}

/** A lease that was got; `isTakenOver` when its holder before may not know that it is over. */
interface GotLease {
  readonly lease: Lease
  readonly isTakenOver: boolean
}

/** Who holds which lease, kept by lightweight transactions. */
export class Leases {
  readonly #cluster: Cluster
  readonly #turns = new KeyedMutex<string>()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** Takes or renews a lease; undefined while another holder has it. */
  acquire(wish: LeaseWish): Promise<GotLease | undefined> {
    // Those of one process that want the same must not hinder each other.
    return this.#turns.run([wish.name], () => this.#acquire(wish))
  }

  async #acquire(wish: LeaseWish): Promise<GotLease | undefined> {
    let held = await this.select(wish.name)
    let failure: unknown
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const isRunning = held !== undefined && isRunningAt(held, wish)
      if (isRunning && held?.holder !== wish.holder) return undefined
      const fence = isRunning ? (held?.fence ?? 0) : (held?.fence ?? 0) + 1
      const lease = { name: wish.name, holder: wish.holder, fence }
      try {
        const answer = await this.#take(lease, wish.nowMs + wish.ttlMs, held)
        if (answer.isApplied) {
          const isTakenOver = held !== undefined && held.holder !== '' && held.fence !== fence
          return { lease, isTakenOver }
        }
        held = takenOf(wish.name, answer.row)
      } catch (error) {
        // Others that try at the same time, or nodes that are gone: what has come of it is seen by the next try.
        if (!(error instanceof Refusal)) throw error
        failure = error
        await pause(randomInt(WAIT_MS * (tries + 1)))
        held = await this.select(wish.name)
      }
    }
    throw failure ?? awayRefusal(new Error(`lease ${wish.name} changes all the time`))
  }

  /** Who holds a lease that is taken for `ttlMs` each time; undefined while nobody does. */
  async holderOf(
    name: string,
    at: { readonly nowMs: number; readonly ttlMs: number },
  ): Promise<string | undefined> {
    const lease = await this.select(name)
    return lease !== undefined && isRunningAt(lease, at) ? lease.holder : undefined
  }

  /** Lets a lease go, if it is still that one; the row stays, so that the fence keeps rising. */
  async release({ name, holder, fence }: Lease): Promise<void> {
    await this.#cluster.cas(
      `UPDATE lease SET holder = '', expires_at = 0 WHERE name = ? IF holder = ? AND fence = ?`,
      [name, holder, BigInt(fence)],
    )
  }

  /** The lease as it was taken last. */
  async select(name: string): Promise<TakenLease | undefined> {
    const cql = 'SELECT holder, fence, expires_at FROM lease WHERE name = ?'
    const [row] = await this.#cluster.run(cql, [name])
    return takenOf(name, row)
  }

  async #take(lease: Lease, expiresAtMs: number, held: TakenLease | undefined) {
    const { name, holder, fence } = lease
    const taken = [holder, BigInt(fence), BigInt(expiresAtMs)]
    if (held === undefined) {
      const cql =
        'INSERT INTO lease (name, holder, fence, expires_at) VALUES (?, ?, ?, ?) IF NOT EXISTS'
      return await this.#cluster.cas(cql, [name, ...taken])
    }
    return await this.#cluster.cas(
      `UPDATE lease SET holder = ?, fence = ?, expires_at = ? WHERE name = ?
        IF holder = ? AND fence = ? AND expires_at = ?`,
      [...taken, name, held.holder, BigInt(held.fence), BigInt(held.expiresAtMs)],
    )
  }
}

/** Whether a lease that is taken for `ttlMs` each time is somebody's. */
function isRunningAt(
  { expiresAtMs }: TakenLease,
  { nowMs, ttlMs }: { readonly nowMs: number; readonly ttlMs: number },
): boolean {
  const remainingMs = expiresAtMs - nowMs
  // One that would run for much longer than it was taken for was taken by a clock that was wrong.
  return remainingMs > 0 && remainingMs <= ttlMs + APART_MS_MAX
}

function takenOf(name: string, row: CqlRow | undefined): TakenLease | undefined {
  if (row?.fence === undefined || row.fence === null) return undefined
  return {
    ...{ name, holder: row.holder as string, fence: Number(row.fence) },
    expiresAtMs: Number(row.expires_at),
  }
}
