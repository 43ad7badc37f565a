import { setTimeout as wait } from 'node:timers/promises'

/** Mutexes by key. A holder of some keys makes later callers of the same keys wait, in order. */
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
  /** As run, for a task that may wait for some milliseconds only; undefined, and not run, when others hold a key for longer. */
  async runWithin<T>(
    keys: Iterable<K>,
    ms: number,
    task: () => Promise<T>,
  ): Promise<T | undefined> {
    const begun = new AbortController()
    let isLate = false
    const running = this.run(keys, async () => {
      begun.abort()
      return isLate ? undefined : await task()
    })
    if (begun.signal.aborted) return await running
    const late = wait(Math.max(0, ms), undefined, { signal: begun.signal, ref: false }).then(
      () => {
        isLate = true
        return undefined
      },
      () => running,
    )
    return await Promise.race([running, late])
  }
}
