import { compareNaturally } from '../functions/natural-order.ts'
import { compareLabels, labelValue } from '../series/label-list.ts'
import type { StepGrid, StepSeries } from '../series/step-series.ts'
import { type FunctionNode, unwrapParens } from '../syntax/query-node.ts'
import { type Evaluation, evaluateVector } from './evaluation.ts'

/** `sort`, `sort_desc`, `sort_by_label`, and `sort_by_label_desc`. Only results of a single step have an order. */
export async function evaluateSort(
  evaluation: Evaluation,
  node: FunctionNode,
  grid: StepGrid,
): Promise<StepSeries[]> {
  const rows = await evaluateVector(evaluation, node.args[0], grid)
  if (grid.count > 1) {
    evaluation.annotations.sortInRange(node.start)
    return [...rows]
  }
  if (node.name === 'sort' || node.name === 'sort_desc') {
    const sign = node.name === 'sort' ? 1 : -1
    return [...rows].sort((a, b) => compareSorted(a.values[0], b.values[0], sign))
  }
  const names = node.args.slice(1).map((argument) => {
    const inner = unwrapParens(argument)
    return inner.kind === 'string' ? inner.value : ''
  })
  const sign = node.name === 'sort_by_label' ? 1 : -1
  return [...rows].sort((a, b) => sign * compareByLabels(a, b, names))
}

/** NaNs are last in either direction. */
function compareSorted(a: number, b: number, sign: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  if (Number.isNaN(b)) return -1
  return sign * (a - b) || 0
}

function compareByLabels(a: StepSeries, b: StepSeries, names: readonly string[]): number {
  for (const name of names) {
    const order = compareNaturally(labelValue(a.labels, name), labelValue(b.labels, name))
    if (order !== 0) return order
  }
  return compareLabels(a.labels, b.labels)
}
