import {
  EARLIEST_TIME,
  type EpochMs,
  epochMs,
  isSampleTime,
  refuse,
  TIME_END,
} from '../base/index.ts'
import type { Removal, SampleBatch, StreamHandle } from '../store/index.ts'
import { type Cycle, intervalOf } from '../time/index.ts'
import { describeSample, type IncomingSamples, VALUE_NULL } from './incoming-samples.ts'

/** What an interval stream's samples are placed by. */
export interface IntervalPlacement {
  readonly handle: StreamHandle | 0
  readonly cycle: Cycle
  /** Whether stored values between the first and the last uploaded interval become gaps. */
  readonly isAutofill: boolean
}

/** Where a sample of a stream lies: at the end of its interval, where the stream has intervals. */
export function placeTime(baseCycle: Cycle | undefined, time: number): EpochMs | undefined {
  const end = baseCycle === undefined ? time : intervalOf(baseCycle, time)?.until
  return end !== undefined && isSampleTime(end) ? end : undefined
}

function endOf(samples: IncomingSamples, index: number, cycle: Cycle): number {
  const end = placeTime(cycle, samples.times[index])
  if (end !== undefined) return end
  const where = describeSample(samples, index)
  refuse('bad_input', {
    what: `Cannot accept ${where}: "time" lies in no interval of the stream's base cycle`,
  })
}

/** Whether the times of the samples never go back, as those of nearly every upload. */
function isAscending({ times }: IncomingSamples, indexes: readonly number[]): boolean {
  for (let at = 1; at < indexes.length; at++) {
    if (times[indexes[at]] < times[indexes[at - 1]]) return false
  }
  return true
}

/**
 * Moves the samples of one interval stream to the ends of their intervals, in place. Of two in one
 * interval the later stays; the others, and nulls, are marked null. Answers what must be removed
 * before the samples are added.
 */
export function placeIntervals(
  samples: IncomingSamples,
  indexes: readonly number[],
  placement: IntervalPlacement,
): Removal[] {
  const { times, kinds } = samples
  // The sort is stable: of two at the same time the one that came later stays last.
  const inOrder = isAscending(samples, indexes)
    ? indexes
    : [...indexes].sort((a, b) => times[a] - times[b])
  const ends: number[] = []
  const nullEnds: number[] = []
  let end = endOf(samples, inOrder[0], placement.cycle)
  for (const [at, index] of inOrder.entries()) {
    const isLast = at === inOrder.length - 1
    const nextEnd = isLast ? Number.NaN : endOf(samples, inOrder[at + 1], placement.cycle)
    if (nextEnd === end) {
      samples.drop(index)
      continue
    }
    times[index] = end
    ends.push(end)
    if (kinds[index] === VALUE_NULL) nullEnds.push(end)
    end = nextEnd
  }
  return removalsOf(placement, ends, nullEnds)
}

function removalsOf(
  { handle, isAutofill }: IntervalPlacement,
  ends: readonly number[],
  nullEnds: readonly number[],
): Removal[] {
  // A stream that is about to be created holds nothing to remove.
  if (handle === 0 || ends.length === 0) return []
  const removal = (from: number, last: number): Removal => ({
    handle,
    from: epochMs(from),
    until: epochMs(last + 1),
  })
  if (!isAutofill || ends.length === 1) return nullEnds.map((end) => removal(end, end))
  return [removal(ends[0], ends[ends.length - 1])]
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

/** The samples that are left to append: those marked null are dropped, the order stays. */
export function toBatch(samples: IncomingSamples, removals: readonly Removal[]): SampleBatch {
  const { handles, times, numbers, kinds, texts } = samples
  if (samples.isNumeric) return { count: samples.count, handles, times, numbers, removals }
  let count = 0
  let hasTexts = false
  for (let index = 0; index < samples.count; index++) {
    if (kinds[index] === VALUE_NULL) continue
    const text = texts?.[index]
    handles[count] = handles[index]
    times[count] = times[index]
    numbers[count] = numbers[index]
    if (texts !== undefined) texts[count] = text
    if (text !== undefined) hasTexts = true
    count += 1
  }
  if (texts !== undefined) texts.length = Math.min(texts.length, count)
  return { count, handles, times, numbers, texts: hasTexts ? texts : undefined, removals }
}
