/**
 * Records of one kind by key, the recently used ones in memory. A record that is forgotten while it
 * is being read from the store is not kept, so nothing stale stays.
 */
export class RecordCache<T> {
  readonly #sizeMax: number
  readonly #load: (key: string) => Promise<T | undefined>
  #young = new Map<string, T>()
  #old = new Map<string, T>()
  #generation = 0

  constructor(options: {
    readonly sizeMax: number
    readonly load: (key: string) => Promise<T | undefined>
  }) {
    this.#sizeMax = options.sizeMax
    this.#load = options.load
  }

  /** The record when it is in memory. */
  peek(key: string): T | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.#keep(key, old)
    return old
  }

  /** The record from memory or the store. */
  async find(key: string): Promise<T | undefined> {
    const known = this.peek(key)
    if (known !== undefined) return known
    const generation = this.#generation
    const loaded = await this.#load(key)
    if (loaded !== undefined && generation === this.#generation) this.#keep(key, loaded)
    return loaded
  }

  /** Drops a record that was changed or deleted. */
  forget(key: string): void {
    this.#generation += 1
    this.#young.delete(key)
    this.#old.delete(key)
  }

  /** The records in memory. */
  *values(): Iterable<T> {
    yield* this.#young.values()
    for (const [key, value] of this.#old) if (!this.#young.has(key)) yield value
  }

  /** Two halves that age together cost less per look-up than an exact order of use. */
  #keep(key: string, value: T): void {
    if (this.#young.size >= this.#sizeMax / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}
