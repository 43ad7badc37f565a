import { EARLIEST_TIME, epochMs, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle, TextMemory } from '../../store/index.ts'

/** Which samples of a stream are read as doubles. */
export interface DoublesQuery {
  readonly from: number
  readonly until: number
  /** At most this many samples, the oldest. */
  readonly limit: number
  /** Where texts are counted while they are read. */
  readonly memory?: TextMemory
}

/**
 * Samples of one stream, ascending, one per time. NaN and the infinities have exactly the bits that were received.
 * Copy values with `set()` or as 32-bit words: assigning single elements may change the bits of a NaN.
 */
export interface DoubleColumns {
  readonly count: number
  readonly times: Float64Array
  readonly values: Float64Array
}

/**
 * Reads samples with the special values that only query protocols show. All other reads leave these out. The caller has
 * checked permissions. Booleans are 0 and 1, and texts of decimals become the nearest double.
 */
export async function readWithSpecials(
  store: SampleStore,
  handle: StreamHandle,
  { from, until, limit, memory }: DoublesQuery,
): Promise<DoubleColumns> {
  const range = {
    from: epochMs(Math.max(from, EARLIEST_TIME)),
    until: epochMs(Math.min(until, TIME_END)),
  }
  const { count, times, numbers, texts } = await store.range(handle, {
    ...range,
    limit,
    memory,
    order: 'oldest_first',
  })
  if (texts !== undefined) {
    for (let at = 0; at < count; at += 1) {
      const text = texts[at]
      if (text !== undefined) numbers[at] = Number(text)
    }
  }
  return { count, times, values: numbers }
}
