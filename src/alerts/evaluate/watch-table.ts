import { growColumn } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'

/** No time. */
export const NEVER = Number.NEGATIVE_INFINITY

/** The alerts of some streams. */
interface Group {
  /** Ascending. */
  readonly refs: readonly number[]
  readonly key: string
  /** Streams of the group; one without streams is given up. */
  count: number
}

/**
 * The streams that alerts watch, in columns: some tens of bytes for each. A stream knows its alerts by a group, which
 * all streams of the same alerts share.
 */
export class WatchTable {
  /** By handle; 0: the stream is not watched. */
  #places = new Uint32Array(0)
  #handles = new Uint32Array(1)
  #lastTimes = new Float64Array(1)
  #keptTimes = new Float64Array(1)
  #arrivals = new Float64Array(1)
  #groups = new Uint32Array(1)
  readonly #free: number[] = []
  #end = 1
  #count = 0
  /** Group 0 has no alerts. */
  readonly #sets: (Group | undefined)[] = [{ refs: [], key: '', count: 0 }]
  readonly #groupIds = new Map<string, number>([['', 0]])
  readonly #freeGroups: number[] = []
  #generation = 0

  /** Streams that are watched. */
  get count(): number {
    return this.#count
  }

  /** Moves whenever a stream becomes watched, or no longer is. */
  get generation(): number {
    return this.#generation
  }

  /** About the memory of the table. */
  get bytes(): number {
    return this.#places.byteLength + this.#handles.byteLength * 2 + this.#lastTimes.byteLength * 3
  }

  /** The place of a stream in the columns; 0: it is not watched. */
  placeOf(handle: number): number {
    return handle < this.#places.length ? this.#places[handle] : 0
  }

  /** The alerts that watch a stream. */
  refsOf(handle: number): readonly number[] {
    return this.#sets[this.#groups[this.placeOf(handle)]]?.refs ?? []
  }

  isWatchedBy(handle: number, ref: number): boolean {
    return this.refsOf(handle).includes(ref)
  }

  /** All streams, or those of one alert. */
  *handles(ref?: number): Generator<StreamHandle> {
    const isWanted = this.#sets.map((set) => ref === undefined || set?.refs.includes(ref) === true)
    for (let place = 1; place < this.#end; place += 1) {
      const handle = this.#handles[place] as StreamHandle
      if (handle !== 0 && isWanted[this.#groups[place]]) yield handle
    }
  }

  /** Lets an alert watch a stream; whether it did not before. */
  add(handle: StreamHandle, ref: number): boolean {
    const refs = this.refsOf(handle)
    if (refs.includes(ref)) return false
    const place = this.placeOf(handle) || this.#newPlace(handle)
    const after = refs.findIndex((one) => one > ref)
    this.#setGroup(place, refs.toSpliced(after < 0 ? refs.length : after, 0, ref))
    return true
  }

  /** Lets an alert no longer watch a stream; whether it did before. */
  remove(handle: StreamHandle, ref: number): boolean {
    const refs = this.refsOf(handle)
    if (!refs.includes(ref)) return false
    const place = this.placeOf(handle)
    const left = refs.filter((one) => one !== ref)
    this.#setGroup(place, left)
    if (left.length === 0) this.#freePlace(handle, place)
    return true
  }

  /** Forgets how far streams were evaluated. */
  resetProgress(): void {
    this.#lastTimes.fill(NEVER)
    this.#keptTimes.fill(NEVER)
    this.#arrivals.fill(NEVER)
  }

  /** The last sample that was evaluated; NEVER before the first. */
  lastTimeOf(handle: number): number {
    return this.#lastTimes[this.placeOf(handle)]
  }

  setLastTime(handle: number, time: number): void {
    this.#lastTimes[this.placeOf(handle)] = time
  }

  /** The last sample that the catalog knows to be evaluated. */
  keptTimeOf(handle: number): number {
    return this.#keptTimes[this.placeOf(handle)]
  }

  /** Notes that the catalog knows how far a stream is evaluated. */
  noteKept(handle: number): void {
    const place = this.placeOf(handle)
    this.#keptTimes[place] = this.#lastTimes[place]
  }

  /** When a sample arrived last; NEVER: none did. */
  arrivalOf(handle: number): number {
    return this.#arrivals[this.placeOf(handle)]
  }

  setArrival(handle: number, atMs: number): void {
    this.#arrivals[this.placeOf(handle)] = atMs
  }

  /** Notes that nothing arrived later than a time; the streams for which something did. */
  limitArrivals(latestMs: number): StreamHandle[] {
    const limited: StreamHandle[] = []
    for (const handle of this.handles()) {
      if (this.arrivalOf(handle) <= latestMs) continue
      this.setArrival(handle, latestMs)
      limited.push(handle)
    }
    return limited
  }

  #newPlace(handle: StreamHandle): number {
    const place = this.#free.pop() ?? this.#end++
    this.#places = growColumn(this.#places, handle + 1)
    this.#handles = growColumn(this.#handles, place + 1)
    this.#lastTimes = growColumn(this.#lastTimes, place + 1)
    this.#keptTimes = growColumn(this.#keptTimes, place + 1)
    this.#arrivals = growColumn(this.#arrivals, place + 1)
    this.#groups = growColumn(this.#groups, place + 1)
    this.#places[handle] = place
    this.#handles[place] = handle
    this.#lastTimes[place] = NEVER
    this.#keptTimes[place] = NEVER
    this.#arrivals[place] = NEVER
    this.#groups[place] = 0
    this.#count += 1
    this.#generation += 1
    return place
  }

  #freePlace(handle: StreamHandle, place: number): void {
    this.#places[handle] = 0
    this.#handles[place] = 0
    this.#free.push(place)
    this.#count -= 1
    this.#generation += 1
  }

  #setGroup(place: number, refs: readonly number[]): void {
    const left = this.#groups[place]
    const group = this.#groupOf(refs)
    this.#groups[place] = group
    const [from, to] = [this.#sets[left], this.#sets[group]]
    if (to !== undefined) to.count += 1
    if (from === undefined || left === 0) return
    from.count -= 1
    if (from.count > 0) return
    // Otherwise a stream of thousands of alerts would leave a group behind for each of them.
    this.#groupIds.delete(from.key)
    this.#sets[left] = undefined
    this.#freeGroups.push(left)
  }

  #groupOf(refs: readonly number[]): number {
    const key = refs.join(' ')
    const known = this.#groupIds.get(key)
    if (known !== undefined) return known
    const group = this.#freeGroups.pop() ?? this.#sets.length
    this.#sets[group] = { refs, key, count: 0 }
    this.#groupIds.set(key, group)
    return group
  }
}
