import { EARLIEST_TIME } from '../base/index.ts'
import { type Feed, keptFrom } from '../feed/index.ts'
import type { SampleStore } from '../store/index.ts'
import { untouchedTimes } from './background/untouched-times.ts'
import { widenSpan } from './background/widen-span.ts'
import type { DerivationPlan } from './derivation-plan.ts'

/**
 * The time up to which the results of a stream are kept, exclusive. Samples they may depend on have been deleted by a
 * delete profile, so a recalculation would give other results.
 */
export async function lastingUntil(
  { feed, store }: { readonly feed: Feed; readonly store: SampleStore },
  plan: DerivationPlan,
): Promise<number> {
  const times = untouchedTimes({ store, touchedOf: () => [] })
  let until: number = EARLIEST_TIME
  for (const handle of new Set(plan.variables.map((variable) => variable.handle))) {
    const rule = await feed.retention.ruleOf(handle)
    if (rule === undefined) continue
    const aged = { handle, from: EARLIEST_TIME, until: keptFrom(rule, feed.now()) }
    until = Math.max(until, (await widenSpan(plan, aged, times)).until)
  }
  if (until <= EARLIEST_TIME) return EARLIEST_TIME
  // Where it has none yet, what is left is all there will ever be.
  const [newest] = await store.latest([plan.handle], { isTimesOnly: true })
  return newest === undefined ? EARLIEST_TIME : Math.min(until, newest.time + 1)
}
