import { BoundedCache, growColumn } from '../../../../base/index.ts'
import { COMPANION_BASE } from '../../../fields/companion.ts'

/** A stream is due at this number of rows or bytes of runs. Until then reads merge them. */
const DUE_ROWS = 128
const DUE_BYTES = 1024 * 1024

/** Streams that are remembered as due; of more the sweep takes care. */
const DUE_MAX = 200_000

/** Companions whose runs are counted at once; of others the sweep takes care. */
const COMPANIONS_MAX = 65_536

interface Runs {
  readonly rows: number
  readonly bytes: number
}

const NO_RUNS: Runs = { rows: 0, bytes: 0 }

/** When a stream became due. */
interface Due {
  readonly handle: number
  readonly sinceMs: number
}

/** Counts the runs that this process writes, and returns which streams have enough of them to be compacted. */
export class DueStreams {
  #rows = new Uint16Array(1024)
  #bytes = new Uint32Array(1024)
  /** Of companions, which columns by handle do not reach. */
  readonly #companions = new BoundedCache<number, Runs>(COMPANIONS_MAX)
  readonly #queue: Due[] = []
  readonly #queued = new Set<number>()

  /** Takes note of a run. */
  count(handle: number, added: Runs, nowMs: number): void {
    const held = this.#runsOf(handle)
    const rows = Math.min(0xffff, held.rows + added.rows)
    const bytes = Math.min(0xffff_ffff, held.bytes + added.bytes)
    const isDue = rows >= DUE_ROWS || bytes >= DUE_BYTES
    const isTaken = isDue && this.#queued.size < DUE_MAX && !this.#queued.has(handle)
    this.#setRuns(handle, isTaken ? NO_RUNS : { rows, bytes })
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

  #runsOf(handle: number): Runs {
    if (handle >= COMPANION_BASE) return this.#companions.get(handle) ?? NO_RUNS
    this.#rows = growColumn(this.#rows, handle + 1)
    this.#bytes = growColumn(this.#bytes, this.#rows.length)
    return { rows: this.#rows[handle], bytes: this.#bytes[handle] }
  }

  #setRuns(handle: number, runs: Runs): void {
    if (handle >= COMPANION_BASE) {
      this.#companions.set(handle, runs)
      return
    }
    this.#rows[handle] = runs.rows
    this.#bytes[handle] = runs.bytes
  }
}
