import type { Principal } from '../access/index.ts'
import { type Clock, EARLIEST_TIME, epochMs, TIME_END } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { Removal, SampleStore } from '../store/index.ts'
import { findStreams, type OneStreamPath } from './find-streams.ts'
import { endsOf } from './get/read-samples.ts'
import type { AssignedTimes } from './put/assigned-times.ts'
import { baseCycleOf } from './stream-facts.ts'

/** Called with samples that were removed from a stream on request, once that is durable. */
export type SamplesRemoved = (removal: Removal, orgUid: string) => void | Promise<void>

/** What deleting works with. */
interface DeleteDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly onRemoved: SamplesRemoved
  readonly assignedTimes: AssignedTimes
  readonly clock: Clock
}

/** Called before samples are removed, once nothing can fail. They stay when it rejects. */
export type BeforeRemoval = () => Promise<void>

/** Which samples of which stream to take out: those that a GET of the range shows. */
export type DeleteCommand = OneStreamPath & {
  readonly from: number
  readonly until: number
}

/**
 * Takes a range out of a stream, durably. Of an interval stream those samples go whose interval
 * overlaps the range, so that a GET of the same range shows exactly what a delete will take.
 */
export async function deleteFeed(
  deps: DeleteDeps,
  principal: Principal,
  command: DeleteCommand,
  beforeRemoval?: BeforeRemoval,
): Promise<void> {
  const { catalog, store } = deps
  const [handle] = findStreams(catalog.index, principal, command, 'DELETE').handles
  if (command.from === command.until) return
  const cycle = baseCycleOf(catalog.index, handle)
  const asked = cycle === undefined ? command : endsOf(cycle, command)
  const from = epochMs(Math.max(asked.from, EARLIEST_TIME))
  const until = epochMs(Math.min(asked.until, TIME_END))
  if (from >= until) return
  const removal = { handle, from, until }
  await beforeRemoval?.()
  await store.remove(removal)
  deps.assignedTimes.forgetAhead(handle, command, deps.clock.now())
  await deps.onRemoved(removal, principal.orgUid)
}
