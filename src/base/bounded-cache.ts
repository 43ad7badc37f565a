/**
 * The entries that were used last, at most `sizeMax` of them: an approximate LRU of two generations. What
 * is used moves to the recent one; when that is half of the size, the generation before it goes. That
 * costs less per look-up than an exact order of use.
 */
export class BoundedCache<K, V> {
  readonly #sizeMax: number
  #recent = new Map<K, V>()
  #previous = new Map<K, V>()

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const previous = this.#previous.get(key)
    if (previous !== undefined) this.set(key, previous)
    return previous
  }

  set(key: K, value: V): void {
    this.#previous.delete(key)
    if (this.#recent.size >= this.#sizeMax / 2 && !this.#recent.has(key)) {
      this.#previous = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  /** As that of a map: the value of a key, which is made where there is none. */
  getOrInsertComputed(key: K, make: () => V): V {
    const known = this.get(key)
    if (known !== undefined) return known
    const made = make()
    this.set(key, made)
    return made
  }

  delete(key: K): void {
    this.#recent.delete(key)
    this.#previous.delete(key)
  }

  /** Every value that is kept, once. */
  *values(): Iterable<V> {
    yield* this.#recent.values()
    yield* this.#previous.values()
  }
}
