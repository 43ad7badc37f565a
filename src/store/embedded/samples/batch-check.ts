import { invariant, isSampleTime } from '../../../base/index.ts'
import { COMPANION_BASE } from '../../fields/companion.ts'
import type { Removal, SampleBatch } from '../../ports/sample-port.ts'
import type { HandleSet } from '../head/handle-set.ts'

/** The greatest handle. Greater numbers are those of companions, to which nobody puts. */
const HANDLE_MAX = COMPANION_BASE - 1

/** Refuses a batch that no caller may give: such a sample would break the order inside the head. */
export function checkBatch(batch: SampleBatch): void {
  const { count, handles, times, numbers, texts } = batch
  invariant(
    handles.length >= count && times.length >= count && numbers.length >= count,
    'a batch has columns shorter than its count',
  )
  for (let index = 0; index < count; index += 1) {
    const handle = handles[index]
    const time = times[index]
    // Compared in place: a message built for every sample would cost more than storing it.
    const isStream = handle > 0 && handle <= HANDLE_MAX
    const isValue = Number.isFinite(numbers[index]) || texts?.[index] !== undefined
    if (!isStream || !isSampleTime(time) || !isValue) {
      throw new Error(`BUG: a batch has (${handle}, ${time}, ${numbers[index]}) at ${index}`)
    }
  }
  batch.removals.forEach(checkRemoval)
}

/** Refuses a removal with a bad stream or a time that is none. */
export function checkRemoval({ handle, from, until }: Removal): void {
  invariant(handle > 0 && handle <= HANDLE_MAX, `a removal names the stream ${handle}`)
  invariant(!Number.isNaN(from) && !Number.isNaN(until), 'a removal has no range')
}

/** Whether a batch has samples or removals of one of these streams. */
export function namesAny(
  { count, handles, removals }: SampleBatch,
  streams: Pick<HandleSet, 'has'>,
): boolean {
  for (let index = 0; index < count; index += 1) {
    if (streams.has(handles[index])) return true
  }
  return removals.some((removal) => streams.has(removal.handle))
}

/** A batch of removals, or one that only names streams. */
export function batchOf(
  handles: readonly number[],
  removals: readonly Removal[] = [],
): SampleBatch {
  const count = handles.length
  return {
    count,
    handles: Uint32Array.from(handles),
    removals,
    times: new Float64Array(count),
    numbers: new Float64Array(count),
  }
}
