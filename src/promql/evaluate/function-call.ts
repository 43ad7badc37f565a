import {
  functionsOfDate,
  functionsOfNumber,
  greaterOf,
  lesserOf,
  roundTo,
} from '../functions/date-and-number.ts'
import { joinLabels, replaceLabels } from '../functions/label-functions.ts'
import { dropMetadata } from '../series/label-list.ts'
import {
  emptySeries,
  hasValues,
  type StepGrid,
  type StepSeries,
  StepTable,
  type StepValue,
} from '../series/step-series.ts'
import { type FunctionNode, type QueryNode, unwrapParens } from '../syntax/query-node.ts'
import { wordsOf } from '../words-of.ts'
import { absentLabels } from './absent-labels.ts'
import { type Evaluation, evaluateScalar, evaluateVector, stepTime } from './evaluation.ts'
import {
  evaluateHistogramFraction,
  evaluateHistogramQuantile,
  evaluateHistogramQuantiles,
} from './histogram-call.ts'
import { evaluateInfo } from './info-function.ts'
import { evaluateSelector } from './instant-selector.ts'
import { evaluateRangeFunction } from './range-function.ts'
import { evaluateSort } from './sort-function.ts'

/** One call that is evaluated on a grid. */
interface Call {
  readonly evaluation: Evaluation
  readonly node: FunctionNode
  readonly grid: StepGrid
}

type CallEvaluation = (call: Call) => Promise<StepValue>

/** Functions that exist only for native histograms, of which there are none: all elements are left out. */
const nativeFunctions = wordsOf(
  'histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar',
)

const calls: ReadonlyMap<string, CallEvaluation> = new Map<string, CallEvaluation>([
  ['absent', ofVector(absentRows)],
  ['clamp', (call) => clampValues(call, 1, 2)],
  ['clamp_max', (call) => clampValues(call, undefined, 1)],
  ['clamp_min', (call) => clampValues(call, 1, undefined)],
  ['end', constantOf(({ evaluation }) => evaluation.whole.end / 1000)],
  ['histogram_fraction', rowsOf(evaluateHistogramFraction)],
  ['histogram_quantile', rowsOf(evaluateHistogramQuantile)],
  ['histogram_quantiles', rowsOf(evaluateHistogramQuantiles)],
  ['info', rowsOf(evaluateInfo)],
  ['label_join', ofVector((call, rows) => joinLabels(call.evaluation, rows, textsOf(call)))],
  ['label_replace', ofVector((call, rows) => replaceLabels(call.evaluation, rows, textsOf(call)))],
  ['max_of', (call) => twoScalars(call, greaterOf)],
  ['min_of', (call) => twoScalars(call, lesserOf)],
  ['pi', constantOf(() => Math.PI)],
  ['range', constantOf(({ evaluation: { whole } }) => (whole.end - whole.start) / 1000)],
  ['round', roundValues],
  ['scalar', scalarOf],
  ['sort', rowsOf(evaluateSort)],
  ['sort_by_label', rowsOf(evaluateSort)],
  ['sort_by_label_desc', rowsOf(evaluateSort)],
  ['sort_desc', rowsOf(evaluateSort)],
  ['start', constantOf(({ evaluation }) => evaluation.whole.start / 1000)],
  [
    'step',
    constantOf(({ evaluation: { whole } }) =>
      whole.start === whole.end ? 0 : whole.stepMs / 1000,
    ),
  ],
  ['time', async ({ grid }) => ({ type: 'scalar', values: secondsOf(grid) })],
  ['timestamp', timestamps],
  ['vector', vectorOf],
  ...nativeFunctions.map((name): [string, CallEvaluation] => [name, ofVector(() => [])]),
])

/** The result of a function at each step of a grid. */
export async function evaluateCall(call: Call): Promise<StepValue> {
  const { evaluation, node, grid } = call
  const rows = await evaluateRangeFunction(evaluation, node, grid)
  if (rows !== undefined) return { type: 'vector', series: rows }
  const known = calls.get(node.name)
  if (known !== undefined) return known(call)
  const ofNumber = functionsOfNumber.get(node.name)
  if (ofNumber !== undefined) return mapCall(call, () => ofNumber)
  const ofDate = functionsOfDate.get(node.name)
  if (ofDate === undefined) throw new Error(`BUG: function ${node.name} is not implemented`)
  if (node.args.length > 0) return mapCall(call, () => ofDate)
  return { type: 'vector', series: [fullRow(secondsOf(grid).map(ofDate))] }
}

function rowsOf(
  evaluate: (evaluation: Evaluation, node: FunctionNode, grid: StepGrid) => Promise<StepSeries[]>,
): CallEvaluation {
  return async ({ evaluation, node, grid }) => {
    return { type: 'vector', series: await evaluate(evaluation, node, grid) }
  }
}

/** A function of its first argument, a vector. */
function ofVector(
  change: (call: Call, rows: readonly StepSeries[]) => StepSeries[],
): CallEvaluation {
  return async (call) => {
    const rows = await evaluateVector(call.evaluation, call.node.args[0], call.grid)
    return { type: 'vector', series: change(call, rows) }
  }
}

function constantOf(numberOf: (call: Call) => number): CallEvaluation {
  return async (call) => {
    return { type: 'scalar', values: new Float64Array(call.grid.count).fill(numberOf(call)) }
  }
}

/** The texts of all arguments but the first. */
function textsOf({ node }: Call): string[] {
  return node.args.slice(1).map((argument) => {
    const inner: QueryNode = unwrapParens(argument)
    return inner.kind === 'string' ? inner.value : ''
  })
}

function secondsOf(grid: StepGrid): Float64Array {
  return Float64Array.from({ length: grid.count }, (_, step) => stepTime(grid, step) / 1000)
}

/** One element without labels, with a value at every step. */
function fullRow(values: Float64Array): StepSeries {
  return { labels: [], values, present: new Uint8Array(values.length).fill(1) }
}

/** Applies a function to every value of the first argument, at steps that are kept. The metric loses its name. */
async function mapCall(
  { evaluation, node, grid }: Call,
  functionAt: (step: number) => (value: number) => number,
  keeps: (step: number) => boolean = () => true,
): Promise<StepValue> {
  const rows = await evaluateVector(evaluation, node.args[0], grid)
  const table = new StepTable()
  for (const { labels, values, present } of rows) {
    const row = emptySeries(dropMetadata(labels), grid.count)
    for (let step = 0; step < grid.count; step++) {
      if (present[step] === 0 || !keeps(step)) continue
      row.values[step] = functionAt(step)(values[step])
      row.present[step] = 1
    }
    table.add(row)
  }
  return { type: 'vector', series: table.rows() }
}

async function roundValues(call: Call): Promise<StepValue> {
  const { evaluation, node, grid } = call
  const nearest =
    node.args.length > 1 ? await evaluateScalar(evaluation, node.args[1], grid) : undefined
  return mapCall(call, (step) => (value) => roundTo(value, nearest?.[step] ?? 1))
}

/** Limits values from both sides. Elements are left out where the limits contradict each other. */
async function clampValues(
  call: Call,
  lowerArgument: number | undefined,
  upperArgument: number | undefined,
): Promise<StepValue> {
  const { evaluation, node, grid } = call
  const limitOf = async (argument: number | undefined, none: number): Promise<Float64Array> =>
    argument === undefined
      ? new Float64Array(grid.count).fill(none)
      : evaluateScalar(evaluation, node.args[argument], grid)
  const lower = await limitOf(lowerArgument, Number.NEGATIVE_INFINITY)
  const upper = await limitOf(upperArgument, Number.POSITIVE_INFINITY)
  return await mapCall(
    call,
    (step) => (value) => greaterOf(lower[step], lesserOf(upper[step], value)),
    (step) => upper[step] >= lower[step] || Number.isNaN(upper[step] + lower[step]),
  )
}

async function twoScalars(
  { evaluation, node, grid }: Call,
  combine: (a: number, b: number) => number,
): Promise<StepValue> {
  const first = await evaluateScalar(evaluation, node.args[0], grid)
  const second = await evaluateScalar(evaluation, node.args[1], grid)
  return { type: 'scalar', values: first.map((value, step) => combine(value, second[step])) }
}

/** The value of the only element at each step; NaN where there is none, or more than one. */
async function scalarOf({ evaluation, node, grid }: Call): Promise<StepValue> {
  const rows = await evaluateVector(evaluation, node.args[0], grid)
  const values = new Float64Array(grid.count).fill(Number.NaN)
  const counts = new Int32Array(grid.count)
  for (const row of rows) {
    for (let step = 0; step < grid.count; step++) {
      if (row.present[step] === 0) continue
      values[step] = ++counts[step] === 1 ? row.values[step] : Number.NaN
    }
  }
  return { type: 'scalar', values }
}

async function vectorOf({ evaluation, node, grid }: Call): Promise<StepValue> {
  return {
    type: 'vector',
    series: [fullRow(await evaluateScalar(evaluation, node.args[0], grid))],
  }
}

/** The time of each sample of a selector, or of the evaluation for other vectors. */
async function timestamps({ evaluation, node, grid }: Call): Promise<StepValue> {
  const argument = unwrapParens(node.args[0])
  const rows =
    argument.kind === 'selector'
      ? await evaluateSelector(evaluation, argument, { grid, part: 'time' })
      : await evaluateVector(evaluation, argument, grid)
  const table = new StepTable()
  for (const { labels, values, present } of rows) {
    const times = argument.kind === 'selector' ? values : secondsOf(grid)
    table.add({ labels: dropMetadata(labels), values: times, present })
  }
  return { type: 'vector', series: table.rows() }
}

function absentRows({ node, grid }: Call, rows: readonly StepSeries[]): StepSeries[] {
  const row = emptySeries(absentLabels(node.args[0]), grid.count)
  for (let step = 0; step < grid.count; step++) {
    row.values[step] = 1
    row.present[step] = rows.some(({ present }) => present[step] === 1) ? 0 : 1
  }
  return [row].filter(hasValues)
}
