/** Samples that stand while a timer changes states. */
import type { Catalog } from '../../catalog/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { StateChange } from '../state/change.ts'
import { valueText } from './span-samples.ts'
import type { StateTable } from './state-table.ts'
import type { WatchList } from './watch-list.ts'

interface StandingDeps {
  readonly index: Catalog['index']
  readonly store: SampleStore
  readonly states: StateTable
  readonly watches: WatchList
}

const LATEST_AT_ONCE = 1_000

/**
 * The changes, of which those by a timer name the last evaluated sample: that is the one that stands. The state before
 * names the sample that began it, and those after it are not kept.
 */
export async function nameStanding(
  { index, store, states, watches }: StandingDeps,
  changes: readonly StateChange[],
): Promise<StateChange[]> {
  const named = [...changes]
  const timed: { readonly at: number; readonly handle: StreamHandle }[] = []
  for (const [at, { event, loaded, names }] of changes.entries()) {
    if (event?.cause !== 'timer' || !index.hasLivingUid(names.streamUid)) continue
    const handle = index.streamByUid(loaded.alert.orgUid, names.streamUid)
    timed.push({ at, handle: handle as StreamHandle })
  }
  for (let from = 0; from < timed.length; from += LATEST_AT_ONCE) {
    const some = timed.slice(from, from + LATEST_AT_ONCE)
    const latest = await store.latest(some.map(({ handle }) => handle))
    for (const [place, { at, handle }] of some.entries()) {
      const sample = latest[place]
      // A sample that arrived meanwhile is not evaluated yet.
      if (sample === undefined || sample.time !== watches.table.lastTimeOf(handle)) continue
      const value = valueText(sample.value, index.valueCodeOf(handle))
      named[at] = states.nameSample(named[at], handle, { sampleTime: sample.time, value })
    }
  }
  return named
}
