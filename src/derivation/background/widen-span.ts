/** From where a source was touched to where a stream that is derived from it may be another. */
import { EARLIEST_TIME, TIME_END } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { Cycle, Range } from '../../time/index.ts'
import type { DerivationPlan, PlanVariable } from '../derivation-plan.ts'

/** Where samples of a stream lie that are the same before and after the touch. */
export interface SampleTimes {
  /** The time of the nth sample at or after a time, counted from 1. */
  nthFrom(handle: StreamHandle, time: number, nth: number): Promise<number | undefined>
  latestBefore(handle: StreamHandle, time: number): Promise<number | undefined>
}

/**
 * The results that may differ after a source was touched; others cannot. It may be wider: what lies in it
 * is derived again and compared.
 */
export async function widenSpan(
  plan: Pick<DerivationPlan, 'result' | 'trigger' | 'variables'>,
  touched: Range & { readonly handle: StreamHandle },
  times: SampleTimes,
): Promise<Range> {
  const { handle } = touched
  const { result } = plan
  const variables = plan.variables.filter((variable) => variable.handle === handle)
  const before = await times.latestBefore(handle, touched.from)
  const after = await times.nthFrom(handle, touched.until, 1)
  // Before its first sample a stream has no gaps, nor intervals that it has passed.
  const end = before === undefined ? (after ?? TIME_END) : touched.until
  let from = touched.from
  const hasGaps = variables.some(({ source }) => source.kind === 'interval')
  if (after === undefined && (hasGaps || result.kind === 'interval')) {
    from = before === undefined ? EARLIEST_TIME : before + 1
  }
  let until = end
  for (const variable of variables) {
    if (until >= TIME_END) break
    until = Math.max(until, await reachOf(plan, variable, { end, times }))
  }
  return { from: Math.max(from, EARLIEST_TIME), until: Math.min(until, TIME_END) }
}

interface Touch {
  /** Up to here, exclusive, samples of the source may differ. */
  readonly end: number
  readonly times: SampleTimes
}

/** Up to where, exclusive, results may see a difference through a variable. */
async function reachOf(
  { result, trigger }: Pick<DerivationPlan, 'result' | 'trigger'>,
  { handle, offset, window }: PlanVariable,
  { end, times }: Touch,
): Promise<number> {
  const isAny = trigger === 'ANY'
  const back = -offset
  const last = end - 1
  if (result.kind === 'interval') {
    const own = endOfPeriods(result.cycle, last, 0) + 1
    if (window !== undefined) return Math.max(own, endOfPeriods(window.cycle, last, back) + 1)
    // Where it has no sample of its own an interval takes the latest one before.
    const next = isAny ? await times.nthFrom(handle, end, 1) : last
    return next === undefined ? TIME_END : endOfPeriods(result.cycle, next, back) + 1
  }
  if (window !== undefined) return Math.max(end, endOfPeriods(window.cycle, last, back) + 1)
  const nth = isAny ? back + 1 : back
  if (nth === 0) return end
  const seenLast = await times.nthFrom(handle, end, nth)
  if (seenLast === undefined) return TIME_END
  return isAny ? seenLast : seenLast + 1
}

/** The end of the period that holds an instant, or of the next one if none does; `later` counts further periods. */
function endOfPeriods(cycle: Cycle, at: number, later: number): number {
  let period = cycle.periodOf(at) ?? cycle.next(at)
  if (period === undefined) return TIME_END
  if (cycle.fixedMs !== undefined) return period.until + later * cycle.fixedMs
  for (let step = 0; step < later; step += 1) {
    period = cycle.next(period.from)
    if (period === undefined || period.until >= TIME_END) return TIME_END
  }
  return period.until
}
