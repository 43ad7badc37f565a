/**
 * Processes that serve on one cluster tell so by leases: each holds a slot while it runs. Whoever moves the data
 * elsewhere holds a lease of its own. Each takes its own first and looks for the other then, so of two that begin
 * at once at least one sees the other, and ends.
 */
import { type Clock, refuse, systemClock } from '../base/index.ts'
import type { CatalogStore, Lease } from './catalog-port.ts'

/** Processes that can serve on one cluster. */
const SLOTS_MAX = 256
/** After so long others count on a process that was killed no more. */
const SLOT_MS = 30_000
const RENEW_EVERY_MS = 5_000
const MOVE_LEASE = 'move'
const MOVE_MS = 30_000

type LeaseStore = Pick<CatalogStore, 'acquireLease' | 'releaseLease' | 'holderOf'>

/** What a lease is held with. */
interface HoldOptions {
  readonly catalog: LeaseStore
  /** Who this process is: nobody else has it. */
  readonly holder: string
  /** Told once when the lease is another's: this process must not act under it any more. */
  readonly onLost: () => void
  readonly clock?: Clock
}

/** A lease that is renewed until it is let go. */
class HeldLease {
  readonly #options: HoldOptions
  readonly #clock: Clock
  readonly #ttlMs: number
  readonly #timer: NodeJS.Timeout
  readonly lease: Lease
  #renewedAt: number
  #isLost = false
  #renewing: Promise<void> | undefined

  constructor(lease: Lease, options: HoldOptions, held: { ttlMs: number; sinceMs: number }) {
    this.lease = lease
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#ttlMs = held.ttlMs
    this.#renewedAt = held.sinceMs
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew()
    }, RENEW_EVERY_MS)
    this.#timer.unref()
  }

  /** Whether nobody else can have it yet: it was renewed lately. */
  isHeld(): boolean {
    return !this.#isLost && this.#clock.elapsed() - this.#renewedAt < this.#ttlMs
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    // While the cluster is away the lease ends by itself.
    if (!this.#isLost) await this.#options.catalog.releaseLease(this.lease).catch(() => {})
  }

  async #renew(): Promise<void> {
    const { catalog, holder, onLost } = this.#options
    const askedAt = this.#clock.elapsed()
    try {
      const lease = await catalog.acquireLease(this.lease.name, holder, this.#ttlMs)
      if (lease?.fence === this.lease.fence) this.#renewedAt = askedAt
      else {
        clearInterval(this.#timer)
        this.#isLost = true
        onLost()
      }
    } catch {
      // A cluster that is away: the next time tells more.
    } finally {
      this.#renewing = undefined
    }
  }
}

/** The place of a serving process among those that share its catalog. */
export class ServingSlot {
  readonly slot: number
  readonly #held: HeldLease

  private constructor(slot: number, held: HeldLease) {
    this.slot = slot
    this.#held = held
  }

  /** Takes the first slot that is free; refuses while the data are being moved. */
  static async take(options: HoldOptions): Promise<ServingSlot> {
    const { catalog, clock = systemClock, holder } = options
    for (let slot = 0; slot < SLOTS_MAX; slot++) {
      const sinceMs = clock.elapsed()
      const lease = await catalog.acquireLease(nameOf(slot), holder, SLOT_MS)
      if (lease === undefined) continue
      if ((await catalog.holderOf(MOVE_LEASE, MOVE_MS)) !== undefined) {
        await catalog.releaseLease(lease)
        const what = 'The data of this cluster are being moved: start when that has ended'
        refuse('conflict', { what })
      }
      return new ServingSlot(slot, new HeldLease(lease, options, { ttlMs: SLOT_MS, sinceMs }))
    }
    refuse('conflict', { what: `${SLOTS_MAX} processes serve on this cluster: no more can` })
  }

  /** Rises with every process that has the slot. */
  get fence(): number {
    return this.#held.lease.fence
  }

  /** Whether no other process can have the slot yet. */
  isHeld(): boolean {
    return this.#held.isHeld()
  }

  /** Lets the slot go. */
  close(): Promise<void> {
    return this.#held.close()
  }
}

/** Keeps services out while everything is moved; refuses while one serves, or somebody else moves. */
export async function holdForMove(
  options: HoldOptions,
): Promise<{ isHeld(): boolean; close(): Promise<void> }> {
  const { catalog, clock = systemClock, holder } = options
  const sinceMs = clock.elapsed()
  const lease = await catalog.acquireLease(MOVE_LEASE, holder, MOVE_MS)
  if (lease === undefined) {
    refuse('conflict', { what: 'The data of this cluster are being moved by another process' })
  }
  const held = new HeldLease(lease, options, { ttlMs: MOVE_MS, sinceMs })
  for (let slot = 0; slot < SLOTS_MAX; slot++) {
    if ((await catalog.holderOf(nameOf(slot), SLOT_MS)) === undefined) continue
    await held.close()
    refuse('conflict', {
      what:
        'A Weir process serves on this cluster: stop all of them first; one that was killed ' +
        `counts for ${SLOT_MS / 1_000} seconds`,
    })
  }
  return held
}

function nameOf(slot: number): string {
  return `serving:${slot}`
}
