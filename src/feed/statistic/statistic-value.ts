import { unreachable } from '../../base/index.ts'
import type { Summaries } from '../../store/index.ts'
import { type Cycle, countIntervals, type Range } from '../../time/index.ts'

/** The value of a statistic: null where nothing defines one. */
export type StatisticValue = number | string | null

/** The statistics that speak of the samples of a period: null when it has none that can. */
export function valueStatistic(
  statistic: 'first' | 'last' | 'min' | 'max' | 'avg' | 'sum' | 'minoccurrence' | 'maxoccurrence',
  summaries: Summaries,
  entry: number,
): StatisticValue {
  if (entry < 0) return null
  if (statistic === 'first') return summaries.first[entry]
  if (statistic === 'last') return summaries.last[entry]
  if (summaries.numberCount[entry] === 0) return null
  switch (statistic) {
    case 'min':
      return summaries.min[entry]
    case 'max':
      return summaries.max[entry]
    case 'sum':
      return finite(summaries.sum[entry])
    case 'avg':
      return summaries.mean[entry]
    case 'minoccurrence':
      return summaries.minTime[entry]
    case 'maxoccurrence':
      return summaries.maxTime[entry]
    default:
      return unreachable(statistic)
  }
}

/** A sum beyond the greatest double has no value that JSON could carry. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** What the counts of a period are made of. */
interface CountFacts {
  readonly period: Range
  /** Samples (random), or base intervals with a value (interval stream). */
  readonly sampleCount: number
  readonly baseCycle: Cycle | undefined
}

/** The statistics that count; nongapmilliseccount of uneven base intervals is measured elsewhere. */
export function countStatistic(
  statistic: 'gapcount' | 'nongapcount' | 'intvlcount' | 'milliseccount' | 'nongapmilliseccount',
  { period, sampleCount, baseCycle }: CountFacts,
): number {
  switch (statistic) {
    case 'nongapcount':
      return baseCycle === undefined ? sampleCount : filledIntervals(baseCycle, period, sampleCount)
    case 'milliseccount':
      return period.until - period.from
    case 'gapcount':
      if (baseCycle === undefined) return 0
      // Past and to come: with those that have a value they are all intervals of the period.
      return countIntervals(baseCycle, period) - filledIntervals(baseCycle, period, sampleCount)
    case 'intvlcount':
      return baseCycle === undefined ? sampleCount : countIntervals(baseCycle, period)
    case 'nongapmilliseccount':
      if (baseCycle === undefined) return sampleCount > 0 ? period.until - period.from : 0
      return sampleCount * (baseCycle.fixedMs ?? Number.NaN)
    default:
      return unreachable(statistic)
  }
}

/** Samples lie one in an interval; only another zone database could place two into the same. */
function filledIntervals(baseCycle: Cycle, period: Range, sampleCount: number): number {
  return Math.min(sampleCount, countIntervals(baseCycle, period))
}
