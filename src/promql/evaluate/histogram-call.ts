import {
  bucketFraction,
  bucketQuantile,
  type HistogramBuckets,
} from '../functions/classic-histogram.ts'
import { groupBuckets, mapHistograms } from '../functions/histogram-functions.ts'
import { showShortest } from '../series/go-format.ts'
import { setLabel } from '../series/label-list.ts'
import { type StepGrid, type StepSeries, StepTable } from '../series/step-series.ts'
import { type FunctionNode, type QueryNode, unwrapParens } from '../syntax/query-node.ts'
import { type Evaluation, evaluateScalar, evaluateVector, stepTime } from './evaluation.ts'

/** `histogram_quantile` of classic histograms. */
export async function evaluateHistogramQuantile(
  evaluation: Evaluation,
  node: FunctionNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const [quantileNode, vectorNode] = node.args
  const quantiles = await evaluateScalar(evaluation, quantileNode, grid)
  const rows = await evaluateVector(evaluation, vectorNode, grid)
  warnQuantiles(evaluation, quantiles, quantileNode)
  const { annotations } = evaluation
  const histograms = groupBuckets(rows, { annotations, start: vectorNode.start })
  return mapHistograms(
    histograms,
    grid,
    quantileAt(evaluation, { quantiles, grid, start: vectorNode.start }),
  )
}

/** `histogram_quantiles`: several quantiles of each histogram, with the quantile as a label. */
export async function evaluateHistogramQuantiles(
  evaluation: Evaluation,
  node: FunctionNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const [vectorNode, labelNode, ...quantileNodes] = node.args
  const rows = await evaluateVector(evaluation, vectorNode, grid)
  const { annotations } = evaluation
  const { start } = vectorNode
  const histograms = groupBuckets(rows, { annotations, start })
  const label = unwrapParens(labelNode)
  const name = label.kind === 'string' ? label.value : ''
  const table = new StepTable()
  for (const quantileNode of quantileNodes) {
    const quantiles = await evaluateScalar(evaluation, quantileNode, grid)
    warnQuantiles(evaluation, quantiles, quantileNode)
    const found = mapHistograms(
      histograms,
      grid,
      quantileAt(evaluation, { quantiles, grid, start }),
    )
    for (const value of new Set(quantiles)) {
      const text = openMetricsNumber(value)
      for (const row of found) {
        evaluation.checkStop()
        evaluation.memory.hold(grid.count)
        const present = row.present.map((has, step) =>
          isSameNumber(quantiles[step], value) ? has : 0,
        )
        table.add({ ...row, labels: setLabel(row.labels, name, text), present })
      }
    }
  }
  return table.rows()
}

/** Whether both are equal, or both are NaN. A Set knows no -0. */
function isSameNumber(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

/** A number as OpenMetrics writes it: whole numbers with a decimal point. */
function openMetricsNumber(value: number): string {
  const text = showShortest(value)
  return /[.eIN]/.test(text) ? text : `${text}.0`
}

/** `histogram_fraction` of classic histograms. */
export async function evaluateHistogramFraction(
  evaluation: Evaluation,
  node: FunctionNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const [lowerNode, upperNode, vectorNode] = node.args
  const lower = await evaluateScalar(evaluation, lowerNode, grid)
  const upper = await evaluateScalar(evaluation, upperNode, grid)
  const rows = await evaluateVector(evaluation, vectorNode, grid)
  const { annotations } = evaluation
  const histograms = groupBuckets(rows, { annotations, start: vectorNode.start })
  return mapHistograms(histograms, grid, (buckets, step) =>
    bucketFraction(lower[step], upper[step], buckets),
  )
}

function quantileAt(
  evaluation: Evaluation,
  at: { readonly quantiles: Float64Array; readonly grid: StepGrid; readonly start: number },
): (buckets: HistogramBuckets, step: number) => number {
  return (buckets, step) => {
    const { value, forced } = bucketQuantile(at.quantiles[step], buckets)
    if (forced !== undefined) {
      evaluation.annotations.forcedRise({ ...forced, time: stepTime(at.grid, step) }, at.start)
    }
    return value
  }
}

function warnQuantiles(evaluation: Evaluation, quantiles: Float64Array, node: QueryNode): void {
  const { start } = unwrapParens(node)
  for (const value of new Set(quantiles)) {
    if (!(value >= 0 && value <= 1)) evaluation.annotations.invalidQuantile(value, start)
  }
}
