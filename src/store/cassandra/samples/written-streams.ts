import { BoundedCache, growColumn } from '../../../base/index.ts'
import { COMPANION_BASE } from '../../fields/companion.ts'
import type { SampleOrder } from '../../ports/sample-order.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type DirtyDays, dayOf } from './dirty-days.ts'
import { eachAtOnce } from './slots.ts'

/** Streams that are put on a list at once for one call. */
const LISTED_AT_ONCE = 128

/** Companions of which the day is remembered; others are listed once more. */
const COMPANIONS_MAX = 65_536

/** Days are kept in two bytes from this one on. */
const FIRST_DAY = 20_000

/** What this process remembers of streams that it writes to, four bytes each. */
export class WrittenStreams {
  readonly #cql: Cluster
  readonly #order: Pick<SampleOrder, 'nowMs'>
  readonly #dirty: DirtyDays
  /** By handle, the day on whose list it was put last, and the number of the node with its first copy; 0 for none. */
  #days = new Uint16Array(1024)
  #nodes = new Uint16Array(1024)
  /** The days of companions, which columns by handle do not reach. */
  readonly #companionDays = new BoundedCache<number, number>(COMPANIONS_MAX)

  constructor(deps: { cql: Cluster; order: Pick<SampleOrder, 'nowMs'>; dirty: DirtyDays }) {
    this.#cql = deps.cql
    this.#order = deps.order
    this.#dirty = deps.dirty
  }

  /** The node that has the first copy of a stream, as a number. */
  nodeOf(handle: number): number {
    if (handle >= COMPANION_BASE) return this.#findNode(handle)
    this.#grow(handle)
    if (this.#nodes[handle] === 0) this.#nodes[handle] = this.#findNode(handle)
    return this.#nodes[handle]
  }

  #findNode(handle: number): number {
    const key = Buffer.alloc(4)
    key.writeInt32BE(handle)
    return this.#cql.nodeOf(key) + 1
  }

  /** Puts streams on the list of the day, those that are not: there they are found when this process dies. */
  async list(handles: Iterable<number>, stamp: number): Promise<void> {
    const day = dayOf(this.#order.nowMs)
    const kept = day - FIRST_DAY
    const missing: number[] = []
    for (const handle of handles) {
      if (this.#dayOf(handle) !== kept) missing.push(handle)
    }
    await eachAtOnce(missing, LISTED_AT_ONCE, async (handle) => {
      await this.#dirty.add(handle, day, stamp)
      if (handle >= COMPANION_BASE) this.#companionDays.set(handle, kept)
      else this.#days[handle] = kept
    })
  }

  #dayOf(handle: number): number | undefined {
    if (handle >= COMPANION_BASE) return this.#companionDays.get(handle)
    this.#grow(handle)
    return this.#days[handle]
  }

  #grow(handle: number): void {
    if (handle < this.#days.length) return
    this.#days = growColumn(this.#days, handle + 1)
    this.#nodes = growColumn(this.#nodes, this.#days.length)
  }
}
