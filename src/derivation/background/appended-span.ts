import { epochMs, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { Range } from '../../time/index.ts'
import type { DerivationPlan } from '../derivation-plan.ts'
import { sourcesKey } from '../derive-stream.ts'
import type { StatusBook } from '../status-book.ts'
import type { PendingUpdates } from './pending-updates.ts'

interface AppendedDeps {
  readonly store: Pick<SampleStore, 'latest' | 'range'>
  readonly status: StatusBook
}

/** What appends to sources come to. */
interface Appended {
  /** Results that may differ by them; empty where nothing was appended. */
  readonly span: Range
  /** Up to where each source that was appended to is derived with them. */
  readonly fronts: ReadonlyMap<StreamHandle, number>
}

/**
 * The results of a stream that samples may change which sources got behind those that are derived already. What was
 * put late or over others lies before, and is left alone; so is what a source had before it was first appended to.
 */
export async function appendedSpan(
  { status, store }: AppendedDeps,
  plan: DerivationPlan,
  sources: readonly StreamHandle[],
  pending: PendingUpdates,
): Promise<Appended> {
  const { leftAlone: left } = plan
  // Before anything is read: what is put meanwhile is left to the run that it asks for.
  const newest = await store.latest(sources, { isTimesOnly: true })
  const known = await status.frontsOf(plan.handle, sources)
  const firsts = sources.map(
    (handle) => pending.spansOf(handle)[0]?.from ?? Number.POSITIVE_INFINITY,
  )
  const touchedFrom = Math.min(...firsts)
  const start = Number.isFinite(touchedFrom)
    ? await status.startOf(plan.handle, touchedFrom, sourcesKey(plan))
    : touchedFrom
  const fronts = new Map<StreamHandle, number>()
  let from: number = TIME_END
  for (const [at, handle] of sources.entries()) {
    const last = newest[at]?.time
    const first = Number.isFinite(firsts[at]) ? Math.min(firsts[at], start) - 1 : undefined
    const front = pending.fronts.get(handle) ?? later(known.get(handle), left.get(handle)) ?? first
    if (last === undefined || front === undefined || last <= front) continue
    fronts.set(handle, last)
    from = Math.min(from, await firstChange(store, plan, { handle, front }))
  }
  return { span: { from, until: TIME_END }, fronts }
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}

/** The earliest result that samples of a source behind a time may change. */
async function firstChange(
  store: AppendedDeps['store'],
  { result, variables }: DerivationPlan,
  { handle, front }: { readonly handle: StreamHandle; readonly front: number },
): Promise<number> {
  const source = variables.find((variable) => variable.handle === handle)?.source
  if (result.kind === 'interval' || source === undefined) return front + 1
  const { count, times } = await store.range(handle, {
    from: epochMs(front + 1),
    until: TIME_END,
    limit: 1,
    isTimesOnly: true,
    order: 'oldest_first',
  })
  const first = count === 0 ? front + 1 : times[0]
  if (source.cycle === undefined) return first
  // Up to its next sample an interval stream has gaps.
  return Math.min(first, source.cycle.periodOf(front)?.until ?? front + 1)
}
