/** A small seeded generator (mulberry32), so that a random test can be run again from its seed. */
export class Random {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed
  }

  /** A number 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from ≤ x < until. */
  integer(from: number, until: number): number {
    return from + Math.floor(this.next() * (until - from))
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length)]
  }
}

/** The seeds of a random test: the one in WEIR_TEST_SEED, or fresh ones. */
export function testSeeds(count: number): number[] {
  const fixed = process.env.WEIR_TEST_SEED
  if (fixed !== undefined) return [Number(fixed)]
  return Array.from({ length: count }, () => Math.floor(Math.random() * 2 ** 31))
}
