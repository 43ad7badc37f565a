/**
 * Processes that serve on one cluster tell so by leases: each holds a slot while it runs. Whoever moves the data
 * elsewhere holds a lease of its own. Each takes its own first and looks for the other then, so of two that begin
 * at once at least one sees the other, and ends.
 */
import { Refusal, refuse } from '../../base/index.ts'
import type { CatalogStore, Lease } from '../ports/catalog-port.ts'
import { Renewal } from './renewal.ts'

/** Processes that can serve on one cluster. */
const SLOTS_MAX = 256
/** After so long others count on a process that was killed no more. */
const SLOT_MS = 30_000
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
}

/** How a lease is held. */
interface Holding {
  readonly ttlMs: number
  /** Whether the other side has begun while the lease was over. */
  readonly isOvertaken: () => Promise<boolean>
  /** Takes a lease in the place of one that another process has by now; refuses when the other side has begun. */
  readonly replace: () => Promise<Lease>
}

/** A lease that is renewed until it is let go, and taken again after an outage that it did not outlast. */
class HeldLease {
  readonly #options: HoldOptions
  readonly #holding: Holding
  readonly #renewal = new Renewal(() => this.#renew())
  #lease: Lease
  #isLost = false

  constructor(lease: Lease, options: HoldOptions, holding: Holding) {
    this.#lease = lease
    this.#options = options
    this.#holding = holding
  }

  /** Lets it go. */
  async close(): Promise<void> {
    await this.#renewal.close()
    // While the cluster is away the lease ends by itself.
    if (!this.#isLost) await this.#options.catalog.releaseLease(this.#lease).catch(() => {})
  }

  async #renew(): Promise<void> {
    const { catalog, holder } = this.#options
    const { isOvertaken, replace, ttlMs } = this.#holding
    const before = this.#lease
    try {
      this.#lease = (await catalog.acquireLease(before.name, holder, ttlMs)) ?? (await replace())
      const { name, fence } = this.#lease
      const isSame = name === before.name && fence === before.fence
      if (!isSame && (await isOvertaken())) this.#lose()
    } catch (error) {
      // While the cluster is away the next time tells more.
      if (error instanceof Refusal && error.code === 'conflict') this.#lose()
    }
  }

  #lose(): void {
    if (this.#isLost) return
    this.#renewal.end()
    this.#isLost = true
    this.#options.onLost()
  }
}

/** Takes a place among the processes that serve on a catalog until it is closed; refuses while the data are being moved. */
export async function takeServingSlot(options: HoldOptions): Promise<{ close(): Promise<void> }> {
  const { catalog } = options
  const isOvertaken = async () => (await catalog.holderOf(MOVE_LEASE, MOVE_MS)) !== undefined
  const lease = await takeSlot(options)
  if (await isOvertaken()) {
    await catalog.releaseLease(lease)
    const what = 'The data of this cluster are being moved: start when that has ended'
    refuse('conflict', { what })
  }
  const replace = () => takeSlot(options)
  return new HeldLease(lease, options, { ttlMs: SLOT_MS, isOvertaken, replace })
}

/** Keeps services out while everything is moved; refuses while one serves, or somebody else moves. */
export async function holdForMove(options: HoldOptions): Promise<{ close(): Promise<void> }> {
  const { catalog, holder } = options
  const lease = await catalog.acquireLease(MOVE_LEASE, holder, MOVE_MS)
  if (lease === undefined) {
    refuse('conflict', { what: 'The data of this cluster are being moved by another process' })
  }
  const isOvertaken = () => isServed(catalog)
  const replace = async () => refuse('conflict', { what: 'Another process moves the data' })
  const held = new HeldLease(lease, options, { ttlMs: MOVE_MS, isOvertaken, replace })
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
