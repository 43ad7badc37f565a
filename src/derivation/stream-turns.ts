import type { StreamHandle } from '../store/index.ts'

/** Lets one run of a stream after the other: of two at once the one that has read less might store last. */
export class StreamTurns {
  readonly #last = new Map<StreamHandle, Promise<unknown>>()

  /** Does work when all that was asked for before has ended. */
  async take<T>(handle: StreamHandle, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(handle) ?? Promise.resolve()
    const own = before.then(work, work)
    this.#last.set(handle, own)
    try {
      return await own
    } finally {
      if (this.#last.get(handle) === own) this.#last.delete(handle)
    }
  }
}
