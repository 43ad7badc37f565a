/** The times of the newest results that a derived stream may have, without evaluating any. */
import { EARLIEST_TIME, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { Cycle } from '../../time/index.ts'
import type { DerivationPlan } from '../derivation-plan.ts'
import { settledBy } from '../derive-stream.ts'
import { endBefore } from '../evaluate/interval-walk.ts'

/** The newest times, newest first, up to a limit. A time has no result when the sources have no common sample. */
export async function newestTimes(
  store: SampleStore,
  plan: DerivationPlan,
  limit: number,
): Promise<number[]> {
  const handles = [...new Set(plan.variables.map(({ handle }) => handle))]
  if (plan.result.kind === 'interval') {
    const newest = await store.latest(handles, { isTimesOnly: true })
    const settled = settledBy(plan, newest)
    return settled === undefined ? [] : endsBefore(plan.result.cycle, settled, limit)
  }
  const columns: (readonly number[])[] = []
  for (const handle of handles) columns.push(await timesOf(store, handle, limit))
  if (plan.trigger === 'ANY') {
    return [...new Set(columns.flat())].sort((a, b) => b - a).slice(0, limit)
  }
  // Every result lies at a sample of the source that has the fewest.
  return [...columns].sort(bySparseness)[0] as number[]
}

function bySparseness(a: readonly number[], b: readonly number[]): number {
  return a.length - b.length || (a.at(-1) ?? 0) - (b.at(-1) ?? 0)
}

async function timesOf(store: SampleStore, handle: StreamHandle, limit: number): Promise<number[]> {
  const { times, count } = await store.range(handle, {
    from: EARLIEST_TIME,
    until: TIME_END,
    limit,
    order: 'latest_first',
    isTimesOnly: true,
  })
  return [...times.subarray(0, count)]
}

function endsBefore(cycle: Cycle, time: number, limit: number): number[] {
  const ends: number[] = []
  let end = endBefore(cycle, time)
  while (end !== undefined && end >= EARLIEST_TIME && ends.length < limit) {
    ends.push(end)
    end = endBefore(cycle, end)
  }
  return ends
}
