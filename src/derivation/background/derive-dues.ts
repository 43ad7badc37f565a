import { epochMs, TIME_END } from '../../base/index.ts'
import { keptFrom } from '../../feed/index.ts'
import type { StreamHandle, TouchedSpan } from '../../store/index.ts'
import type { Range } from '../../time/index.ts'
import type { DerivationPlan } from '../derivation-plan.ts'
import {
  type DeriveControl,
  type DeriveDeps,
  deriveAgain,
  deriveAppended,
} from '../derive-stream.ts'
import type { StreamDues } from './stream-dues.ts'
import { untouchedTimes } from './untouched-times.ts'
import { widenSpan } from './widen-span.ts'

/** How often is looked whether more was touched meanwhile, before it is taken as touched to the end. */
const LOOKS_MAX = 5

/** What a run asks of the worker. */
interface DuesControl extends DeriveControl {
  /** Where some streams were touched since the dues were told; undefined: at too many places to tell. */
  touchedSince(handles: readonly StreamHandle[]): Promise<readonly TouchedSpan[] | undefined>
}

/**
 * Derives what touched sources of a stream ask for: what was appended, or, where it follows corrections,
 * all that may differ. False: it was ended before it was through.
 */
export async function deriveDues(
  deps: DeriveDeps,
  plan: DerivationPlan,
  dues: StreamDues,
  control: DuesControl,
): Promise<boolean> {
  if (!plan.followsCorrections) {
    const { isThrough, until } = await deriveAppended(deps, plan, dues.from, control)
    if (!isThrough) dues.appendedTo(until)
    return isThrough
  }
  dues.settle(await differingBy(deps, plan, dues, control))
  for (const span of dues.results) {
    const { isThrough, until } = await deriveAgain(deps, plan, span, control)
    dues.passTo(isThrough ? span.until : until)
    if (!isThrough) return false
  }
  return true
}

/**
 * The results that may differ by what was touched. A source that is touched further while it is looked at would
 * show samples that say nothing of what was there before, so then it is looked at again.
 */
async function differingBy(
  deps: DeriveDeps,
  plan: DerivationPlan,
  dues: StreamDues,
  control: DuesControl,
): Promise<readonly Range[]> {
  const handles = [...new Set(plan.variables.map(({ handle }) => handle))]
  for (let looks = 1; looks < LOOKS_MAX; looks += 1) {
    const results = await resultsOf(deps, plan, dues)
    const further = await control.touchedSince(handles)
    if (further?.every((span) => dues.covers(span)) === true) return results
    for (const span of further ?? []) dues.add(span)
  }
  for (const { handle, from } of [...dues.touched()]) {
    dues.add({ handle, from: epochMs(from), until: TIME_END })
  }
  return await resultsOf(deps, plan, dues)
}

async function resultsOf(
  { feed, store }: DeriveDeps,
  plan: DerivationPlan,
  dues: StreamDues,
): Promise<readonly Range[]> {
  const times = untouchedTimes({ store, touchedOf: (handle) => dues.spansOf(handle) })
  const results: Range[] = []
  for (const touched of dues.touched()) {
    // Samples that only grew too old are not corrected: what was derived of them stays.
    const rule = await feed.retention.ruleOf(touched.handle)
    const from = rule === undefined ? touched.from : keptFrom(rule, feed.now())
    const kept = { ...touched, from: Math.max(touched.from, from) }
    if (kept.from < kept.until) results.push(await widenSpan(plan, kept, times))
  }
  return results
}
