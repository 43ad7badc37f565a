/**
 * The stream handles that this process may give. They come in blocks from the store that keeps the samples, which never
 * gives a number twice. So a handle is never given twice either, whatever commits PostgreSQL loses in a failover or to
 * an older backup. What is left of a block is lost when the process ends.
 */
import { invariant } from '../../../base/index.ts'

/** Reserves `count` handles above `floor` that nobody was given before, for ever; returns the first. */
export type ReserveHandles = (count: number, floor: number) => Promise<number>

/** A reservation writes to a majority of nodes, and an index of streams has room for each handle below the last. */
const BLOCK = 1_000

export class HandleSupply {
  readonly #reserve: ReserveHandles
  #next = 1
  #end = 1

  constructor(reserve: ReserveHandles) {
    this.#reserve = reserve
  }

  /** The handle that is given next. */
  get position(): number {
    return this.#next
  }

  /** Whether a number of handles can be taken at once. */
  has(count: number): boolean {
    return this.#end - this.#next >= count
  }

  /** Makes sure that a number of handles can be taken; `floor` is the greatest handle of the catalog. */
  async ensure(count: number, floor: number): Promise<void> {
    if (this.has(count)) return
    const wanted = Math.max(BLOCK, count)
    const first = await this.#reserve(wanted, floor)
    // A block that joins the last one makes it longer.
    if (first !== this.#end) this.#next = first
    this.#end = first + wanted
  }

  /** Takes handles that follow one another; the first of them. */
  take(count: number): number {
    invariant(this.has(count), 'handles are reserved before they are taken')
    const first = this.#next
    this.#next += count
    return first
  }

  /** Gives back what was taken by commits that certainly were not made. */
  goBack(position: number): void {
    this.#next = position
  }
}
