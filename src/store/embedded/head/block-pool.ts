import { growColumn } from '../../../base/plain.ts'
import { makeSlab, SLAB_SLOTS_MAX, type SlabPool } from './slab-pool.ts'

/** Slabs grow with the generation: one that holds little stays small. */
const FIRST_SLAB_SLOTS = 1024

/** A stream's blocks grow with it: most streams hold a few samples, some hold all of them. */
const CAPACITIES = [4, 16, 64, 256] as const

/**
 * Blocks of slots for samples, cut from slabs and linked to lists by their owner. Block 0 is none.
 * The fields are open to the head only, which reads them once per sample.
 */
export class BlockPool {
  readonly times: Float64Array[] = []
  readonly numbers: Float64Array[] = []
  /** The texts of a slab, from the first text on. */
  readonly texts: Array<Array<string | undefined> | undefined> = []
  next = new Int32Array(1024)
  prev = new Int32Array(1024)
  count = new Int32Array(1024)
  /** The slab of a block, and its first slot there. */
  slab = new Int32Array(1024)
  start = new Int32Array(1024)
  sizeClass = new Int32Array(1024)
  readonly #free = new Int32Array(CAPACITIES.length)
  #blocks = 1
  #slabSlots = 0
  #slabUsed = 0
  #bytes = 0
  readonly #slabs: SlabPool | undefined

  /** Takes long slabs from `slabs`, where given. */
  constructor(slabs?: SlabPool) {
    this.#slabs = slabs
  }

  /** How many samples a block can hold. */
  capacityOf(block: number): number {
    return CAPACITIES[this.sizeClass[block]]
  }

  /** Bytes of the slabs. */
  get bytes(): number {
    return this.#bytes + this.next.length * 24
  }

  /** An empty block with no neighbours, of a size class that is at most the largest. */
  allocate(sizeClass: number): number {
    const chosen = Math.min(sizeClass, CAPACITIES.length - 1)
    const reused = this.#free[chosen]
    if (reused !== 0) {
      this.#free[chosen] = this.next[reused]
      return this.#reset(reused)
    }
    const block = this.#blocks
    this.#blocks += 1
    if (block >= this.next.length) this.#grow(block + 1)
    const capacity = CAPACITIES[chosen]
    // A block never crosses the end of its slab.
    if (this.#slabUsed + capacity > this.#slabSlots) this.#addSlab()
    this.slab[block] = this.times.length - 1
    this.start[block] = this.#slabUsed
    this.sizeClass[block] = chosen
    this.#slabUsed += capacity
    return this.#reset(block)
  }

  /** Gives a block back for another stream. */
  release(block: number): void {
    const texts = this.texts[this.slab[block]]
    if (texts !== undefined) {
      const start = this.start[block]
      texts.fill(undefined, start, start + this.capacityOf(block))
    }
    const sizeClass = this.sizeClass[block]
    this.next[block] = this.#free[sizeClass]
    this.#free[sizeClass] = block
  }

  /** Hands all slabs over; the blocks are gone with them. */
  releaseSlabs(slabs: SlabPool): void {
    for (const [index, times] of this.times.entries()) {
      slabs.give({ times, numbers: this.numbers[index] })
    }
    this.times.length = 0
    this.numbers.length = 0
    this.texts.length = 0
  }

  /** The slab's texts, made on first use. */
  textsOf(slab: number): Array<string | undefined> {
    const known = this.texts[slab]
    if (known !== undefined) return known
    const texts = new Array<string | undefined>(this.times[slab].length).fill(undefined)
    this.texts[slab] = texts
    return texts
  }

  #reset(block: number): number {
    this.next[block] = 0
    this.prev[block] = 0
    this.count[block] = 0
    return block
  }

  #addSlab(): void {
    const slots = Math.min(Math.max(this.#slabSlots * 2, FIRST_SLAB_SLOTS), SLAB_SLOTS_MAX)
    const isLong = slots === SLAB_SLOTS_MAX && this.#slabs !== undefined
    const { times, numbers } = isLong ? this.#slabs.take() : makeSlab(slots)
    this.times.push(times)
    this.numbers.push(numbers)
    this.#slabSlots = slots
    this.#slabUsed = 0
    this.#bytes += slots * 16
    this.texts.push(undefined)
  }

  #grow(length: number): void {
    this.next = growColumn(this.next, length)
    this.prev = growColumn(this.prev, length)
    this.count = growColumn(this.count, length)
    this.slab = growColumn(this.slab, length)
    this.start = growColumn(this.start, length)
    this.sizeClass = growColumn(this.sizeClass, length)
  }
}
