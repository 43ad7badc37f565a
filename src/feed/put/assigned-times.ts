import { growColumn } from '../../base/index.ts'

const HANDLES_MIN = 1024

/**
 * The times the server assigns: never before the upload, and never one it gave the same stream
 * before, so that two quick puts keep both samples. Eight bytes per stream.
 */
export class AssignedTimes {
  #last = new Float64Array(HANDLES_MIN).fill(Number.NEGATIVE_INFINITY)

  /** Whether the stream's assigned times are known: from before the start, or since. */
  knows(handle: number): boolean {
    return handle < this.#last.length && this.#last[handle] !== Number.NEGATIVE_INFINITY
  }

  /** The last time assigned to a stream, as far as it is known. */
  last(handle: number): number {
    return this.#last[handle] ?? Number.NEGATIVE_INFINITY
  }

  /** Notes a time that was assigned to a stream before the start. */
  recall(handle: number, time: number): void {
    if (handle >= this.#last.length) this.#grow(handle)
    this.#last[handle] = Math.max(this.#last[handle], time)
  }

  /** The next time for a stream, given the time of the upload. */
  next(handle: number, uploadTime: number): number {
    if (handle >= this.#last.length) this.#grow(handle)
    const time = Math.max(uploadTime, this.#last[handle] + 1)
    this.#last[handle] = time
    return time
  }

  #grow(handle: number): void {
    this.#last = growColumn(this.#last, handle + 1, Number.NEGATIVE_INFINITY)
  }
}

/** The times of a call that is only tried: samples without one are at its own, those of one stream a millisecond apart. */
export class TriedTimes implements Pick<AssignedTimes, 'next'> {
  readonly #last = new Map<number, number>()

  /** The next time for a stream. */
  next(handle: number, uploadTime: number): number {
    const last = this.#last.get(handle)
    const time = last === undefined ? uploadTime : last + 1
    this.#last.set(handle, time)
    return time
  }
}
