import { freeBytes } from '../../../base/index.ts'

/** Memory for samples, of which blocks are cut. */
interface Slab {
  readonly times: Float64Array
  readonly numbers: Float64Array
}

/** What fills a generation: slabs of this length are worth keeping, shorter ones are its beginnings. */
export const SLAB_SLOTS_MAX = 32 * 1024

/** 24 MiB, what a full journal segment takes; more is given back at once. */
const SLABS_KEPT_MAX = 48

/**
 * Slabs of generations that are sealed, for those that come: memory outside the heap that comes and
 * goes makes V8 collect all of the heap, and the system clear every page anew.
 */
export class SlabPool {
  readonly #free: Slab[] = []
  readonly #slabsMax: number

  constructor(slabsMax = SLABS_KEPT_MAX) {
    this.#slabsMax = slabsMax
  }

  /** Slabs that wait for a generation. */
  get count(): number {
    return this.#free.length
  }

  /** A slab of the greatest length, which may hold anything. */
  take(): Slab {
    return this.#free.pop() ?? makeSlab(SLAB_SLOTS_MAX)
  }

  /** Takes a slab that nobody reads any more. */
  give(slab: Slab): void {
    if (slab.times.length === SLAB_SLOTS_MAX && this.#free.length < this.#slabsMax) {
      this.#free.push(slab)
      return
    }
    freeBytes(slab.times)
    freeBytes(slab.numbers)
  }
}

/** A slab of zeros. */
export function makeSlab(slots: number): Slab {
  return { times: new Float64Array(slots), numbers: new Float64Array(slots) }
}
