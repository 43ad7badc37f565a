import type { AnnotationList } from '../annotations.ts'
import { PromqlError } from '../promql-error.ts'
import { PROMQL_SAMPLES_MAX } from '../promql-limits.ts'
import type { QueryContext } from '../query.ts'
import { dropMetadata } from '../series/label-list.ts'
import { type StepGrid, type StepSeries, StepTable, type StepValue } from '../series/step-series.ts'
import type { CompilePattern, SeriesSource } from '../source.ts'
import type { QueryNode, SignNode } from '../syntax/query-node.ts'
import { evaluateAggregation } from './aggregation.ts'
import { evaluateBinary } from './binary-operation.ts'
import { type Evaluation, SampleMemory } from './evaluation.ts'
import { evaluateCall } from './function-call.ts'
import { evaluateSelector } from './instant-selector.ts'
import { isStepInvariant } from './step-invariant.ts'

interface EvaluatorOptions {
  readonly context: QueryContext
  readonly annotations: AnnotationList
  readonly whole: Evaluation['whole']
}

/** Evaluates the nodes of one query, each for all steps of a grid at once. */
export class Evaluator implements Evaluation {
  readonly source: SeriesSource
  readonly compilePattern: CompilePattern
  readonly annotations: AnnotationList
  readonly memory: SampleMemory
  readonly lookbackMs: number | undefined
  readonly whole: Evaluation['whole']
  readonly #stopReason: QueryContext['stopReason']

  constructor({ context, annotations, whole }: EvaluatorOptions) {
    this.source = context.source
    this.compilePattern = context.compilePattern
    this.annotations = annotations
    this.memory = context.memory ?? new SampleMemory(context.samplesMax ?? PROMQL_SAMPLES_MAX)
    this.lookbackMs = context.lookbackMs
    this.whole = whole
    this.#stopReason = context.stopReason
  }

  checkStop(): void {
    const reason = this.#stopReason?.()
    if (reason === 'timeout') {
      throw new PromqlError('timeout', 'query timed out in expression evaluation')
    }
    if (reason === 'canceled') {
      throw new PromqlError('canceled', 'query was canceled in expression evaluation')
    }
  }

  async evaluate(node: QueryNode, grid: StepGrid): Promise<StepValue> {
    this.checkStop()
    const { held } = this.memory
    const isOnce = grid.count > 1 && isStepInvariant(node)
    const value = isOnce
      ? spread(await this.#evaluateNode(node, { ...grid, count: 1 }), grid.count, this.memory)
      : await this.#evaluateNode(node, grid)
    // Only the result is still held, not what led to it.
    this.memory.held = held
    this.memory.hold(grid.count * (value.type === 'scalar' ? 1 : value.series.length))
    return value
  }

  async #evaluateNode(node: QueryNode, grid: StepGrid): Promise<StepValue> {
    switch (node.kind) {
      case 'number':
        return { type: 'scalar', values: new Float64Array(grid.count).fill(node.value) }
      case 'selector':
        return {
          type: 'vector',
          series: await evaluateSelector(this, node, { grid, part: 'value' }),
        }
      case 'call':
        return evaluateCall({ evaluation: this, node, grid })
      case 'aggregate':
        return { type: 'vector', series: await evaluateAggregation(this, node, grid) }
      case 'binary':
        return evaluateBinary(this, node, grid)
      case 'paren':
        return this.evaluate(node.inner, grid)
      case 'unary':
        return negate(node, await this.evaluate(node.inner, grid))
      case 'string':
      case 'matrix':
      case 'subquery':
        throw new Error(`BUG: a ${node.kind} has no value at steps`)
    }
  }
}

/** Repeats the only step of a result. */
function spread(value: StepValue, count: number, memory: SampleMemory): StepValue {
  if (value.type === 'scalar') {
    return { type: 'scalar', values: new Float64Array(count).fill(value.values[0]) }
  }
  memory.hold(value.series.length * count)
  const series = value.series.map(
    ({ labels, values, present }): StepSeries => ({
      labels,
      values: new Float64Array(count).fill(values[0]),
      present: new Uint8Array(count).fill(present[0]),
    }),
  )
  return { type: 'vector', series }
}

function negate(node: SignNode, value: StepValue): StepValue {
  if (node.operation === '+') return value
  if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) }
  const table = new StepTable()
  for (const { labels, values, present } of value.series) {
    table.add({ labels: dropMetadata(labels), values: values.map((one) => -one), present })
  }
  return { type: 'vector', series: table.rows() }
}
