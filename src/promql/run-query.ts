import { AnnotationList } from './annotations.ts'
import { Evaluator } from './evaluate/evaluator.ts'
import { rangeSamples } from './evaluate/range-samples.ts'
import { PromqlError } from './promql-error.ts'
import { PROMQL_POINTS_MAX } from './promql-limits.ts'
import type { InstantQuery, QueryContext, QueryResult, QueryValue, SteppedQuery } from './query.ts'
import { sortByLabels } from './series/label-list.ts'
import type { StepGrid, StepSeries } from './series/step-series.ts'
import type { CompilePattern, SeriesMatcher } from './source.ts'
import { checkQuery, queryTypeOf } from './syntax/check-query.ts'
import type { QuerySteps } from './syntax/duration-reader.ts'
import { parseQuery, parseSelectorText } from './syntax/parse-query.ts'
import { type PromqlType, type QueryNode, unwrapParens } from './syntax/query-node.ts'

/** The matchers of a selector, such as the value of `match[]`. Throws a `PromqlError` when it is none. */
export function parseSelector(
  text: string,
  compilePattern: CompilePattern,
): readonly SeriesMatcher[] {
  const node = parseSelectorText(text)
  checkQuery(text, node, compilePattern)
  return node.matchers
}

/** The type of a query. Throws a `PromqlError` when the query is none. */
export function queryType(text: string, compilePattern: CompilePattern): PromqlType {
  return queryTypeOf(parse(text, compilePattern))
}

function parse(text: string, compilePattern: CompilePattern, steps?: QuerySteps): QueryNode {
  const node = parseQuery(text, steps)
  checkQuery(text, node, compilePattern)
  return node
}

/** Evaluates a query at one time. */
export async function queryInstant(
  query: InstantQuery,
  context: QueryContext,
): Promise<QueryResult> {
  const { text, time } = query
  const node = parse(text, context.compilePattern)
  const annotations = new AnnotationList(text)
  const whole = { start: time, end: time, stepMs: 0 }
  const evaluator = new Evaluator({ context, annotations, whole })
  const grid = { start: time, stepMs: 1, count: 1 }
  const value = await instantValue(evaluator, node, grid)
  return { value, warnings: annotations.warnings, infos: annotations.infos }
}

async function instantValue(
  evaluator: Evaluator,
  node: QueryNode,
  grid: StepGrid,
): Promise<QueryValue> {
  const inner = unwrapParens(node)
  const time = grid.start
  if (inner.kind === 'string') return { type: 'string', time, value: inner.value }
  if (inner.kind === 'matrix' || inner.kind === 'subquery') {
    const series = await rangeSamples(evaluator, inner, grid)
    return { type: 'matrix', series: sortByLabels(series) }
  }
  const value = await evaluator.evaluate(node, grid)
  if (value.type === 'scalar') return { type: 'scalar', time, value: value.values[0] }
  const samples = value.series.map(({ labels, values }) => ({ labels, value: values[0] }))
  return { type: 'vector', time, samples }
}

/** Evaluates a query at every step of a range. */
export async function queryRange(query: SteppedQuery, context: QueryContext): Promise<QueryResult> {
  const { text, start, end, stepMs } = query
  const count = stepCount(query)
  const node = parse(text, context.compilePattern, { stepMs, rangeMs: end - start })
  const type = queryTypeOf(node)
  if (type !== 'vector' && type !== 'scalar') {
    const name = type === 'matrix' ? 'range vector' : type
    throw new PromqlError(
      'bad_data',
      `invalid expression type "${name}" for range query, must be Scalar or instant Vector`,
    )
  }
  const annotations = new AnnotationList(text)
  const evaluator = new Evaluator({ context, annotations, whole: { start, end, stepMs } })
  const grid = { start, stepMs, count }
  const value = await evaluator.evaluate(node, grid)
  const rows =
    value.type === 'vector'
      ? value.series
      : [{ labels: [], values: value.values, present: new Uint8Array(count).fill(1) }]
  const series = sortByLabels(rows).map((row) => matrixSeries(row, grid))
  const { warnings, infos } = annotations
  return { value: { type: 'matrix', series }, warnings, infos }
}

function stepCount({ start, end, stepMs }: SteppedQuery): number {
  if (end < start) throw new PromqlError('bad_data', 'end timestamp must not be before start time')
  if (!(stepMs > 0)) {
    throw new PromqlError(
      'bad_data',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    )
  }
  const steps = Math.floor((end - start) / stepMs)
  if (steps > PROMQL_POINTS_MAX) {
    throw new PromqlError(
      'bad_data',
      `exceeded maximum resolution of ${PROMQL_POINTS_MAX.toLocaleString('en-US')} points per timeseries. Try decreasing the query resolution (?step=XX)`,
    )
  }
  return steps + 1
}

function matrixSeries(
  { labels, values, present }: StepSeries,
  grid: StepGrid,
): Extract<QueryValue, { type: 'matrix' }>['series'][number] {
  const times = new Float64Array(grid.count)
  const kept = new Float64Array(grid.count)
  let count = 0
  for (let step = 0; step < grid.count; step++) {
    if (present[step] === 0) continue
    times[count] = grid.start + step * grid.stepMs
    kept[count] = values[step]
    count++
  }
  return { labels, times: times.slice(0, count), values: kept.slice(0, count) }
}
