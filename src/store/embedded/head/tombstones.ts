import { countBelow, EARLIEST_TIME, growColumn, TIME_END } from '../../../base/plain.ts'

/** Removed spans, ascending and apart: starts[i] ≤ time < ends[i] is gone. */
export interface Mask {
  readonly starts: number[]
  readonly ends: number[]
}

/** Hides nothing. */
export const EMPTY_MASK: Mask = { starts: [], ends: [] }

/** Whether a time is inside a mask. */
export function isMasked(mask: Mask, time: number): boolean {
  const index = lastStartBefore(mask, time + 1)
  return index >= 0 && time < mask.ends[index]
}

/** Whether a mask hides anything in from ≤ time < until. */
export function touchesMask(mask: Mask, from: number, until: number): boolean {
  const index = lastStartBefore(mask, until)
  return index >= 0 && mask.ends[index] > from
}

/** The index of the first span that ends after a time; the number of spans when none does. */
export function firstEndAfter(mask: Mask, time: number): number {
  const index = lastStartBefore(mask, time + 1)
  return index >= 0 && mask.ends[index] > time ? index : index + 1
}

/** The index of the last span that starts before a time, -1 when none does. */
function lastStartBefore({ starts }: Mask, time: number): number {
  return countBelow(starts, time) - 1
}

/** Both masks in one. */
export function uniteMasks(one: Mask, other: Mask): Mask {
  if (one.starts.length === 0) return other
  if (other.starts.length === 0) return one
  const spans = [...one.starts.keys()].map((index) => [one.starts[index], one.ends[index]])
  for (const index of other.starts.keys()) spans.push([other.starts[index], other.ends[index]])
  spans.sort((a, b) => a[0] - b[0])
  const united = { starts: [spans[0][0]], ends: [spans[0][1]] }
  for (const [start, end] of spans.slice(1)) {
    const last = united.ends.length - 1
    if (start > united.ends[last]) {
      united.starts.push(start)
      united.ends.push(end)
    } else if (end > united.ends[last]) united.ends[last] = end
  }
  return united
}

/**
 * What was removed from each stream during one head generation, as lists of spans in pools of
 * numbers: point streams leave one with every sample, so there is no object per stream. The lists
 * begin with the latest span, next to which most removals fall.
 */
export class Tombstones {
  #heads = new Int32Array(0)
  /** The span after the one added last: many come from the latest to the earliest. */
  #cursors = new Int32Array(0)
  #starts = new Float64Array(64)
  #ends = new Float64Array(64)
  #next = new Int32Array(64)
  #used = 1
  #free = 0

  /** Whether anything of a stream was removed. */
  has(handle: number): boolean {
    return handle < this.#heads.length && this.#heads[handle] !== 0
  }

  /** Adds from ≤ time < until; spans that meet become one. */
  add(handle: number, from: number, until: number): void {
    if (from >= until) return
    if (handle >= this.#heads.length) {
      this.#heads = growColumn(this.#heads, handle + 1)
      this.#cursors = growColumn(this.#cursors, this.#heads.length)
    }
    const cursor = this.#cursors[handle]
    let before = cursor !== 0 && this.#starts[cursor] > until ? cursor : 0
    let entry = before === 0 ? this.#heads[handle] : this.#next[before]
    while (entry !== 0 && this.#starts[entry] > until) {
      before = entry
      entry = this.#next[entry]
    }
    let start = from
    let end = until
    while (entry !== 0 && this.#ends[entry] >= start) {
      start = Math.min(start, this.#starts[entry])
      end = Math.max(end, this.#ends[entry])
      const swallowed = entry
      entry = this.#next[entry]
      this.#next[swallowed] = this.#free
      this.#free = swallowed
    }
    const added = this.#allocate(start, end, entry)
    if (before === 0) this.#heads[handle] = added
    else this.#next[before] = added
    this.#cursors[handle] = before === 0 ? added : before
  }

  /** Whether all time of a stream was removed, so that nothing below counts. */
  coversAllTime(handle: number): boolean {
    if (!this.has(handle)) return false
    const entry = this.#heads[handle]
    return this.#starts[entry] <= EARLIEST_TIME && this.#ends[entry] >= TIME_END
  }

  /** Where the removals of a stream that has any end. */
  endOf(handle: number): number {
    return this.#ends[this.#heads[handle]]
  }

  /** The stream's removed spans. */
  maskOf(handle: number): Mask {
    if (!this.has(handle)) return EMPTY_MASK
    const mask: Mask = { starts: [], ends: [] }
    for (let entry = this.#heads[handle]; entry !== 0; entry = this.#next[entry]) {
      mask.starts.push(this.#starts[entry])
      mask.ends.push(this.#ends[entry])
    }
    mask.starts.reverse()
    mask.ends.reverse()
    return mask
  }

  /** One past the greatest handle that may have spans. */
  get handleEnd(): number {
    return this.#heads.length
  }

  #allocate(start: number, end: number, next: number): number {
    let entry = this.#free
    if (entry !== 0) this.#free = this.#next[entry]
    else {
      entry = this.#used
      this.#used += 1
      if (entry >= this.#next.length) {
        this.#starts = growColumn(this.#starts, entry + 1)
        this.#ends = growColumn(this.#ends, entry + 1)
        this.#next = growColumn(this.#next, entry + 1)
      }
    }
    this.#starts[entry] = start
    this.#ends[entry] = end
    this.#next[entry] = next
    return entry
  }
}
