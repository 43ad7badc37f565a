import { countBelow, freeBytes, growColumn, invariant } from '../../../base/plain.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { HeadGeneration } from '../head/head-generation.ts'
import { SampleSink } from '../head/sample-sink.ts'

/** Columns up to here are kept for the next segment; one of the usual length stays below. */
const KEPT_SAMPLES_MAX = 2 * 1024 * 1024

/** The longest stream whose columns are kept for the next stream. */
const KEPT_COLUMN_MAX = 64 * 1024

/** Moves per sample that late samples of a stream may cause. Beyond that a head is faster. */
const MOVES_PER_SAMPLE = 64

/** What putLate() returns when the sample took the place of another. */
const REPLACED = 0

/** A column of times, one of numbers and one of handles, which lie in the same order. */
export interface SegmentColumns {
  readonly times: Float64Array
  readonly numbers: Float64Array
  readonly handles: Uint32Array
}

/** Which samples of three long columns belong together: count of them from each start. */
export interface SegmentPlaces {
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
export class SortedSamples {
  /** Samples of each stream. */
  #counts = new Int32Array(1024)
  /** Where the next sample of each stream goes. */
  #ends = new Int32Array(1024)
  /** 1 for streams left out: they are put as well, which costs less than a look at each sample. */
  #excluded = new Uint8Array(1024)
  /** Time and number of each sample side by side: one place in memory to go to, not two. */
  #pairs = new Float64Array(0)
  /** The columns of the stream that was asked for last. */
  #times = new Float64Array(0)
  #numbers = new Float64Array(0)
  #handleEnd = 0
  #hasExcluded = false
  #isPlaced = false

  /** Starts over; columns given out before are overwritten. */
  clear(): void {
    this.#counts.fill(0)
    this.#excluded.fill(0)
    this.#handleEnd = 0
    this.#hasExcluded = false
    this.#isPlaced = false
    if (this.#pairs.length > 2 * KEPT_SAMPLES_MAX) this.release()
  }

  /** Lets go of the memory, which the next segment takes again. */
  release(): void {
    // This thread makes too little garbage for the collector to look after it.
    for (const column of [this.#pairs, this.#times, this.#numbers]) freeBytes(column)
    this.#pairs = new Float64Array(0)
    this.#times = new Float64Array(0)
    this.#numbers = new Float64Array(0)
  }

  /** One past the greatest handle that may have samples. */
  get handleEnd(): number {
    return this.#handleEnd
  }

  /** Counts samples that will be put. */
  count({ handles }: SegmentColumns, { handlesAt, count }: SegmentPlaces): void {
    const end = handlesAt + count
    let counts = this.#counts
    for (let at = handlesAt; at < end; at += 1) {
      const handle = handles[at]
      if (handle >= this.#handleEnd) {
        this.#growTo(handle + 1)
        counts = this.#counts
      }
      counts[handle] += 1
    }
  }

  /** Leaves a stream out; only before the first sample is put. */
  exclude(handle: number): void {
    invariant(!this.#isPlaced, 'a stream is left out too late')
    if (handle >= this.#handleEnd) this.#growTo(handle + 1)
    this.#excluded[handle] = 1
    this.#hasExcluded = true
  }

  isExcluded(handle: number): boolean {
    return this.#excluded[handle] === 1
  }

  /** Puts samples that were counted, in the order of the journal; reports how many were left out. */
  put(columns: SegmentColumns, places: SegmentPlaces): number {
    if (!this.#isPlaced) this.#place()
    const { handles, times, numbers } = columns
    const { timesAt, numbersAt, handlesAt, count } = places
    const ends = this.#ends
    const pairs = this.#pairs
    for (let index = 0; index < count; index += 1) {
      const handle = handles[handlesAt + index]
      const end = ends[handle]
      pairs[end] = times[timesAt + index]
      pairs[end + 1] = numbers[numbersAt + index]
      ends[handle] = end + 2
    }
    return this.#hasExcluded ? this.#countExcluded(columns, places) : 0
  }

  #countExcluded({ handles }: SegmentColumns, { handlesAt, count }: SegmentPlaces): number {
    let excluded = 0
    for (let at = handlesAt; at < handlesAt + count; at += 1) {
      excluded += this.#excluded[handles[at]]
    }
    return excluded
  }

  hasSamples(handle: number): boolean {
    return handle < this.#handleEnd && this.#counts[handle] > 0 && this.#excluded[handle] === 0
  }

  /**
   * The samples of a stream that has some, ascending, of several at one time the last that came;
   * valid until the next stream is asked for.
   */
  columnsOf(handle: number): SampleColumns {
    const count = this.#counts[handle]
    const start = this.#ends[handle] - 2 * count
    const columns = this.#columnsFor(count)
    partPairs(this.#pairs.subarray(start, start + 2 * count), columns)
    return orderSamples(columns.times, columns.numbers)
  }

  #columnsFor(count: number): { times: Float64Array; numbers: Float64Array } {
    if (count > KEPT_COLUMN_MAX) {
      return { times: new Float64Array(count), numbers: new Float64Array(count) }
    }
    if (count > this.#times.length) {
      this.#times = growColumn(this.#times, count)
      this.#numbers = growColumn(this.#numbers, count)
    }
    return { times: this.#times.subarray(0, count), numbers: this.#numbers.subarray(0, count) }
  }

  /** Gives every stream its part of the columns. */
  #place(): void {
    this.#isPlaced = true
    let excludedMax = 0
    for (let handle = 0; handle < this.#handleEnd; handle += 1) {
      if (this.#excluded[handle] === 1) excludedMax = Math.max(excludedMax, this.#counts[handle])
    }
    // Those left out are put over each other, at the front.
    let start = 2 * excludedMax
    for (let handle = 0; handle < this.#handleEnd; handle += 1) {
      const isExcluded = this.#excluded[handle] === 1
      this.#ends[handle] = isExcluded ? 0 : start
      if (!isExcluded) start += 2 * this.#counts[handle]
    }
    if (start <= this.#pairs.length) return
    freeBytes(this.#pairs)
    this.#pairs = new Float64Array(start)
  }

  #growTo(handleEnd: number): void {
    this.#handleEnd = handleEnd
    if (handleEnd <= this.#counts.length) return
    this.#counts = growColumn(this.#counts, handleEnd)
    this.#ends = growColumn(this.#ends, this.#counts.length)
    this.#excluded = growColumn(this.#excluded, this.#counts.length)
  }
}

function partPairs(
  pairs: Float64Array,
  { times, numbers }: { times: Float64Array; numbers: Float64Array },
): void {
  const count = times.length
  for (let index = 0; index < count; index += 1) {
    times[index] = pairs[2 * index]
    numbers[index] = pairs[2 * index + 1]
  }
}

/**
 * Brings samples that came in this order into the order of time, in place; of several at one time the
 * last one stays.
 */
export function orderSamples(times: Float64Array, numbers: Float64Array): SampleColumns {
  const length = times.length
  let movesLeft = length * MOVES_PER_SAMPLE
  let count = 0
  for (let index = 0; index < length; index += 1) {
    const end = endOfAscending(
      times,
      index,
      count === 0 ? Number.NEGATIVE_INFINITY : times[count - 1],
    )
    if (count < index && index < end) {
      times.copyWithin(count, index, end)
      numbers.copyWithin(count, index, end)
    }
    count += end - index
    index = end
    if (index === length) break
    const moves = putLate({ times, numbers, count }, index)
    if (moves !== REPLACED) count += 1
    movesLeft -= moves
    if (movesLeft < 0) return orderInHead(times, numbers, { ordered: count, next: index + 1 })
  }
  if (count === length) return { count, times, numbers }
  return { count, times: times.subarray(0, count), numbers: numbers.subarray(0, count) }
}

/** Where the times from start on, which come after the last, end to ascend. */
function endOfAscending(times: Float64Array, start: number, last: number): number {
  const length = times.length
  let before = last
  for (let index = start; index < length; index += 1) {
    const time = times[index]
    if (time <= before) return index
    before = time
  }
  return length
}

/** Puts the sample at an index among those before count; reports how many of these it moved. */
function putLate({ times, numbers, count }: SampleColumns, index: number): number {
  const time = times[index]
  const number = numbers[index]
  const at = countBelow(times, time, count)
  const isThere = times[at] === time
  if (!isThere) {
    times.copyWithin(at + 1, at, count)
    numbers.copyWithin(at + 1, at, count)
  }
  times[at] = time
  numbers[at] = number
  return isThere ? REPLACED : count - at
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
