import { compareForQuantile } from '../series/quantile-of.ts'
import { emptySeries, hasValues, type StepSeries } from '../series/step-series.ts'
import type { SeriesGroup } from './group-series.ts'
import { ValueHeap } from './value-heap.ts'

/** An insertion sort beyond this many elements would be slow; Go sorts longer lists in an order of its own, too. */
const EXACT_TIES_MAX = 64

interface Choice {
  readonly operation: 'topk' | 'bottomk' | 'limitk'
  /** How many elements of each group stay at each step. */
  readonly counts: Float64Array
}

/**
 * `topk`, `bottomk`, and `limitk`: some elements of each group with their own labels. For a single step, the best come
 * first.
 */
export function chooseSeries(
  series: readonly StepSeries[],
  groups: readonly SeriesGroup[],
  { operation, counts }: Choice,
): StepSeries[] {
  const steps = counts.length
  const kept = new Map<number, StepSeries>()
  const keep = (index: number, step: number): void => {
    let row = kept.get(index)
    if (row === undefined) {
      row = emptySeries(series[index].labels, steps)
      kept.set(index, row)
    }
    row.values[step] = series[index].values[step]
    row.present[step] = 1
  }
  for (const { members } of groups) {
    for (let step = 0; step < steps; step++) {
      const count = Math.min(Math.trunc(counts[step]), series.length)
      if (count < 1) continue
      const present = members.filter((index) => series[index].present[step] === 1)
      const chosen =
        operation === 'limitk'
          ? present.slice(0, count)
          : bestOf(present, { count, isTop: operation === 'topk', series, step })
      for (const index of chosen) keep(index, step)
    }
  }
  return [...kept.values()].filter(hasValues)
}

function bestOf(
  indexes: readonly number[],
  best: {
    readonly count: number
    readonly isTop: boolean
    readonly series: readonly StepSeries[]
    readonly step: number
  },
): number[] {
  const { count, isTop, series, step } = best
  const valueAt = (index: number): number => series[index].values[step]
  if (count > EXACT_TIES_MAX) {
    const sign = isTop ? -1 : 1
    return [...indexes].sort((a, b) => rank(valueAt(a), valueAt(b)) * sign || 0).slice(0, count)
  }
  const heap = new ValueHeap(count, isTop)
  for (const index of indexes) heap.offer(valueAt(index), index)
  return heap.take()

  function rank(a: number, b: number): number {
    // NaNs come last in either direction.
    if (Number.isNaN(a) || Number.isNaN(b)) {
      return (Number(Number.isNaN(a)) - Number(Number.isNaN(b))) * (isTop ? -1 : 1)
    }
    return compareForQuantile(a, b)
  }
}
