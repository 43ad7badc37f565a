import { growColumn } from '../../base/index.ts'

/** What a timer is about. */
export const TIMERS = { pending: 1, silence: 2, inactive: 3, repeat: 4, unmute: 5 } as const
type TimerKind = (typeof TIMERS)[keyof typeof TIMERS]

/** One timer. */
export interface Timer {
  readonly atMs: number
  readonly kind: TimerKind
  /** The number of the alert, and its version: timers of earlier versions mean nothing. */
  readonly ref: number
  readonly version: number
  /** The stream; 0 where the timer is about the whole alert. */
  readonly handle: number
}

/** Timers in columns, the earliest first: 24 bytes for each, and no timer is looked at before its time. */
export class TimerHeap {
  #times = new Float64Array(0)
  #refs = new Uint32Array(0)
  #versions = new Uint32Array(0)
  #handles = new Uint32Array(0)
  #kinds = new Uint32Array(0)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** When the earliest timer is due; Infinity without one. */
  get firstMs(): number {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#times[0]
  }

  add(timer: Timer): void {
    const at = this.#count
    this.#times = growColumn(this.#times, at + 1)
    this.#refs = growColumn(this.#refs, at + 1)
    this.#versions = growColumn(this.#versions, at + 1)
    this.#handles = growColumn(this.#handles, at + 1)
    this.#kinds = growColumn(this.#kinds, at + 1)
    this.#count += 1
    this.#set(at, timer)
    this.#rise(at)
  }

  /** Takes the earliest timer out if it is due. */
  takeDue(nowMs: number): Timer | undefined {
    if (this.firstMs > nowMs) return undefined
    const first = this.#get(0)
    this.#count -= 1
    if (this.#count > 0) {
      this.#set(0, this.#get(this.#count))
      this.#sink()
    }
    return first
  }

  clear(): void {
    this.#count = 0
  }

  #get(at: number): Timer {
    return {
      atMs: this.#times[at],
      kind: this.#kinds[at] as TimerKind,
      ref: this.#refs[at],
      version: this.#versions[at],
      handle: this.#handles[at],
    }
  }

  #set(at: number, { atMs, kind, ref, version, handle }: Timer): void {
    this.#times[at] = atMs
    this.#kinds[at] = kind
    this.#refs[at] = ref
    this.#versions[at] = version
    this.#handles[at] = handle
  }

  #swap(one: number, other: number): void {
    const kept = this.#get(one)
    this.#set(one, this.#get(other))
    this.#set(other, kept)
  }

  /** Of timers at one time a condition that held for long enough comes before silence. */
  #isBefore(one: number, other: number): boolean {
    if (this.#times[one] !== this.#times[other]) return this.#times[one] < this.#times[other]
    return this.#kinds[one] < this.#kinds[other]
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#count && this.#isBefore(child, least)) least = child
      }
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }
}
