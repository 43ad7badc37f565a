import { freeBytes } from '../../../base/plain.ts'

/** Memory for samples, of which blocks are cut; both columns lie in one buffer. */
interface Slab {
  readonly times: Float64Array
  readonly numbers: Float64Array
}

/**
 * What fills a generation: slabs of this length are worth keeping, shorter ones are its beginnings. It
 * takes 1 MiB, from which on the C library gives memory back to the system at once.
 */
export const SLAB_SLOTS_MAX = 64 * 1024

/** 24 MiB, what a full journal segment takes; more is given back at once. */
const SLABS_KEPT_MAX = 24

/** How long slabs wait for a generation. */
const KEPT_MS = 10_000

/**
 * Slabs of generations that are sealed, for those that come: memory outside the heap that comes and
 * goes makes V8 collect all of the heap, and the system clear every page. When nothing was sealed
 * for a while they are given back.
 */
export class SlabPool {
  readonly #free: Slab[] = []
  readonly #slabsMax: number
  #releasing: NodeJS.Timeout | undefined

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
    if (slab.times.length < SLAB_SLOTS_MAX || this.#free.length >= this.#slabsMax) {
      freeSlab(slab)
      return
    }
    this.#free.push(slab)
    clearTimeout(this.#releasing)
    this.#releasing = setTimeout(() => this.#release(), KEPT_MS).unref()
  }

  #release(): void {
    for (const slab of this.#free) freeSlab(slab)
    this.#free.length = 0
  }
}

/** A slab of zeros. */
export function makeSlab(slots: number): Slab {
  const memory = new ArrayBuffer(slots * 16)
  return {
    times: new Float64Array(memory, 0, slots),
    numbers: new Float64Array(memory, slots * 8, slots),
  }
}

function freeSlab({ times }: Slab): void {
  freeBytes(new Uint8Array(times.buffer))
}
