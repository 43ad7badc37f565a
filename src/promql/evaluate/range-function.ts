import { dropMetadata, labelsKey, labelValue } from '../series/label-list.ts'
import {
  emptySeries,
  hasValues,
  type StepGrid,
  type StepSeries,
  sameLabelsError,
} from '../series/step-series.ts'
import type { SelectedOne, SeriesFold, SeriesLabels } from '../source.ts'
import type { FunctionNode, MatrixNode, QueryNode, SubqueryNode } from '../syntax/query-node.ts'
import { unwrapParens } from '../syntax/query-node.ts'
import {
  changeCounts,
  extrapolated,
  instantChange,
  resetCounts,
} from '../windows/counter-windows.ts'
import {
  extreme,
  firstTimes,
  firstValues,
  lastTimes,
  lastValues,
  presentOnes,
  sampleCounts,
  summed,
} from '../windows/folding-windows.ts'
import { cutWindows, type WindowFunction } from '../windows/sample-windows.ts'
import {
  medianDistances,
  predictions,
  quantiles,
  slopes,
  smoothed,
  variance,
} from '../windows/statistic-windows.ts'
import { absentLabels } from './absent-labels.ts'
import { type Evaluation, evaluateScalar, shiftedGrid, stepTime } from './evaluation.ts'
import { findSeries } from './find-series.ts'
import { readBlocks, type SampleColumn, type StepBlock } from './read-blocks.ts'
import { subquerySamples } from './subquery.ts'

/** Functions of a range alone. */
const plainFunctions: ReadonlyMap<string, WindowFunction> = new Map([
  ['rate', extrapolated('rate')],
  ['increase', extrapolated('increase')],
  ['delta', extrapolated('delta')],
  ['irate', instantChange('irate')],
  ['idelta', instantChange('idelta')],
  ['resets', resetCounts],
  ['changes', changeCounts],
  ['sum_over_time', summed('sum')],
  ['avg_over_time', summed('avg')],
  ['max_over_time', extreme({ isMax: true, isLast: false, part: 'value' })],
  ['min_over_time', extreme({ isMax: false, isLast: false, part: 'value' })],
  ['ts_of_max_over_time', extreme({ isMax: true, isLast: true, part: 'time' })],
  ['ts_of_min_over_time', extreme({ isMax: false, isLast: true, part: 'time' })],
  ['count_over_time', sampleCounts],
  ['present_over_time', presentOnes],
  ['absent_over_time', presentOnes],
  ['first_over_time', firstValues],
  ['last_over_time', lastValues],
  ['ts_of_first_over_time', firstTimes],
  ['ts_of_last_over_time', lastTimes],
  ['stdvar_over_time', variance(false)],
  ['stddev_over_time', variance(true)],
  ['mad_over_time', medianDistances],
  ['deriv', slopes],
])

/** Functions whose windows the source may know from summaries. */
const foldStatistics: Readonly<Record<string, SeriesFold['statistic']>> = {
  min_over_time: 'min',
  max_over_time: 'max',
  sum_over_time: 'sum',
  avg_over_time: 'avg',
  count_over_time: 'count',
  present_over_time: 'count',
  absent_over_time: 'count',
  last_over_time: 'last',
}

/** Most values of one fold. */
const FOLD_VALUES_MAX = 262_144

/** Evaluates a call that has a range vector among its arguments; undefined for other calls. */
export async function evaluateRangeFunction(
  evaluation: Evaluation,
  node: FunctionNode,
  grid: StepGrid,
): Promise<readonly StepSeries[] | undefined> {
  const index = node.args.findIndex(isRange)
  if (index < 0) return undefined
  const range = unwrapParens(node.args[index]) as MatrixNode | SubqueryNode
  const parameters: Float64Array[] = []
  for (const [at, argument] of node.args.entries()) {
    if (at !== index) parameters.push(await evaluateScalar(evaluation, argument, grid))
  }
  const apply = functionOf(node, parameters, grid)
  const run: RangeRun = { evaluation, node, range, grid, apply }
  const rows =
    range.kind === 'matrix' ? await overSelector(run, range) : await overSubquery(run, range)
  if (node.name === 'quantile_over_time') warnQuantiles(run, parameters[0], rows)
  if (node.name === 'rate' || node.name === 'increase') informNonCounters(run, rows)
  if (node.name === 'absent_over_time') return absentRows(node, rows, grid)
  const keepsName = node.name === 'last_over_time' || node.name === 'first_over_time'
  return keepsName ? rows : distinctRows(rows)
}

function isRange(node: QueryNode): boolean {
  const { kind } = unwrapParens(node)
  return kind === 'matrix' || kind === 'subquery'
}

interface RangeRun {
  readonly evaluation: Evaluation
  readonly node: FunctionNode
  readonly range: MatrixNode | SubqueryNode
  readonly grid: StepGrid
  readonly apply: WindowFunction
}

function functionOf(
  node: FunctionNode,
  parameters: readonly Float64Array[],
  grid: StepGrid,
): WindowFunction {
  const plain = plainFunctions.get(node.name)
  if (plain !== undefined) return plain
  switch (node.name) {
    case 'quantile_over_time':
      return quantiles(parameters[0])
    case 'predict_linear':
      return predictions(parameters[0], (step) => stepTime(grid, step))
    case 'double_exponential_smoothing':
      return smoothed(parameters[0], parameters[1])
  }
  throw new Error(`BUG: function ${node.name} has no windows`)
}

async function overSelector(run: RangeRun, range: MatrixNode): Promise<StepSeries[]> {
  const { evaluation, grid } = run
  const { selector, rangeMs } = range
  const dataGrid = shiftedGrid(evaluation, selector, grid)
  const span = { from: dataGrid.start - rangeMs, until: stepTime(dataGrid, grid.count - 1) }
  const series = await findSeries(evaluation, selector.matchers, span)
  evaluation.memory.hold(series.length * grid.count)
  const rows = series.map(({ labels }) => emptySeries(labels, grid.count))
  const rest = await foldWindows(run, { series, rows, dataGrid, rangeMs })
  const read = rest.map((index) => series[index])
  await readBlocks(
    evaluation,
    { series: read, grid: dataGrid, reachMs: rangeMs },
    (at, samples, block) => {
      applyTo(run, { samples, block, dataGrid, row: rows[rest[at]] })
    },
  )
  return rows.filter(hasValues)
}

async function overSubquery(run: RangeRun, range: SubqueryNode): Promise<StepSeries[]> {
  const { evaluation, grid } = run
  const dataGrid = shiftedGrid(evaluation, range, grid)
  const inner = await subquerySamples(evaluation, range, dataGrid)
  evaluation.memory.hold(inner.length * grid.count)
  const block = { first: 0, end: grid.count }
  return inner
    .map(({ labels, samples }) => {
      evaluation.checkStop()
      const row = emptySeries(labels, grid.count)
      applyTo(run, { samples, block, dataGrid, row })
      return row
    })
    .filter(hasValues)
}

function applyTo(
  run: RangeRun,
  piece: {
    readonly samples: SampleColumn
    readonly block: StepBlock
    readonly dataGrid: StepGrid
    readonly row: StepSeries
  },
): void {
  const { block, dataGrid, row } = piece
  const windows = cutWindows(piece.samples, {
    count: block.end - block.first,
    firstEnd: stepTime(dataGrid, block.first),
    stepMs: dataGrid.stepMs,
    rangeMs: run.range.rangeMs,
    checkStop: () => run.evaluation.checkStop(),
  })
  run.apply(windows, { values: row.values, present: row.present, first: block.first })
}

interface FoldTask {
  readonly series: readonly SelectedOne[]
  readonly rows: readonly StepSeries[]
  readonly dataGrid: StepGrid
  readonly rangeMs: number
}

/**
 * Takes windows that follow each other without a gap from summaries of the source. Returns the series whose samples
 * must be read.
 */
async function foldWindows(run: RangeRun, task: FoldTask): Promise<number[]> {
  const { series, rows, dataGrid, rangeMs } = task
  const all = series.map((_, index) => index)
  const statistic = foldStatistics[run.node.name]
  const isAdjacent = dataGrid.stepMs === rangeMs || dataGrid.count === 1
  if (statistic === undefined || !isAdjacent) return all
  const { count } = dataGrid
  const perCall = Math.max(1, Math.floor(FOLD_VALUES_MAX / count))
  const rest: number[] = []
  for (let first = 0; first < series.length; first += perCall) {
    run.evaluation.checkStop()
    const some = all.slice(first, first + perCall)
    const folded = await run.evaluation.source.fold({
      refs: some.map((index) => series[index].ref),
      statistic,
      firstFrom: dataGrid.start - rangeMs,
      windowMs: rangeMs,
      windowCount: count,
    })
    for (const [at, index] of some.entries()) {
      if (folded === undefined || folded.isFolded[at] === 0) {
        rest.push(index)
        continue
      }
      const values = folded.values.subarray(at * count, (at + 1) * count)
      rows[index].values.set(values)
      rows[index].present.set(folded.present.subarray(at * count, (at + 1) * count))
      if (run.apply === presentOnes) rows[index].values.fill(1)
    }
  }
  return rest
}

/** Rows without the name of their metric. Two with equal labels are an error, whatever steps they have. */
function distinctRows(rows: readonly StepSeries[]): StepSeries[] {
  const known = new Set<string>()
  return rows.map((row) => {
    const labels = dropMetadata(row.labels)
    const key = labelsKey(labels)
    if (known.has(key)) throw sameLabelsError()
    known.add(key)
    return { ...row, labels }
  })
}

function absentRows(node: FunctionNode, rows: readonly StepSeries[], grid: StepGrid): StepSeries[] {
  const labels: SeriesLabels = absentLabels(node.args[0])
  const row = emptySeries(labels, grid.count)
  for (let step = 0; step < grid.count; step++) {
    row.values[step] = 1
    row.present[step] = rows.some(({ present }) => present[step] === 1) ? 0 : 1
  }
  return [row].filter(hasValues)
}

function warnQuantiles(run: RangeRun, quantile: Float64Array, rows: readonly StepSeries[]): void {
  for (const [step, value] of quantile.entries()) {
    if (value >= 0 && value <= 1) continue
    if (!rows.some(({ present }) => present[step] === 1)) continue
    run.evaluation.annotations.invalidQuantile(value, run.node.args[0].start)
  }
}

function informNonCounters(run: RangeRun, rows: readonly StepSeries[]): void {
  const { annotations } = run.evaluation
  const names = new Set(rows.map(({ labels }) => labelValue(labels, '__name__')))
  for (const name of names) {
    if (name === '' || /(?:_total|_sum|_count|_bucket)$/.test(name)) continue
    annotations.possibleNonCounter(name, run.node.args[0].start)
  }
}
