import type { EpochMs } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { type Age, agedBefore, loadZone } from '../../time/index.ts'

/** How long a stream keeps its samples. Two streams with equal rules have the same object. */
export interface RetentionRule {
  readonly age: Age
  /** The zone on whose calendar ages of days and longer are counted. */
  readonly timeZone: string
}

/** Nothing is kept shorter than a minute, the smallest age of a delete profile. */
export const SHORTEST_AGE_MS = 60_000

/** Remembered rules. Only endless changes bring more, and then the cache is cleared. */
const RULES_MAX = 10_000

/** Profiles are not changed faster than one is read, except by chance. */
const TRIES_MAX = 5

const UNKNOWN = 0
const NO_RULE = 1

/**
 * How long each stream keeps its samples, as its delete profile and the zone of its component say at
 * the moment: a change is followed before its call is answered. One small number per stream.
 */
export class Retention {
  readonly #catalog: Pick<Catalog, 'index' | 'deleteProfileOf'>
  #generation = 0
  /** By handle: UNKNOWN, NO_RULE, or 2 more than the place of its rule. */
  #codes = new Uint32Array(0)
  #rules: RetentionRule[] = []
  #places = new Map<string, number>()

  constructor(catalog: Pick<Catalog, 'index' | 'deleteProfileOf'>) {
    this.#catalog = catalog
  }

  /** Whether a stream may have a rule: what costs nothing to ask. */
  mayHaveRule(handle: number): boolean {
    return this.#catalog.index.hasDeleteProfile(handle)
  }

  /** The rule of a stream; undefined: it keeps everything, or its profile is being changed. */
  async ruleOf(handle: number): Promise<RetentionRule | undefined> {
    const { index } = this.#catalog
    for (let tries = 1; ; tries += 1) {
      if (!index.has(handle) || !index.hasDeleteProfile(handle)) return undefined
      const code = this.#codeOf(handle)
      if (code !== UNKNOWN) return this.#rules[code - 2]
      const generation = this.#generation
      const age = await this.#catalog.deleteProfileOf(handle)
      if (generation === index.retentionGeneration) this.#remember(handle, age)
      else if (tries >= TRIES_MAX) return undefined
    }
  }

  /** Whether a stream has a rule at this moment; false also where that is not known without reading. */
  isInForce(handle: number, rule: RetentionRule): boolean {
    const { index } = this.#catalog
    if (!index.has(handle) || !index.hasDeleteProfile(handle)) return false
    return this.#rules[this.#codeOf(handle) - 2] === rule
  }

  #codeOf(handle: number): number {
    const { retentionGeneration } = this.#catalog.index
    if (this.#generation !== retentionGeneration) {
      this.#generation = retentionGeneration
      this.#codes.fill(UNKNOWN)
    }
    return handle < this.#codes.length ? this.#codes[handle] : UNKNOWN
  }

  #remember(handle: number, age: Age | undefined): void {
    if (!this.#catalog.index.has(handle)) return
    if (handle >= this.#codes.length) {
      const grown = new Uint32Array(Math.max(1_024, 2 * handle))
      grown.set(this.#codes)
      this.#codes = grown
    }
    const { timeZone } = this.#catalog.index.componentOf(handle)
    this.#codes[handle] = age === undefined ? NO_RULE : this.#placeOf(age, timeZone) + 2
  }

  #placeOf({ sizeType, count }: Age, timeZone: string): number {
    const key = `${sizeType} ${count} ${timeZone}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    if (this.#rules.length >= RULES_MAX) {
      this.#rules = []
      this.#places.clear()
      this.#codes.fill(UNKNOWN)
    }
    this.#places.set(key, this.#rules.length)
    return this.#rules.push({ age: { sizeType, count }, timeZone }) - 1
  }
}

/** The time before which a rule keeps nothing. */
export function keptFrom({ age, timeZone }: RetentionRule, now: number): EpochMs {
  return agedBefore(now, age, loadZone(timeZone))
}
