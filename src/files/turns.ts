/** Lets tasks of one key run one after the other, and those of different keys side by side. */
export class Turns {
  readonly #last = new Map<number, Promise<void>>()

  /** Runs the task when all earlier ones of its key have ended; settles as the task does. */
  async take<T>(key: number, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const { promise: mine, resolve: end } = Promise.withResolvers<void>()
    this.#last.set(key, mine)
    await before
    try {
      return await task()
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
      end()
    }
  }
}
