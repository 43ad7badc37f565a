import { PROMQL_SUBQUERY_STEP_MS } from '../promql-limits.ts'
import type { StepGrid, StepSeries } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'
import type { SubqueryNode } from '../syntax/query-node.ts'
import { type Evaluation, evaluateVector, stepTime, tooManySamples } from './evaluation.ts'
import type { SampleColumn } from './read-blocks.ts'

interface SubquerySeries {
  readonly labels: SeriesLabels
  readonly samples: SampleColumn
}

/** The results of a subquery as samples, enough for windows that end at the times of a grid. */
export async function subquerySamples(
  evaluation: Evaluation,
  node: SubqueryNode,
  ends: StepGrid,
): Promise<SubquerySeries[]> {
  const stepMs = node.stepMs === 0 ? PROMQL_SUBQUERY_STEP_MS : node.stepMs
  const begin = ends.start - node.rangeMs
  // Steps lie at multiples of their length; the first is after the beginning of the range.
  let start = stepMs * Math.trunc(begin / stepMs)
  if (start <= begin) start += stepMs
  const last = stepTime(ends, ends.count - 1)
  const count = Math.floor((last - start) / stepMs) + 1
  if (count <= 0) return []
  if (count > evaluation.memory.free) throw tooManySamples()
  const grid = { start, stepMs, count }
  const series = await evaluateVector(evaluation, node.inner, grid)
  return series.map((one) => ({ labels: one.labels, samples: samplesOf(one, grid) }))
}

function samplesOf({ values, present }: StepSeries, grid: StepGrid): SampleColumn {
  const times = new Float64Array(grid.count)
  const kept = new Float64Array(grid.count)
  let count = 0
  for (let step = 0; step < grid.count; step++) {
    if (present[step] === 0) continue
    times[count] = stepTime(grid, step)
    kept[count] = values[step]
    count++
  }
  return { times: times.subarray(0, count), values: kept.subarray(0, count) }
}
