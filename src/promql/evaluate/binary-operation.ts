import { arithmeticOperations, comparisonOperations } from '../binary/number-operations.ts'
import { combineSets } from '../binary/set-operation.ts'
import { combineVectors, combineWithScalar } from '../binary/vector-operation.ts'
import { hasValues, type StepGrid, type StepSeries, type StepValue } from '../series/step-series.ts'
import { isSetOperation } from '../syntax/check-query.ts'
import type { OperatorNode } from '../syntax/query-node.ts'
import type { Evaluation } from './evaluation.ts'

/** The result of an operator at each step of a grid. */
export async function evaluateBinary(
  evaluation: Evaluation,
  node: OperatorNode,
  grid: StepGrid,
): Promise<StepValue> {
  const left = await evaluation.evaluate(node.left, grid)
  const right = await evaluation.evaluate(node.right, grid)
  evaluation.checkStop()
  const { count } = grid
  const hold = (): void => {
    evaluation.checkStop()
    evaluation.memory.hold(count)
  }
  if (left.type === 'scalar' && right.type === 'scalar') {
    return { type: 'scalar', values: combineScalars(node, left.values, right.values) }
  }
  const series =
    left.type === 'vector' && right.type === 'vector'
      ? combineSeries(node, { left: left.series, right: right.series, count, hold })
      : combineMixed(node, left, right)
  informHistogramOperators(evaluation, node, [left, right])
  return { type: 'vector', series }
}

function combineScalars(node: OperatorNode, left: Float64Array, right: Float64Array): Float64Array {
  const compute = arithmeticOperations[node.operation]
  if (compute !== undefined) return left.map((value, step) => compute(value, right[step]))
  const compare = comparisonOperations[node.operation]
  return left.map((value, step) => (compare(value, right[step]) ? 1 : 0))
}

function combineSeries(
  node: OperatorNode,
  sides: {
    readonly left: readonly StepSeries[]
    readonly right: readonly StepSeries[]
    readonly count: number
    readonly hold: () => void
  },
): StepSeries[] {
  if (isSetOperation(node.operation)) {
    return combineSets(node.operation, { ...sides, matching: node.matching })
  }
  return combineVectors(node, sides)
}

function combineMixed(node: OperatorNode, left: StepValue, right: StepValue): StepSeries[] {
  if (left.type === 'vector' && right.type === 'scalar') {
    return combineWithScalar(node, left.series, { scalar: right.values, isSwapped: false })
  }
  if (left.type === 'scalar' && right.type === 'vector') {
    return combineWithScalar(node, right.series, { scalar: left.values, isSwapped: true })
  }
  throw new Error('BUG: both sides are alike')
}

/** `</` and `>/` cut native histograms; between numbers they yield nothing. */
function informHistogramOperators(
  evaluation: Evaluation,
  node: OperatorNode,
  sides: readonly StepValue[],
): void {
  if (node.operation !== '</' && node.operation !== '>/') return
  const hasElements = sides.every((side) => side.type === 'scalar' || side.series.some(hasValues))
  if (hasElements) evaluation.annotations.incompatibleTypes(node.operation, node.start)
}
