import { EARLIEST_TIME, epochMs, TIME_END } from '../../base/index.ts'
import {
  type SampleColumns,
  type SampleStore,
  type StreamHandle,
  type TextMemory,
  writeSpecial,
} from '../../store/index.ts'

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
  const query = {
    from: epochMs(Math.max(from, EARLIEST_TIME)),
    until: epochMs(Math.min(until, TIME_END)),
    limit,
    memory,
    order: 'oldest_first',
  } as const
  if (query.from >= query.until) return NOTHING
  // In this order: a number that replaces a special value meanwhile is then not seen beside its absence.
  const numbers = doublesOf(await store.range(handle, query))
  const specials = await store.specials(handle, query)
  return specials.count === 0 ? numbers : merge(numbers, specials, limit)
}

const NOTHING: DoubleColumns = {
  count: 0,
  times: new Float64Array(0),
  values: new Float64Array(0),
}

function doublesOf({ count, times, numbers, texts }: SampleColumns): DoubleColumns {
  for (let at = 0; texts !== undefined && at < count; at += 1) {
    const text = texts[at]
    if (text !== undefined) numbers[at] = Number(text)
  }
  return { count, times, values: numbers }
}

/** Where both are at one time the number counts: a special value that came later has removed it. */
function merge(numbers: DoubleColumns, specials: SampleColumns, limit: number): DoubleColumns {
  const room = Math.min(numbers.count + specials.count, limit)
  const times = new Float64Array(room)
  const values = new Float64Array(room)
  const words = new Uint32Array(values.buffer)
  let [count, number, special] = [0, 0, 0]
  while (count < room) {
    const numberTime = number < numbers.count ? numbers.times[number] : Number.POSITIVE_INFINITY
    const specialTime =
      special < specials.count ? specials.times[special] : Number.POSITIVE_INFINITY
    if (numberTime === Number.POSITIVE_INFINITY && specialTime === Number.POSITIVE_INFINITY) break
    times[count] = Math.min(numberTime, specialTime)
    if (numberTime <= specialTime) {
      values[count] = numbers.values[number]
      number += 1
      if (numberTime === specialTime) special += 1
    } else {
      writeSpecial(words, count, specials.numbers[special])
      special += 1
    }
    count += 1
  }
  return { count, times: times.subarray(0, count), values: values.subarray(0, count) }
}
