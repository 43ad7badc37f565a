import { EARLIEST_TIME, epochMs, type KeyedMutex, TIME_END } from '../../base/index.ts'
import { keptFrom } from '../../feed/index.ts'
import type { StreamHandle, TouchedSpan } from '../../store/index.ts'
import type { Range } from '../../time/index.ts'
import type { DerivationGraph, DerivationPlan } from '../derivation-plan.ts'
import {
  type DeriveControl,
  type DeriveDeps,
  deriveAgain,
  deriveAppended,
} from '../derive-stream.ts'
import { firstAppend } from '../first-append.ts'
import { appendedSpan } from './appended-span.ts'
import { PendingUpdates } from './pending-updates.ts'
import { untouchedTimes } from './untouched-times.ts'
import { widenSpan } from './widen-span.ts'

/** How often is looked whether more was touched meanwhile, before it is taken as touched to the end. */
const LOOKS_MAX = 5

/** What dues are derived with. */
export interface UpdateDeps extends DeriveDeps {
  readonly graph: Pick<DerivationGraph, 'isRevised'>
  /** One run of a stream at a time: of two at once the one that has read less might store last. */
  readonly mutex: KeyedMutex<StreamHandle>
}

/** What a run asks of the worker. */
interface PendingControl extends DeriveControl {
  /** Spans changed since the pending updates were read; undefined when there are too many. */
  touchedSince(handles: readonly StreamHandle[]): Promise<readonly TouchedSpan[] | undefined>
}

/** How deriving of dues ended. */
interface PendingResult {
  /** False: it was ended before it was through. */
  readonly isThrough: boolean
  /** The earliest time at which the stream is another; undefined where it is the same. */
  readonly changedFrom: number | undefined
}

/**
 * Derives what touched sources of a stream ask for: what was appended, or, where it follows corrections,
 * all that may differ; after any run in progress on the stream.
 */
export function derivePending(
  deps: UpdateDeps,
  plan: DerivationPlan,
  pending: PendingUpdates,
  control: PendingControl,
): Promise<PendingResult> {
  return deps.mutex.run([plan.handle], () => deriveTouched(deps, plan, pending, control))
}

/** As derivePending, for who has the stream's turn. */
export async function deriveTouched(
  deps: UpdateDeps,
  plan: DerivationPlan,
  pending: PendingUpdates,
  control: PendingControl,
): Promise<PendingResult> {
  if (plan.followsCorrections) {
    const handles = sourcesOf(plan)
    pending.settle(await differingBy(deps, plan, pending, { control, handles }))
    return await deriveResults(deps, plan, pending, control)
  }
  if (deps.graph.isRevised(plan.handle)) {
    return await deriveRevised(deps, plan, pending, control)
  }
  const { isThrough, until, changedFrom } = await deriveAppended(deps, plan, pending.from, control)
  if (!isThrough) pending.appendedTo(until)
  return { isThrough, changedFrom }
}

/**
 * Derives a stream whose results appends may change: of sources that only grow, what lies behind all that is derived;
 * of those that are revised themselves, whatever was touched.
 */
async function deriveRevised(
  deps: UpdateDeps,
  plan: DerivationPlan,
  pending: PendingUpdates,
  control: PendingControl,
): Promise<PendingResult> {
  const sources = sourcesOf(plan)
  const revised = new Set(sources.filter((handle) => deps.graph.isRevised(handle)))
  const growing = sources.filter((handle) => !revised.has(handle))
  const { span, fronts } = await appendedSpan(deps, plan, growing, pending)
  const changed = new PendingUpdates()
  for (const { handle, from, until } of pending.touched()) {
    if (revised.has(handle)) changed.add({ handle, from: epochMs(from), until: epochMs(until) })
  }
  const differing = await differingBy(deps, plan, changed, { control, handles: [...revised] })
  const first = plan.leftAlone.size === 0 ? EARLIEST_TIME : await firstAppend(deps.store, plan)
  const results = [span, ...differing].map(({ from, until }) => ({
    from: Math.max(from, first ?? until),
    until,
  }))
  pending.settle(results, fronts)
  const result = await deriveResults(deps, plan, pending, control)
  // Only what is stored counts after a crash.
  if (result.isThrough) await deps.status.noteFronts(plan.handle, growing, pending.fronts)
  return result
}

async function deriveResults(
  deps: DeriveDeps,
  plan: DerivationPlan,
  pending: PendingUpdates,
  control: DeriveControl,
): Promise<PendingResult> {
  let changedFrom: number | undefined
  for (const span of pending.results) {
    const result = await deriveAgain(deps, plan, span, control)
    changedFrom ??= result.changedFrom
    pending.passTo(result.isThrough ? span.until : result.until)
    if (!result.isThrough) return { isThrough: false, changedFrom }
  }
  return { isThrough: true, changedFrom }
}

function sourcesOf({ variables }: DerivationPlan): StreamHandle[] {
  return [...new Set(variables.map(({ handle }) => handle))]
}

interface Look {
  readonly control: PendingControl
  /** The sources of which every touch counts. */
  readonly handles: readonly StreamHandle[]
}

/**
 * The results that may differ by what was touched. A source that is touched further while it is looked at would
 * show samples that say nothing of what was there before, so then it is looked at again.
 */
async function differingBy(
  deps: DeriveDeps,
  plan: DerivationPlan,
  pending: PendingUpdates,
  { control, handles }: Look,
): Promise<readonly Range[]> {
  if (handles.length === 0) return []
  for (let looks = 1; looks < LOOKS_MAX; looks += 1) {
    const results = await resultsOf(deps, plan, pending)
    const further = await control.touchedSince(handles)
    if (further?.every((span) => pending.covers(span)) === true) return results
    for (const span of further ?? []) pending.add(span)
  }
  for (const { handle, from } of [...pending.touched()]) {
    pending.add({ handle, from: epochMs(from), until: TIME_END })
  }
  return await resultsOf(deps, plan, pending)
}

async function resultsOf(
  { feed, store }: DeriveDeps,
  plan: DerivationPlan,
  pending: PendingUpdates,
): Promise<readonly Range[]> {
  const times = untouchedTimes({ store, touchedOf: (handle) => pending.spansOf(handle) })
  const results: Range[] = []
  for (const touched of pending.touched()) {
    // Samples that only grew too old are not corrected: what was derived of them stays.
    const rule = await feed.retention.ruleOf(touched.handle)
    const from = rule === undefined ? touched.from : keptFrom(rule, feed.now())
    const kept = { ...touched, from: Math.max(touched.from, from) }
    if (kept.from < kept.until) results.push(await widenSpan(plan, kept, times))
  }
  return results
}
