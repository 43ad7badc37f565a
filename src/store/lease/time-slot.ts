import { randomUUID } from 'node:crypto'
import { type Clock, refuse, systemClock } from '../../base/index.ts'
import type { CatalogStore } from '../ports/catalog-port.ts'
import { HeldLease } from './held-lease.ts'
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
 * How long a slot is kept from others at a stop. The next holder finds the slot free by its own clock. After this wait
 * that clock is past the last assigned time, even if it is set back by 4 s, from one end of the allowed range to the
 * other.
 */
const STOPPED_MS = 5_000

const RETRY_AFTER_SECONDS = 5

interface TimeSlotDeps {
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  readonly clock?: Clock
  /** Whether that clock is right. */
  readonly shared?: Pick<SharedClock, 'problem'>
}

/**
 * The times that this process may assign, among processes that share a store: those with its slot as the rest by
 * `step`. A slot is held by a lease, which is never let go but ends by itself, soon at a stop, so that the times of
 * its next owner are later. A slot that was lost is replaced by another.
 */
export class TimeSlot {
  readonly step = SLOTS
  readonly #deps: TimeSlotDeps
  readonly #clock: Clock
  readonly #holder = randomUUID()
  #held: HeldLease | undefined
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
    if (this.#held !== undefined && this.#held.ageMs < HELD_MS) return
    refuse('read_only', {
      what: 'Cannot assign times to samples at the moment: try again shortly, or put them with their times',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  /** Renews the slot, or takes another where it is lost. */
  async renew(): Promise<void> {
    const fence = this.#held?.lease?.fence ?? 0
    if (await this.#held?.renew()) {
      // Nobody had it between, also where it was over.
      if ((this.#held?.lease?.fence ?? 0) <= fence + 1) return
      this.#generation += 1
      return
    }
    this.#held = undefined
    for (let slot = 0; slot < SLOTS; slot++) {
      const held = new HeldLease({
        catalog: this.#deps.catalog,
        clock: this.#clock,
        holder: this.#holder,
        name: `times:${slot}`,
        ttlMs: SLOT_MS,
      })
      if (!(await held.renew())) continue
      this.#held = held
      this.#offset = slot
      this.#generation += 1
      return
    }
  }

  /** Assigns no more; the slot is free some seconds later. */
  async close(): Promise<void> {
    await this.#renewal.close()
    const held = this.#held
    this.#held = undefined
    // While the cluster is away the lease ends by itself.
    await held?.release(STOPPED_MS).catch(() => undefined)
  }
}
