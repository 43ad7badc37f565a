import { epochMs, inSlices, isSampleTime, refuse } from '../../base/index.ts'
import type { Removal, StreamHandle } from '../../store/index.ts'
import { type Cycle, intervalOf, type Period } from '../../time/index.ts'
import { describeSample, type IncomingSamples, VALUE_NULL } from './incoming-samples.ts'
import { whyUnplaced } from './place-samples.ts'
import { sortByTime } from './sort-by-time.ts'

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
