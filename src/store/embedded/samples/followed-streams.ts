import { epochMs, growColumn } from '../../../base/index.ts'
import type { StreamFollow, StreamHandle, TouchedSpan } from '../../ports/sample-port.ts'
import type { JournalRecord } from '../journal/record.ts'

/**
 * Streams that somebody follows, and where each was touched since it was last asked. Puts pass here:
 * a stream is looked up once for a run of its samples, and nobody is called.
 */
export class FollowedStreams implements StreamFollow {
  /** By handle, the place in the columns below; 0: nobody follows it. */
  #places = new Uint32Array(0)
  #handles = new Uint32Array(0)
  #froms = new Float64Array(0)
  #untils = new Float64Array(0)
  /** Places that were touched, in the order of their first touch. */
  #touched: number[] = []
  readonly #free: number[] = []
  #end = 1
  #count = 0
  readonly #onClose: (self: FollowedStreams) => void

  constructor(onClose: (self: FollowedStreams) => void = () => {}) {
    this.#onClose = onClose
  }

  add(handle: StreamHandle): void {
    this.#places = growColumn(this.#places, handle + 1)
    if (this.#places[handle] !== 0) return
    const place = this.#free.pop() ?? this.#end++
    this.#handles = growColumn(this.#handles, place + 1)
    this.#froms = growColumn(this.#froms, place + 1)
    this.#untils = growColumn(this.#untils, place + 1)
    this.#handles[place] = handle
    this.#clear(place)
    this.#places[handle] = place
    this.#count += 1
  }

  delete(handle: StreamHandle): void {
    const place = this.#placeOf(handle)
    if (place === 0) return
    this.#places[handle] = 0
    this.#handles[place] = 0
    this.#free.push(place)
    this.#count -= 1
    // A successor in this place must not receive changes of this one.
    if (this.#froms[place] < this.#untils[place]) {
      this.#touched = this.#touched.filter((one) => one !== place)
    }
  }

  take(): TouchedSpan[] {
    if (this.#touched.length === 0) return []
    const spans = this.#touched.map((place) => {
      const handle = this.#handles[place] as StreamHandle
      const span = {
        handle,
        from: epochMs(this.#froms[place]),
        until: epochMs(this.#untils[place]),
      }
      this.#clear(place)
      return span
    })
    this.#touched = []
    return spans
  }

  close(): void {
    this.#onClose(this)
  }

  /** Takes in what reads are about to see. */
  note(records: readonly JournalRecord[]): void {
    if (this.#count === 0) return
    for (const { kind, batch } of records) {
      if (kind === 'forget') continue
      const { removals } = batch
      for (const { handle, from, until } of removals) this.#touch(handle, from, until)
      // Nobody who follows a stream sees special values.
      if (kind === 'samples') this.#noteSamples(batch)
    }
  }

  #noteSamples({
    count,
    handles,
    times,
  }: {
    readonly count: number
    readonly handles: Uint32Array
    readonly times: Float64Array
  }): void {
    const places = this.#places
    for (let at = 0; at < count; ) {
      const handle = handles[at]
      const place = handle < places.length ? places[handle] : 0
      let first = times[at]
      let last = first
      for (at += 1; at < count && handles[at] === handle; at += 1) {
        const time = times[at]
        if (time < first) first = time
        else if (time > last) last = time
      }
      if (place !== 0) this.#touchPlace(place, first, last + 1)
    }
  }

  #touch(handle: number, from: number, until: number): void {
    const place = this.#placeOf(handle)
    if (place !== 0) this.#touchPlace(place, from, until)
  }

  #touchPlace(place: number, from: number, until: number): void {
    const froms = this.#froms
    const untils = this.#untils
    if (froms[place] >= untils[place]) this.#touched.push(place)
    if (from < froms[place]) froms[place] = from
    if (until > untils[place]) untils[place] = until
  }

  #placeOf(handle: number): number {
    return handle < this.#places.length ? this.#places[handle] : 0
  }

  #clear(place: number): void {
    this.#froms[place] = Number.POSITIVE_INFINITY
    this.#untils[place] = Number.NEGATIVE_INFINITY
  }
}
