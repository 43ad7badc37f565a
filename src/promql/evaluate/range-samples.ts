import type { StepGrid } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'
import type { MatrixNode, SubqueryNode } from '../syntax/query-node.ts'
import { cutWindows } from '../windows/sample-windows.ts'
import { type Evaluation, shiftedGrid, stepTime } from './evaluation.ts'
import { findSeries } from './find-series.ts'
import { readBlocks } from './read-blocks.ts'
import { subquerySamples } from './subquery.ts'

interface RangeSeries {
  readonly labels: SeriesLabels
  readonly times: Float64Array
  readonly values: Float64Array
}

/** The samples of a range vector that is evaluated at one time. */
export async function rangeSamples(
  evaluation: Evaluation,
  node: MatrixNode | SubqueryNode,
  grid: StepGrid,
): Promise<RangeSeries[]> {
  if (node.kind === 'subquery') {
    const series = await subquerySamples(evaluation, node, shiftedGrid(evaluation, node, grid))
    return series
      .map(({ labels, samples }) => ({ labels, ...samples }))
      .filter(({ times }) => times.length > 0)
  }
  const { selector, rangeMs } = node
  const dataGrid = shiftedGrid(evaluation, selector, grid)
  const until = stepTime(dataGrid, 0)
  const series = await findSeries(evaluation, selector.matchers, { from: until - rangeMs, until })
  const found: RangeSeries[] = []
  const checkStop = (): void => evaluation.checkStop()
  await readBlocks(evaluation, { series, grid: dataGrid, reachMs: rangeMs }, (index, samples) => {
    const frame = { count: 1, firstEnd: until, stepMs: 0, rangeMs, checkStop }
    const { times, values, lows, highs } = cutWindows(samples, frame)
    if (highs[0] === lows[0]) return
    evaluation.memory.hold(highs[0] - lows[0])
    found.push({
      labels: series[index].labels,
      times: times.slice(lows[0], highs[0]),
      values: values.slice(lows[0], highs[0]),
    })
  })
  return found
}
