import { BoundedCache } from '../base/index.ts'
import type { DocumentKey } from '../store/index.ts'

/**
 * Records of one kind by key, the recently used ones in memory. A record that is forgotten while it
 * is being read from the store is not kept, so nothing stale stays.
 */
export class RecordCache<T> {
  readonly #load: (key: string) => Promise<T | undefined>
  readonly #cache: BoundedCache<string, T>
  #generation = 0

  constructor(options: {
    readonly sizeMax: number
    readonly load: (key: string) => Promise<T | undefined>
  }) {
    this.#cache = new BoundedCache(options.sizeMax)
    this.#load = options.load
  }

  /** Rises whenever a record is forgotten. */
  get generation(): number {
    return this.#generation
  }

  /** The record when it is in memory. */
  peek(key: string): T | undefined {
    return this.#cache.get(key)
  }

  /** The record from memory or the store. */
  async find(key: string): Promise<T | undefined> {
    const known = this.peek(key)
    if (known !== undefined) return known
    const generation = this.#generation
    const loaded = await this.#load(key)
    if (loaded !== undefined && generation === this.#generation) this.#cache.set(key, loaded)
    return loaded
  }

  /** Drops a record that was changed or deleted. */
  forget(key: string): void {
    this.#generation += 1
    this.#cache.delete(key)
  }

  /** The records in memory. */
  values(): Iterable<T> {
    return this.#cache.values()
  }
}

/** The UIDs of the documents of a kind among others, each once. */
export function uidsOfKind(keys: readonly DocumentKey[], kind: string): ReadonlySet<string> {
  return new Set(keys.flatMap((key) => (key.kind === kind ? [key.uid] : [])))
}
