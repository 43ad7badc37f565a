import { invariant } from '../../../base/index.ts'
import type { SampleColumns } from '../../sample-port.ts'
import { firstAtOrAfter } from '../chunk/index.ts'
import { growInt32 } from '../head/columns.ts'
import { HeadGeneration } from '../head/head-generation.ts'
import { SampleSink } from '../head/sample-sink.ts'

/** Columns up to here are kept for the next segment; one of the usual length stays below. */
const KEPT_SAMPLES_MAX = 2 * 1024 * 1024

/** Late samples may move so many others per sample of the stream; a head does it better beyond. */
const MOVES_PER_SAMPLE = 64

/** A column of times, one of numbers and one of handles, which lie in the same order. */
export interface PlainColumns {
  readonly times: Float64Array
  readonly numbers: Float64Array
  readonly handles: Uint32Array
}

/** Which samples of three long columns belong together: count of them from each start. */
export interface PlainPlaces {
  readonly timesAt: number
  readonly numbersAt: number
  readonly handlesAt: number
  readonly count: number
}

/**
 * The numbers of a segment, brought together by stream: counted first, then put where the counts say,
 * so that each is moved once and no stream costs memory of its own. Streams whose samples depend on
 * what was removed between them, and those with texts, are left out.
 */
export class PlainSamples {
  readonly #excluded = new Set<number>()
  /** Samples of each stream. */
  #counts = new Int32Array(1024)
  /** Where the next sample of each stream goes, -1 for those left out. */
  #ends = new Int32Array(1024)
  #times = new Float64Array(0)
  #numbers = new Float64Array(0)
  #handleEnd = 0
  #isPlaced = false

  /** Starts over; columns given out before are overwritten. */
  clear(): void {
    this.#counts.fill(0)
    this.#excluded.clear()
    this.#handleEnd = 0
    this.#isPlaced = false
    if (this.#times.length <= KEPT_SAMPLES_MAX) return
    this.release()
  }

  /** Lets go of the memory, which the next segment takes anew. */
  release(): void {
    this.#times = new Float64Array(0)
    this.#numbers = new Float64Array(0)
  }

  /** One past the greatest handle that may have samples. */
  get handleEnd(): number {
    return this.#handleEnd
  }

  /** Counts samples that will be put. */
  count({ handles }: PlainColumns, { handlesAt, count }: PlainPlaces): void {
    for (let at = handlesAt; at < handlesAt + count; at += 1) {
      const handle = handles[at]
      if (handle >= this.#handleEnd) this.#growTo(handle + 1)
      this.#counts[handle] += 1
    }
  }

  /** Leaves a stream out; only before the first sample is put. */
  exclude(handle: number): void {
    invariant(!this.#isPlaced, 'a stream is left out too late')
    this.#excluded.add(handle)
  }

  isExcluded(handle: number): boolean {
    return this.#excluded.has(handle)
  }

  /** Puts samples that were counted, in the order of the journal; tells how many were left out. */
  put(columns: PlainColumns, places: PlainPlaces): number {
    if (!this.#isPlaced) this.#place()
    const { timesAt, numbersAt, handlesAt, count } = places
    const [ends, times, numbers] = [this.#ends, this.#times, this.#numbers]
    let leftOut = 0
    for (let index = 0; index < count; index += 1) {
      const handle = columns.handles[handlesAt + index]
      const end = ends[handle]
      if (end < 0) {
        leftOut += 1
        continue
      }
      times[end] = columns.times[timesAt + index]
      numbers[end] = columns.numbers[numbersAt + index]
      ends[handle] = end + 1
    }
    return leftOut
  }

  hasSamples(handle: number): boolean {
    return handle < this.#handleEnd && this.#counts[handle] > 0
  }

  /** The samples of a stream that has some, ascending, of several at one time the last that came. */
  columnsOf(handle: number): SampleColumns {
    const end = this.#ends[handle]
    const start = end - this.#counts[handle]
    return orderSamples(this.#times.subarray(start, end), this.#numbers.subarray(start, end))
  }

  /** Gives every stream its part of the columns. */
  #place(): void {
    this.#isPlaced = true
    for (const handle of this.#excluded) {
      if (handle >= this.#handleEnd) this.#growTo(handle + 1)
      this.#counts[handle] = 0
    }
    let start = 0
    for (let handle = 0; handle < this.#handleEnd; handle += 1) {
      this.#ends[handle] = start
      start += this.#counts[handle]
    }
    for (const handle of this.#excluded) this.#ends[handle] = -1
    if (start <= this.#times.length) return
    this.#times = new Float64Array(start)
    this.#numbers = new Float64Array(start)
  }

  #growTo(handleEnd: number): void {
    this.#handleEnd = handleEnd
    if (handleEnd <= this.#counts.length) return
    this.#counts = growInt32(this.#counts, handleEnd)
    this.#ends = growInt32(this.#ends, this.#counts.length)
  }
}

/**
 * Brings samples that came in this order into the order of time, in place; of several at one time the
 * last one stays.
 */
export function orderSamples(times: Float64Array, numbers: Float64Array): SampleColumns {
  const movesMax = times.length * MOVES_PER_SAMPLE
  let moves = 0
  let count = countAscending(times)
  for (let index = count; index < times.length; index += 1) {
    const time = times[index]
    const number = numbers[index]
    let at = count
    if (time <= times[count - 1]) {
      at = firstAtOrAfter(times, count, time)
      if (times[at] === time) {
        numbers[at] = number
        continue
      }
      moves += count - at
      if (moves > movesMax) return orderInHead(times, numbers, { ordered: count, next: index })
      times.copyWithin(at + 1, at, count)
      numbers.copyWithin(at + 1, at, count)
    }
    times[at] = time
    numbers[at] = number
    count += 1
  }
  if (count === times.length) return { count, times, numbers }
  return { count, times: times.subarray(0, count), numbers: numbers.subarray(0, count) }
}

/** How many times ascend from the first on. */
function countAscending(times: Float64Array): number {
  let last = Number.NEGATIVE_INFINITY
  let count = 0
  while (count < times.length && times[count] > last) {
    last = times[count]
    count += 1
  }
  return count
}

/** As orderSamples(), for samples in any order; those before `ordered` are done. */
function orderInHead(
  times: Float64Array,
  numbers: Float64Array,
  { ordered, next }: { ordered: number; next: number },
): SampleColumns {
  const head = new HeadGeneration(0)
  for (let index = 0; index < ordered; index += 1) {
    head.put(1, times[index], numbers[index], undefined)
  }
  for (let index = next; index < times.length; index += 1) {
    head.put(1, times[index], numbers[index], undefined)
  }
  const sink = new SampleSink()
  head.readAll(1, sink)
  return sink.columns()
}
