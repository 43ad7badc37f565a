import {
  EARLIEST_TIME,
  type EpochMs,
  epochMs,
  ITEMS_PER_SLICE,
  inSlices,
  isSampleTime,
  refuse,
  TIME_END,
} from '../../base/index.ts'
import type { Removal, SampleBatch, StreamHandle } from '../../store/index.ts'
import { type Cycle, intervalOf, type Period } from '../../time/index.ts'
import { describeSample, type IncomingSamples, VALUE_NULL } from './incoming-samples.ts'

/** Where a sample of a stream lies: at the end of its interval, where the stream has intervals. */
export function placeTime(baseCycle: Cycle | undefined, time: number): EpochMs | undefined {
  const end = baseCycle === undefined ? time : intervalOf(baseCycle, time)?.until
  return end !== undefined && isSampleTime(end) ? end : undefined
}

/** Why a sample of a stream with a base cycle has no place, for a message. */
export function whyUnplaced(baseCycle: Cycle | undefined, time: number): string {
  const end = baseCycle === undefined ? time : intervalOf(baseCycle, time)?.until
  if (end === undefined) return "is in no interval of the stream's base cycle"
  const shown = new Date(end).toISOString()
  return `is in an interval that ends at ${shown}, after 2261`
}

/**
 * Keeps of a point stream's samples the last that arrived and times it at its arrival, in place;
 * nulls say nothing. Answers the removal that makes room for it.
 */
export function placePoint(
  samples: IncomingSamples,
  indexes: readonly number[],
  update: { readonly handle: StreamHandle | 0; readonly assignTime: () => number },
): Removal[] {
  const kept = indexes.findLast((index) => samples.kinds[index] !== VALUE_NULL)
  for (const index of indexes) if (index !== kept) samples.drop(index)
  if (kept === undefined) return []
  samples.times[kept] = update.assignTime()
  if (update.handle === 0) return []
  return [{ handle: update.handle, from: EARLIEST_TIME, until: TIME_END }]
}

/** The samples to append, when all are numbers. */
export function numericBatch(samples: IncomingSamples, removals: readonly Removal[]): SampleBatch {
  const { count, handles, times, numbers } = samples
  return { count, handles, times, numbers, removals }
}

/** The samples that are left to append: those marked null are dropped, the order stays. */
export async function toBatch(
  samples: IncomingSamples,
  removals: readonly Removal[],
): Promise<SampleBatch> {
  if (samples.isNumeric) return numericBatch(samples, removals)
  const { handles, times, numbers, kinds, texts } = samples
  let count = 0
  let hasTexts = false
  await inSlices(samples.count, (from, until) => {
    for (let index = from; index < until; index++) {
      if (kinds[index] === VALUE_NULL) continue
      const text = texts?.[index]
      handles[count] = handles[index]
      times[count] = times[index]
      numbers[count] = numbers[index]
      if (texts !== undefined) texts[count] = text
      if (text !== undefined) hasTexts = true
      count += 1
    }
  })
  if (texts !== undefined) texts.length = Math.min(texts.length, count)
  return { count, handles, times, numbers, texts: hasTexts ? texts : undefined, removals }
}

/** Whether the times of the samples never go back, as those of nearly every upload. */
function isAscending(times: Float64Array, indexes: ArrayLike<number>): boolean {
  for (let at = 1; at < indexes.length; at++) {
    if (times[indexes[at]] < times[indexes[at - 1]]) return false
  }
  return true
}

/**
 * The indexes of samples, given in the order they came, in the order of their times; of two at the
 * same time the one that came later stays last. Many are sorted with turns for other calls.
 */
async function sortByTime(
  times: Float64Array,
  indexes: readonly number[],
): Promise<ArrayLike<number>> {
  if (isAscending(times, indexes)) return indexes
  let order = Uint32Array.from(indexes)
  await inSlices(order.length, (from, until) => {
    order.subarray(from, until).sort((a, b) => times[a] - times[b] || a - b)
  })
  let merged = new Uint32Array(order.length)
  for (let length = ITEMS_PER_SLICE; length < order.length; length *= 2) {
    await inSlices(order.length, pairMerger(times, { order, merged, length }))
    ;[order, merged] = [merged, order]
  }
  return order
}

/** Merges neighbouring sorted runs of a length in pairs, as far as it is asked to at a time. */
function pairMerger(
  times: Float64Array,
  runs: { readonly order: Uint32Array; readonly merged: Uint32Array; readonly length: number },
): (from: number, until: number) => void {
  const { order, merged, length } = runs
  let [left, leftEnd, right, rightEnd] = [0, 0, 0, 0]
  return (from, until) => {
    for (let at = from; at < until; at++) {
      if (at === rightEnd) {
        left = at
        leftEnd = Math.min(at + length, order.length)
        right = leftEnd
        rightEnd = Math.min(leftEnd + length, order.length)
      }
      const isRightSpent = right === rightEnd
      const isLeftFirst = left < leftEnd && times[order[left]] <= times[order[right]]
      merged[at] = isRightSpent || isLeftFirst ? order[left++] : order[right++]
    }
  }
}

/** What an interval stream's samples are placed by. */
interface IntervalPlacement {
  readonly handle: StreamHandle | 0
  readonly cycle: Cycle
  /** Whether stored values between the first and the last uploaded interval become gaps. */
  readonly isAutofill: boolean
}

/**
 * Moves the samples of one interval stream to the ends of their intervals, in place. Of two in one
 * interval the later stays; the others, and nulls, are marked null. Answers what must be removed
 * before the samples are added.
 */
export async function placeIntervals(
  samples: IncomingSamples,
  indexes: readonly number[],
  placement: IntervalPlacement,
): Promise<Removal[]> {
  const inOrder = await sortByTime(samples.times, indexes)
  const placer = new IntervalPlacer(samples, inOrder, placement)
  await inSlices(inOrder.length, (from, until) => placer.place(from, until))
  return placer.finish()
}

/** Walks once over the samples of a stream in the order of time. */
class IntervalPlacer {
  readonly #samples: IncomingSamples
  readonly #inOrder: ArrayLike<number>
  readonly #placement: IntervalPlacement
  readonly #gaps: Removal[] = []
  #next: Period | undefined
  #places = 0
  #firstEnd = 0
  #lastEnd = 0
  /** The gap that may go on: the ends of its first and last interval. */
  #gapFirst = Number.NaN
  #gapLast = Number.NaN

  constructor(samples: IncomingSamples, inOrder: ArrayLike<number>, placement: IntervalPlacement) {
    this.#samples = samples
    this.#inOrder = inOrder
    this.#placement = placement
  }

  place(from: number, until: number): void {
    const { times, kinds } = this.#samples
    for (let at = from; at < until; at++) {
      const index = this.#inOrder[at]
      const interval = this.#next ?? this.#intervalOf(index)
      const isLast = at === this.#inOrder.length - 1
      this.#next = isLast ? undefined : this.#intervalOf(this.#inOrder[at + 1], interval)
      if (this.#next?.until === interval.until) {
        this.#samples.drop(index)
        continue
      }
      times[index] = interval.until
      this.#note(interval, kinds[index] === VALUE_NULL)
    }
  }

  /** What must be removed, once all samples are placed. */
  finish(): Removal[] {
    const { handle, isAutofill } = this.#placement
    // A stream that is about to be created holds nothing to remove.
    if (handle === 0 || this.#places === 0) return []
    if (isAutofill && this.#places > 1) return [this.#removal(this.#firstEnd, this.#lastEnd)]
    this.#endGap()
    return this.#gaps
  }

  #note({ from, until }: Period, isNull: boolean): void {
    if (this.#places === 0) this.#firstEnd = until
    this.#lastEnd = until
    this.#places += 1
    if (!isNull) return
    // Samples lie at ends only: neighbouring gaps are one removal that takes nothing else.
    if (this.#gapLast !== from) {
      this.#endGap()
      this.#gapFirst = until
    }
    this.#gapLast = until
  }

  #endGap(): void {
    if (!Number.isNaN(this.#gapFirst)) this.#gaps.push(this.#removal(this.#gapFirst, this.#gapLast))
  }

  #removal(firstEnd: number, lastEnd: number): Removal {
    const handle = this.#placement.handle as StreamHandle
    return { handle, from: epochMs(firstEnd), until: epochMs(lastEnd + 1) }
  }

  #intervalOf(index: number, before?: Period): Period {
    const time = this.#samples.times[index]
    if (before !== undefined && time > before.from && time <= before.until) return before
    const interval = intervalOf(this.#placement.cycle, time)
    if (interval !== undefined && isSampleTime(interval.until)) return interval
    const where = describeSample(this.#samples, index)
    const why = whyUnplaced(this.#placement.cycle, time)
    refuse('bad_input', { what: `Cannot accept ${where}: "time" ${why}` })
  }
}
