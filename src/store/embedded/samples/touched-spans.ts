import { epochMs, growColumn } from '../../../base/index.ts'
import type { SampleBatch, StreamHandle, TouchedSpan } from '../../ports/sample-port.ts'

/** A span whose numbers are not known. */
export interface UnreadSpan {
  readonly handle: number
  readonly from: number
  readonly until: number
}

/** Samples of one stream in a batch. */
interface SampleRun {
  readonly first: number
  readonly end: number
}

/**
 * Touched spans in the order of their cursors, in columns: 45 bytes for each, and a put makes no object. A stream has one
 * span at each cursor. The least and the greatest number of a span are NaN where it has more than numbers.
 */
export class TouchedSpans {
  #cursors = new Float64Array(0)
  #handles = new Uint32Array(0)
  #froms = new Float64Array(0)
  #untils = new Float64Array(0)
  #leasts = new Float64Array(0)
  #mosts = new Float64Array(0)
  #olders = new Uint8Array(0)
  #count = 0
  /** By handle, where the last span of a stream may be. */
  #lastOf = new Uint32Array(0)

  get count(): number {
    return this.#count
  }

  cursorAt(at: number): number {
    return this.#cursors[at]
  }

  /** The first span after a cursor. */
  placeAfter(cursor: number): number {
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#cursors[middle] <= cursor) low = middle + 1
      else high = middle
    }
    return low
  }

  spanAt(at: number): TouchedSpan {
    const handle = this.#handles[at] as StreamHandle
    const [from, until] = [epochMs(this.#froms[at]), epochMs(this.#untils[at])]
    if (!Number.isNaN(this.#leasts[at])) {
      return { handle, from, until, least: this.#leasts[at], most: this.#mosts[at] }
    }
    return this.#olders[at] === 1
      ? { handle, from, until, mayBeOlder: true }
      : { handle, from, until }
  }

  /** Adds samples of one stream at the last cursor. */
  addSamples(cursor: number, batch: SampleBatch, { first, end }: SampleRun): void {
    const { handles, times, numbers, texts } = batch
    let from = times[first]
    let last = from
    let least = numbers[first]
    let most = least
    for (let at = first + 1; at < end; at += 1) {
      const time = times[at]
      const number = numbers[at]
      if (time < from) from = time
      else if (time > last) last = time
      if (number < least) least = number
      else if (number > most) most = number
    }
    if (texts !== undefined && hasText(texts, first, end)) least = Number.NaN
    this.#widen(this.#placeFor(cursor, handles[first]), from, last + 1, least, most)
  }

  /** Adds a span at the last cursor. */
  addUnread(cursor: number, { handle, from, until }: UnreadSpan): void {
    this.#widen(this.#placeFor(cursor, handle), from, until, Number.NaN, Number.NaN)
  }

  /** Adds spans at earlier cursors. What they tell may be older than their cursors. */
  insertOlder(added: readonly { readonly cursor: number; readonly span: UnreadSpan }[]): void {
    if (added.length === 0) return
    for (const { cursor, span } of added) {
      const at = this.#placeFor(cursor, span.handle)
      this.#widen(at, span.from, span.until, Number.NaN, Number.NaN)
      this.#olders[at] = 1
    }
    const order = Array.from({ length: this.#count }, (_, at) => at)
    order.sort((one, other) => this.#cursors[one] - this.#cursors[other])
    for (const column of this.#columns()) column.set(order.map((at) => column[at]))
  }

  /** Keeps the spans of some streams. */
  filter(isKept: (handle: number) => boolean): void {
    const columns = this.#columns()
    let kept = 0
    for (let at = 0; at < this.#count; at += 1) {
      if (!isKept(this.#handles[at])) continue
      if (kept < at) for (const column of columns) column[kept] = column[at]
      kept += 1
    }
    this.#count = kept
  }

  /** Of the older half keeps one span for each stream, at its last cursor. */
  coalesce(): void {
    const columns = this.#columns()
    const half = this.#count >>> 1
    let first = half
    for (let at = half - 1; at >= 0; at -= 1) {
      const handle = this.#handles[at]
      const known = this.#lastOf[handle]
      if (known >= first && known < half && this.#handles[known] === handle) {
        this.#widen(known, this.#froms[at], this.#untils[at], this.#leasts[at], this.#mosts[at])
        if (this.#olders[at] === 1) this.#olders[known] = 1
        continue
      }
      first -= 1
      for (const column of columns) column[first] = column[at]
      this.#lastOf[handle] = first
    }
    for (const column of columns) column.copyWithin(0, first, this.#count)
    this.#count -= first
  }

  #columns() {
    return [
      this.#cursors,
      this.#handles,
      this.#froms,
      this.#untils,
      this.#leasts,
      this.#mosts,
      this.#olders,
    ]
  }

  /** Where the span of a stream at the last cursor is, or begins. */
  #placeFor(cursor: number, handle: number): number {
    if (handle >= this.#lastOf.length) this.#lastOf = growColumn(this.#lastOf, handle + 1)
    const known = this.#lastOf[handle]
    if (known < this.#count && this.#handles[known] === handle && this.#cursors[known] === cursor) {
      return known
    }
    const at = this.#count
    if (at === this.#cursors.length) this.#grow()
    this.#cursors[at] = cursor
    this.#handles[at] = handle
    this.#froms[at] = Number.POSITIVE_INFINITY
    this.#untils[at] = Number.NEGATIVE_INFINITY
    this.#leasts[at] = Number.POSITIVE_INFINITY
    this.#mosts[at] = Number.NEGATIVE_INFINITY
    this.#olders[at] = 0
    this.#lastOf[handle] = at
    this.#count += 1
    return at
  }

  #grow(): void {
    const length = this.#count + 1
    this.#cursors = growColumn(this.#cursors, length)
    this.#handles = growColumn(this.#handles, length)
    this.#froms = growColumn(this.#froms, length)
    this.#untils = growColumn(this.#untils, length)
    this.#leasts = growColumn(this.#leasts, length)
    this.#mosts = growColumn(this.#mosts, length)
    this.#olders = growColumn(this.#olders, length)
  }

  /** Numbers, because each object would be one more for the garbage collector. NaN stays NaN. */
  #widen(at: number, from: number, until: number, least: number, most: number): void {
    if (from < this.#froms[at]) this.#froms[at] = from
    if (until > this.#untils[at]) this.#untils[at] = until
    this.#leasts[at] = Math.min(this.#leasts[at], least)
    this.#mosts[at] = Math.max(this.#mosts[at], most)
  }
}

function hasText(texts: readonly (string | undefined)[], first: number, end: number): boolean {
  for (let at = first; at < end; at += 1) if (texts[at] !== undefined) return true
  return false
}
