import { growColumn } from '../../../../base/index.ts'

/** A stream is due at this number of rows or bytes of runs. Until then reads merge them. */
const DUE_ROWS = 128
const DUE_BYTES = 1024 * 1024

/** Streams that are remembered as due; of more the sweep takes care. */
const DUE_MAX = 200_000

/** When a stream became due. */
interface Due {
  readonly handle: number
  readonly sinceMs: number
}

/** Counts the runs that this process writes, and returns which streams have enough of them to be compacted. */
export class DueStreams {
  #rows = new Uint16Array(1024)
  #bytes = new Uint32Array(1024)
  readonly #queue: Due[] = []
  readonly #queued = new Set<number>()

  /** Takes note of a run. */
  count(
    handle: number,
    added: { readonly rows: number; readonly bytes: number },
    nowMs: number,
  ): void {
    this.#rows = growColumn(this.#rows, handle + 1)
    this.#bytes = growColumn(this.#bytes, this.#rows.length)
    const rows = Math.min(0xffff, this.#rows[handle] + added.rows)
    const bytes = Math.min(0xffff_ffff, this.#bytes[handle] + added.bytes)
    const isDue = rows >= DUE_ROWS || bytes >= DUE_BYTES
    const isTaken = isDue && this.#queued.size < DUE_MAX && !this.#queued.has(handle)
    this.#rows[handle] = isTaken ? 0 : rows
    this.#bytes[handle] = isTaken ? 0 : bytes
    if (isTaken) this.putBack(handle, nowMs)
  }

  /** Makes a stream due as of a moment. */
  putBack(handle: number, nowMs: number): void {
    if (this.#queued.has(handle)) return
    this.#queued.add(handle)
    this.#queue.push({ handle, sinceMs: nowMs })
  }

  /** Removes and returns the streams that became due before `beforeMs`, at most `limit`. */
  take(beforeMs: number, limit: number): number[] {
    let end = 0
    while (end < this.#queue.length && end < limit && this.#queue[end].sinceMs < beforeMs) end += 1
    const taken = this.#queue.splice(0, end).map(({ handle }) => handle)
    for (const handle of taken) this.#queued.delete(handle)
    return taken
  }
}
