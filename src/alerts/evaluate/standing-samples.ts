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
  readonly onFailure: (error: unknown) => void
}

const LATEST_AT_ONCE = 1_000

/**
 * Lets changes by a timer name the last evaluated sample of their stream, instead of the sample that began the state.
 * Where samples cannot be read, changes stay as they are: a damaged stream must not hold back alerts.
 */
export async function nameStanding(
  { index, store, states, watches, onFailure }: StandingDeps,
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
    const reading = store.latest(some.map(({ handle }) => handle))
    const latest = await reading.catch((error: unknown) => {
      onFailure(error)
      return []
    })
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
