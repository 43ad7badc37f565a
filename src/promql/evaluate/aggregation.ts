import { chooseSeries } from '../aggregate/choose-series.ts'
import { countValues } from '../aggregate/count-values.ts'
import {
  countGroup,
  type GroupFold,
  maxGroup,
  meanGroup,
  minGroup,
  onesGroup,
  quantileGroup,
  sumGroup,
  varianceGroup,
} from '../aggregate/fold-groups.ts'
import { type Grouping, groupSeries } from '../aggregate/group-series.ts'
import { showShortest } from '../series/go-format.ts'
import { hasValues, type StepGrid, type StepSeries } from '../series/step-series.ts'
import { type AggregateNode, type QueryNode, unwrapParens } from '../syntax/query-node.ts'
import { type Evaluation, evaluateScalar, evaluateVector, executionError } from './evaluation.ts'

const folds: Readonly<Record<string, GroupFold>> = {
  sum: sumGroup,
  avg: meanGroup,
  min: minGroup,
  max: maxGroup,
  count: countGroup,
  group: onesGroup,
  stdvar: varianceGroup(false),
  stddev: varianceGroup(true),
}

/** Largest numbers that Prometheus can use as the count of `topk`. */
const COUNT_MAX = 2 ** 63 - 1024
const COUNT_MIN = -(2 ** 63)

/** The result of an aggregation at each step of a grid. */
export async function evaluateAggregation(
  evaluation: Evaluation,
  node: AggregateNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const { operation } = node
  const grouping: Grouping = { labels: node.grouping, isWithout: node.isWithout }
  if (operation === 'count_values') return countOfValues(evaluation, node, grid)
  const parameter =
    node.parameter === undefined
      ? undefined
      : await evaluateScalar(evaluation, node.parameter, grid)
  const series = await evaluateVector(evaluation, node.inner, grid)
  evaluation.checkStop()
  const groups = groupSeries(series, grouping)
  if (operation === 'topk' || operation === 'bottomk' || operation === 'limitk') {
    const counts = parameter ?? new Float64Array(grid.count)
    if (counts.every((count) => count < 1)) return []
    requireCounts(counts)
    return chooseSeries(series, groups, { operation, counts })
  }
  evaluation.memory.hold(groups.length * grid.count)
  const fold = parameter === undefined ? folds[operation] : quantileGroup(parameter)
  if (parameter !== undefined && node.parameter !== undefined) {
    warnQuantile(evaluation, parameter, node.parameter)
  }
  return groups
    .map(({ labels, members }) => {
      evaluation.checkStop()
      return fold(
        labels,
        members.map((index) => series[index]),
      )
    })
    .filter(hasValues)
}

async function countOfValues(
  evaluation: Evaluation,
  node: AggregateNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const parameter = node.parameter === undefined ? undefined : unwrapParens(node.parameter)
  const label = parameter?.kind === 'string' ? parameter.value : ''
  if (label === '') throw executionError('invalid label name ""')
  const series = await evaluateVector(evaluation, node.inner, grid)
  const grouping = { labels: node.grouping, isWithout: node.isWithout }
  const hold = (): void => evaluation.memory.hold(grid.count)
  return countValues(series, grouping, { label, count: grid.count, hold })
}

function requireCounts(counts: Float64Array): void {
  for (const count of counts) {
    if (Number.isNaN(count)) throw executionError('Parameter value is NaN')
    if (count <= COUNT_MIN) {
      throw executionError(`Scalar value ${showShortest(count)} underflows int64`)
    }
    if (count >= COUNT_MAX) {
      throw executionError(`Scalar value ${showShortest(count)} overflows int64`)
    }
  }
}

/** Warns once for each end of the allowed range that is crossed, and for NaN. */
function warnQuantile(evaluation: Evaluation, quantile: Float64Array, node: QueryNode): void {
  const { annotations } = evaluation
  if (quantile.some(Number.isNaN)) annotations.invalidQuantile(Number.NaN, node.start)
  const numbers = quantile.filter((value) => !Number.isNaN(value))
  const highest = numbers.reduce((a, b) => Math.max(a, b), 0)
  const lowest = numbers.reduce((a, b) => Math.min(a, b), 0)
  if (highest > 1) annotations.invalidQuantile(highest, node.start)
  if (lowest < 0) annotations.invalidQuantile(lowest, node.start)
}
