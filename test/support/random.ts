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

/**
 * Of the runs that decide whether a change lands: what they judge is the change, not what luck finds beside it.
 * A fault found with another seed is added as its own case.
 */
const DECIDING_SEED = 20_261_115

const isDeciding = process.env.CI === 'true'
const asked = process.env.WEIR_TEST_SEED

/** True in `npm run test:nightly`. */
export const isNightly = process.env.WEIR_TEST_ROUNDS === 'nightly'

/** A random test that has more rounds makes at least this many in every run, or a third. */
const ROUNDS_LEAST = 30

/** How many of its rounds a long random test makes: a tenth, but not fewer than the above, and all in `npm run test:nightly`. */
export function roundsOf(all: number): number {
  if (isNightly) return all
  return Math.ceil(Math.max(all / 10, Math.min(all / 3, ROUNDS_LEAST)))
}

/** How many rounds a test makes in every run, and how many in `npm run test:nightly`. */
export function roundsBy(rounds: { readonly everyRun: number; readonly nightly: number }): number {
  return isNightly ? rounds.nightly : rounds.everyRun
}

/** The seed of a property: the one in WEIR_TEST_SEED, with CI=true the same every time; undefined: a fresh one. */
export const propertySeed =
  asked !== undefined ? Number(asked) : isDeciding ? DECIDING_SEED : undefined

/** The seeds of a random test: the one in WEIR_TEST_SEED, with CI=true the same every time, else fresh ones. */
export function testSeeds(count: number): number[] {
  if (asked !== undefined) return [Number(asked)]
  const random = new Random(isDeciding ? DECIDING_SEED : Date.now() ^ process.pid)
  return Array.from({ length: count }, () => random.integer(0, 2 ** 31))
}
