/** Mutexes by key: whoever holds some keys keeps others of the same keys waiting, in their order. */
export class KeyedMutex<K extends string | number> {
  readonly #tails = new Map<K, Promise<void>>()

  /** Runs a task once it holds all keys. */
  async run<T>(keys: Iterable<K>, task: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const held: K[] = []
    try {
      // One order for all keeps two tasks from waiting for each other.
      for (const key of [...new Set(keys)].sort()) {
        const before = this.#tails.get(key)
        this.#tails.set(key, promise)
        held.push(key)
        if (before !== undefined) await before
      }
      return await task()
    } finally {
      for (const key of held) if (this.#tails.get(key) === promise) this.#tails.delete(key)
      resolve()
    }
  }
}
