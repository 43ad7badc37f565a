/**
 * Processes that serve on one cluster tell so by leases: each holds a slot while it runs. Whoever moves the data
 * elsewhere holds a lease of its own. Each takes its own first and looks for the other then, so of two that begin
 * at once at least one sees the other, and ends.
 */
import { type Clock, Refusal, refuse, systemClock } from '../base/index.ts'
import type { CatalogStore, Lease } from './catalog-port.ts'

/** Processes that can serve on one cluster. */
const SLOTS_MAX = 256
/** After so long others count on a process that was killed no more. */
const SLOT_MS = 30_000
const RENEW_EVERY_MS = 5_000
const SLOT = 'serving:'
const SLOTS_PER_LOOK = 32
const MOVE_LEASE = 'move'
const MOVE_MS = 30_000

type LeaseStore = Pick<CatalogStore, 'acquireLease' | 'releaseLease' | 'holderOf'>

/** What a lease is held with. */
interface HoldOptions {
  readonly catalog: LeaseStore
  /** Who this process is: nobody else has it. */
  readonly holder: string
  /** Told once when the other side has begun meanwhile: this process must end. */
  readonly onLost: () => void
  readonly clock?: Clock
}

/** How a lease is held. */
interface Holding {
  readonly ttlMs: number
  readonly sinceMs: number
  /** Whether the other side has begun while the lease was over. */
  readonly isOvertaken: () => Promise<boolean>
  /** Takes a lease in the place of one that another process has by now; refuses when the other side has begun. */
  readonly replace: () => Promise<Lease>
}

/** A lease that is renewed until it is let go, and taken again after an outage that it did not outlast. */
class HeldLease {
  readonly #options: HoldOptions
  readonly #clock: Clock
  readonly #holding: Holding
  readonly #timer: NodeJS.Timeout
  lease: Lease
  #renewedAt: number
  #isLost = false
  #renewing: Promise<void> | undefined

  constructor(lease: Lease, options: HoldOptions, holding: Holding) {
    this.lease = lease
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#holding = holding
    this.#renewedAt = holding.sinceMs
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew()
    }, RENEW_EVERY_MS)
    this.#timer.unref()
  }

  /** Whether nobody else can have it yet: it was renewed lately. */
  isHeld(): boolean {
    return !this.#isLost && this.#clock.elapsed() - this.#renewedAt < this.#holding.ttlMs
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    // While the cluster is away the lease ends by itself.
    if (!this.#isLost) await this.#options.catalog.releaseLease(this.lease).catch(() => {})
  }

  async #renew(): Promise<void> {
    const { catalog, holder } = this.#options
    const { isOvertaken, replace, ttlMs } = this.#holding
    const askedAt = this.#clock.elapsed()
    try {
      const found = await catalog.acquireLease(this.lease.name, holder, ttlMs)
      const lease = found ?? (await replace())
      const isSame = lease.name === this.lease.name && lease.fence === this.lease.fence
      if (!isSame && (await isOvertaken())) this.#lose()
      this.lease = lease
      this.#renewedAt = askedAt
    } catch (error) {
      // While the cluster is away the next time tells more.
      if (error instanceof Refusal && error.code === 'conflict') this.#lose()
    } finally {
      this.#renewing = undefined
    }
  }

  #lose(): void {
    if (this.#isLost) return
    clearInterval(this.#timer)
    this.#isLost = true
    this.#options.onLost()
  }
}

/** The place of a serving process among those that share its catalog. */
export class ServingSlot {
  readonly #held: HeldLease

  private constructor(held: HeldLease) {
    this.#held = held
  }

  /** Takes the first slot that is free; refuses while the data are being moved. */
  static async take(options: HoldOptions): Promise<ServingSlot> {
    const { catalog, clock = systemClock } = options
    const sinceMs = clock.elapsed()
    const isOvertaken = async () => (await catalog.holderOf(MOVE_LEASE, MOVE_MS)) !== undefined
    const replace = () => takeSlot(options)
    const lease = await takeSlot(options)
    if (await isOvertaken()) {
      await catalog.releaseLease(lease)
      const what = 'The data of this cluster are being moved: start when that has ended'
      refuse('conflict', { what })
    }
    const holding = { ttlMs: SLOT_MS, sinceMs, isOvertaken, replace }
    return new ServingSlot(new HeldLease(lease, options, holding))
  }

  get slot(): number {
    return Number(this.#held.lease.name.slice(SLOT.length))
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
  const isOvertaken = () => isServed(catalog)
  const replace = async () => refuse('conflict', { what: 'Another process moves the data' })
  const held = new HeldLease(lease, options, { ttlMs: MOVE_MS, sinceMs, isOvertaken, replace })
  if (!(await isServed(catalog))) return held
  await held.close()
  refuse('conflict', {
    what:
      'A Weir process serves on this cluster: stop all of them first; one that was killed ' +
      `counts for ${SLOT_MS / 1_000} seconds`,
  })
}

async function takeSlot({ catalog, holder }: HoldOptions): Promise<Lease> {
  for (let slot = 0; slot < SLOTS_MAX; slot++) {
    const lease = await catalog.acquireLease(`${SLOT}${slot}`, holder, SLOT_MS)
    if (lease !== undefined) return lease
  }
  refuse('conflict', { what: `${SLOTS_MAX} processes serve on this cluster: no more can` })
}

async function isServed(catalog: LeaseStore): Promise<boolean> {
  for (let from = 0; from < SLOTS_MAX; from += SLOTS_PER_LOOK) {
    const slots = Array.from({ length: SLOTS_PER_LOOK }, (_, at) => `${SLOT}${from + at}`)
    const holders = await Promise.all(slots.map((name) => catalog.holderOf(name, SLOT_MS)))
    if (holders.some((holder) => holder !== undefined)) return true
  }
  return false
}
