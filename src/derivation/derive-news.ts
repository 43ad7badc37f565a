import { epochMs, TIME_END } from '../base/index.ts'
import type { StreamHandle } from '../store/index.ts'
import type { DerivationWorker } from './background/derivation-worker.ts'
import { deriveTouched, type UpdateDeps } from './background/derive-pending.ts'
import { PendingUpdates } from './background/pending-updates.ts'
import type { DerivationGraph, DerivationPlan } from './derivation-plan.ts'
import { type DeriveControl, deriveAppended, sourcesKey } from './derive-stream.ts'

interface NewsDeps extends UpdateDeps {
  readonly graph: DerivationGraph
  readonly worker: Pick<DerivationWorker, 'earliestTouch' | 'openTouches'>
}

/** What a call asks of what is derived within it. */
interface NewsControl extends DeriveControl {
  /** How long the call may wait for others. */
  msLeft(): number
}

interface NewsResult {
  /** From where on the stream is another; undefined where it is the same. */
  readonly changedFrom: number | undefined
}

const NOTHING: NewsResult = { changedFrom: undefined }

/**
 * Derives what news of sources, each from a time on, make of a stream, within the call that brought them. A first
 * call must not pass by what was put before it and is still to be derived: where that is too much it is all left
 * to the background, as corrections are.
 */
export async function deriveNews(
  deps: NewsDeps,
  plan: DerivationPlan,
  news: ReadonlyMap<StreamHandle, number>,
  control: NewsControl,
): Promise<NewsResult> {
  const work = () => deriveLocked(deps, plan, news, control)
  return (await deps.mutex.runWithin([plan.handle], control.msLeft(), work)) ?? NOTHING
}

async function deriveLocked(
  deps: NewsDeps,
  plan: DerivationPlan,
  news: ReadonlyMap<StreamHandle, number>,
  control: DeriveControl,
): Promise<NewsResult> {
  const { graph, status, worker } = deps
  const from = Math.min(...news.values())
  if (plan.followsCorrections || !graph.isRevised(plan.handle)) {
    const isBegun = await status.hasStart(plan.handle, sourcesKey(plan))
    const earlier = isBegun ? from : await worker.earliestTouch(graph.sourcesOf(plan.handle))
    if (earlier === undefined) return NOTHING
    return await deriveAppended(deps, plan, Math.min(from, earlier), control)
  }
  const pending = new PendingUpdates()
  for (const [handle, first] of news) pending.add({ handle, from: epochMs(first), until: TIME_END })
  const sources = graph.sourcesOf(plan.handle)
  if ((await status.frontsOf(plan.handle, sources)).size < sources.length) {
    const open = await worker.openTouches(sources)
    if (open === undefined) return NOTHING
    for (const span of open) pending.add(span)
  }
  const touchedSince = (handles: readonly StreamHandle[]) => worker.openTouches(handles)
  return await deriveTouched(deps, plan, pending, { ...control, touchedSince })
}
