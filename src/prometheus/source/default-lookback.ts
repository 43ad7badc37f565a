import type { Catalog } from '../../catalog/index.ts'
import { baseCycleOf } from '../../feed/index.ts'
import { PROMQL_LOOKBACK_MS } from '../../promql/plain.ts'
import type { StreamHandle } from '../../store/index.ts'
import { ALL_PERIODS, type Cycle } from '../../time/index.ts'

/** Periods of a base cycle among which the longest is looked for: two years of months. */
const PERIODS_LOOKED_AT = 24

/** The longest period of a base cycle, by the cycle. */
const longest = new WeakMap<Cycle, number>()

/** How long a sample stands for the time after it: 5 minutes, or twice the base interval if that is longer. */
export function defaultLookback({ index }: Catalog, handle: StreamHandle, now: number): number {
  if (index.gridOf(handle) === '') return PROMQL_LOOKBACK_MS
  const cycle = baseCycleOf(index, handle)
  if (cycle === undefined) return PROMQL_LOOKBACK_MS
  return Math.max(PROMQL_LOOKBACK_MS, 2 * longestPeriod(cycle, now))
}

function longestPeriod(cycle: Cycle, now: number): number {
  if (cycle.fixedMs !== undefined) return cycle.fixedMs
  const known = longest.get(cycle)
  if (known !== undefined) return known
  const range = { from: ALL_PERIODS.from, until: now }
  const { count, froms, untils } = cycle.periods(range, PERIODS_LOOKED_AT)
  let ms = 0
  for (let at = 0; at < count; at++) ms = Math.max(ms, untils[at] - froms[at])
  longest.set(cycle, ms)
  return ms
}
