/** Turns by key: whoever holds some keys keeps others of the same keys waiting. */
export class KeyedLocks {
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs a task once it holds all keys. */
  async run<T>(keys: Iterable<string>, task: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const held: string[] = []
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
