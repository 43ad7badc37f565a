/**
 * Processes that serve on one cluster announce that by leases: each holds a slot while it runs. A move of the data
 * elsewhere holds a lease of its own. Each takes its own first and looks for the other then, so of two that begin
 * at once at least one sees the other, and ends.
 */
import { Refusal, refuse } from '../../base/index.ts'
import type { CatalogStore } from '../ports/catalog-port.ts'
import { HeldLease } from './held-lease.ts'
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
  /** Called once if the other side has started meanwhile: this process must end. */
  readonly onLost: () => void
}

/** How a process keeps its place. */
interface Placing {
  /** Whether the other side has begun while the lease was over. */
  readonly isOvertaken: () => Promise<boolean>
  /** Takes a lease in the place of one that another process has by now; refuses when the other side has begun. */
  readonly replace: () => Promise<HeldLease>
}

/** A place that is kept until it is let go, and taken again after an outage that its lease did not outlast. */
class KeptPlace {
  readonly #onLost: () => void
  readonly #placing: Placing
  readonly #renewal = new Renewal(() => this.#renew())
  #held: HeldLease
  #isLost = false

  constructor(held: HeldLease, onLost: () => void, placing: Placing) {
    this.#held = held
    this.#onLost = onLost
    this.#placing = placing
  }

  /** Lets it go. */
  async close(): Promise<void> {
    await this.#renewal.close()
    // While the cluster is away the lease ends by itself.
    if (!this.#isLost) await this.#held.release().catch(() => {})
  }

  async #renew(): Promise<void> {
    const { isOvertaken, replace } = this.#placing
    const before = this.#held.lease
    try {
      if (!(await this.#held.renew())) this.#held = await replace()
      const now = this.#held.lease
      const isSame = now?.name === before?.name && now?.fence === before?.fence
      if (!isSame && (await isOvertaken())) this.#lose()
    } catch (error) {
      // While the cluster is unavailable, the next renewal decides.
      if (error instanceof Refusal && error.code === 'conflict') this.#lose()
    }
  }

  #lose(): void {
    if (this.#isLost) return
    this.#renewal.end()
    this.#isLost = true
    this.#onLost()
  }
}

/** Takes a place among the processes that serve on a catalog until it is closed; refuses while the data are being moved. */
export async function takeServingSlot(options: HoldOptions): Promise<{ close(): Promise<void> }> {
  const { catalog } = options
  const isOvertaken = async () => (await catalog.holderOf(MOVE_LEASE, MOVE_MS)) !== undefined
  const held = await takeSlot(options)
  if (await isOvertaken()) {
    await held.release()
    const what = 'The data of this cluster are being moved: start when that has ended'
    refuse('conflict', { what })
  }
  const replace = () => takeSlot(options)
  return new KeptPlace(held, options.onLost, { isOvertaken, replace })
}

/** Keeps services out while everything is moved; refuses while one serves, or somebody else moves. */
export async function holdForMove(options: HoldOptions): Promise<{ close(): Promise<void> }> {
  const { catalog, holder } = options
  const held = new HeldLease({ catalog, holder, name: MOVE_LEASE, ttlMs: MOVE_MS })
  if (!(await held.renew())) {
    refuse('conflict', { what: 'The data of this cluster are being moved by another process' })
  }
  const isOvertaken = () => isServed(catalog)
  const replace = async () => refuse('conflict', { what: 'Another process moves the data' })
  const kept = new KeptPlace(held, options.onLost, { isOvertaken, replace })
  if (!(await isServed(catalog))) return kept
  await kept.close()
  refuse('conflict', {
    what:
      'A Weir process serves on this cluster: stop all of them first; one that was killed ' +
      `counts for ${SLOT_MS / 1_000} seconds`,
  })
}

async function takeSlot({ catalog, holder }: HoldOptions): Promise<HeldLease> {
  for (let slot = 0; slot < SLOTS_MAX; slot++) {
    const held = new HeldLease({ catalog, holder, name: `${SLOT}${slot}`, ttlMs: SLOT_MS })
    if (await held.renew()) return held
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
