import { randomUUID } from 'node:crypto'
import { type Clock, refuse, systemClock } from '../../base/index.ts'
import type { CatalogStore, Lease } from '../ports/catalog-port.ts'
import { Renewal } from './renewal.ts'
import type { SharedClock } from './shared-clock.ts'

/**
 * Processes that can assign times over one store. Each has every sixteenth millisecond, so an assigned time is at most
 * 15 ms after the upload.
 */
const SLOTS = 16

/** A slot is somebody else's no sooner than this after it was last renewed. */
const SLOT_MS = 30_000

/**
 * No time is assigned so long after the slot was renewed. Between that and the next holder's first lie at least 11 s,
 * whatever two clocks say that are each within 2 s of the cluster's: the next one's times are later.
 */
const HELD_MS = 15_000

/**
 * How long a slot is kept from others at a stop. Its next holder's clock, by which it finds the slot free, is then so
 * much past the last time that was assigned, and stays past it though it may be set back by 4 s, from one end of what
 * is allowed to the other.
 */
const STOPPED_MS = 5_000

const RETRY_AFTER_SECONDS = 5

interface TimeSlotDeps {
  readonly catalog: Pick<CatalogStore, 'acquireLease'>
  readonly clock?: Clock
  /** Whether that clock is right. */
  readonly shared?: Pick<SharedClock, 'problem'>
}

/**
 * The times that this process may assign, among processes that share a store: those with its slot as the rest by
 * `step`. A slot is held by a lease, which is never let go but ends by itself, soon at a stop, so that the times of
 * whoever has it next are later. A slot that was lost is replaced by another.
 */
export class TimeSlot {
  readonly step = SLOTS
  readonly #deps: TimeSlotDeps
  readonly #clock: Clock
  readonly #holder = randomUUID()
  #lease: Lease | undefined
  #renewedAtMs = 0
  #offset = 0
  #generation = 0
  readonly #renewal = new Renewal(() => this.renew())

  private constructor(deps: TimeSlotDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? systemClock
  }

  /** Takes a slot; where all are taken it goes on looking for one. */
  static async open(deps: TimeSlotDeps): Promise<TimeSlot> {
    const slot = new TimeSlot(deps)
    try {
      await slot.renew()
      return slot
    } catch (error) {
      slot.#renewal.end()
      throw error
    }
  }

  /** The rest of its times by `step`. */
  get offset(): number {
    return this.#offset
  }

  /** Another for each time that a slot was taken which somebody else may have had. */
  get generation(): number {
    return this.#generation
  }

  /** Refuses while no slot is held, or the clock is off. */
  require(): void {
    const problem = this.#deps.shared?.problem
    if (problem !== undefined) {
      const what = `Cannot assign times to samples: ${problem}`
      refuse('read_only', { what, retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    const isHeld = this.#lease !== undefined && this.#clock.elapsed() - this.#renewedAtMs < HELD_MS
    if (isHeld) return
    refuse('read_only', {
      what: 'Cannot assign times to samples at the moment: try again shortly, or put them with their times',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  /** Renews the slot, or takes another where it is lost. */
  async renew(): Promise<void> {
    const before = this.#lease
    if (before !== undefined && (await this.#acquire(before.name))) {
      // Nobody had it between, also where it was over.
      if ((this.#lease?.fence ?? 0) <= before.fence + 1) return
      this.#generation += 1
      return
    }
    this.#lease = undefined
    for (let slot = 0; slot < SLOTS; slot++) {
      if (!(await this.#acquire(`times:${slot}`))) continue
      this.#offset = slot
      this.#generation += 1
      return
    }
  }

  /** Assigns no more; the slot is free some seconds later. */
  async close(): Promise<void> {
    await this.#renewal.close()
    const last = this.#lease
    this.#lease = undefined
    if (last === undefined) return
    const shortened = this.#deps.catalog.acquireLease(last.name, this.#holder, STOPPED_MS)
    // While the cluster is away the lease ends by itself.
    await shortened.catch(() => undefined)
  }

  async #acquire(name: string): Promise<boolean> {
    const askedAtMs = this.#clock.elapsed()
    const lease = await this.#deps.catalog.acquireLease(name, this.#holder, SLOT_MS)
    if (lease === undefined) return false
    this.#lease = lease
    this.#renewedAtMs = askedAtMs
    return true
  }
}
