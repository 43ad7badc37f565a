import { EARLIEST_TIME, epochMs, TIME_END } from '../base/index.ts'
import type { SampleStore, StreamHandle } from '../store/index.ts'
import type { DerivationPlan } from './derivation-plan.ts'

/**
 * Where the first sample of a source lies that came after those which a formula leaves alone; undefined while there is
 * none. It follows from stored data alone: the same before and after a crash.
 */
export async function firstAppend(
  store: Pick<SampleStore, 'range'>,
  { leftAlone, variables }: Pick<DerivationPlan, 'leftAlone' | 'variables'>,
): Promise<number | undefined> {
  const first = async (handle: StreamHandle): Promise<number[]> => {
    const left = leftAlone.get(handle)
    const { count, times } = await store.range(handle, {
      from: left === undefined ? EARLIEST_TIME : epochMs(left + 1),
      until: TIME_END,
      limit: 1,
      isTimesOnly: true,
      order: 'oldest_first',
    })
    return count === 0 ? [] : [times[0]]
  }
  const handles = new Set(variables.map(({ handle }) => handle))
  const times = (await Promise.all([...handles].map(first))).flat()
  return times.length === 0 ? undefined : Math.min(...times)
}
