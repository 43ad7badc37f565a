import { setTimeout as wait } from 'node:timers/promises'
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

  /** As take, for who can wait so many milliseconds only: undefined when others were at it for longer. */
  async takeWithin<T>(
    handle: StreamHandle,
    ms: number,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    if (!this.#last.has(handle)) return await this.take(handle, work)
    const ended = new AbortController()
    let isLate = false
    const late = wait(Math.max(0, ms), undefined, { signal: ended.signal, ref: false }).then(
      () => {
        isLate = true
      },
      () => {},
    )
    try {
      while (this.#last.has(handle) && !isLate) {
        await Promise.race([this.#last.get(handle)?.catch(() => {}), late])
      }
    } finally {
      ended.abort()
    }
    return isLate ? undefined : await this.take(handle, work)
  }
}
