import { EARLIEST_TIME, type EpochMs, inSlices, isSampleTime, TIME_END } from '../../base/index.ts'
import type { Removal, SampleBatch, StreamHandle } from '../../store/index.ts'
import { type Cycle, intervalOf } from '../../time/index.ts'
import { type IncomingSamples, VALUE_NULL } from './incoming-samples.ts'

/** Where a sample of a stream lies: at the end of its interval, where the stream has intervals. */
export function placeTime(baseCycle: Cycle | undefined, time: number): EpochMs | undefined {
  const end = baseCycle === undefined ? time : intervalOf(baseCycle, time)?.until
  return end !== undefined && isSampleTime(end) ? end : undefined
}

/** Why a sample of a stream with a base cycle has no place, for a message. */
export function whyUnplaced(baseCycle: Cycle | undefined, time: number): string {
  const end = baseCycle === undefined ? time : intervalOf(baseCycle, time)?.until
  if (end === undefined) return "lies in no interval of the stream's base cycle"
  const shown = new Date(end).toISOString()
  return `lies in an interval that ends at ${shown}: samples are kept at ends, and before 2262`
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
