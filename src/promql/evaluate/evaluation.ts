import type { AnnotationList } from '../annotations.ts'
import { PromqlError } from '../promql-error.ts'
import type { StepGrid, StepSeries, StepValue } from '../series/step-series.ts'
import type { CompilePattern, SeriesSource } from '../source.ts'
import type { QueryNode, TimeShift } from '../syntax/query-node.ts'

/** What all parts of the evaluation of one query share. */
export interface Evaluation {
  readonly source: SeriesSource
  readonly compilePattern: CompilePattern
  readonly annotations: AnnotationList
  readonly memory: SampleMemory
  /** Replaces the lookback of every series. */
  readonly lookbackMs: number | undefined
  /** The steps of the whole query, which `start()`, `end()`, `range()`, and `step()` name. */
  readonly whole: { readonly start: number; readonly end: number; readonly stepMs: number }
  /** Throws when the query was canceled or has run too long. */
  checkStop(): void
  evaluate(node: QueryNode, grid: StepGrid): Promise<StepValue>
}

/** Counts the samples that a query holds in memory. */
export class SampleMemory {
  readonly #max: number
  /** The samples that are held at present. */
  held = 0

  constructor(max: number) {
    this.#max = max
  }

  /** How many more samples there may be. */
  get free(): number {
    return this.#max - this.held
  }

  /** Counts samples before they are made; throws when they would be too many. */
  hold(samples: number): void {
    if (this.held + samples > this.#max) throw tooManySamples()
    this.held += samples
  }
}

export function tooManySamples(): PromqlError {
  return new PromqlError(
    'execution',
    'query processing would load too many samples into memory in query execution',
  )
}

export function executionError(message: string): PromqlError {
  return new PromqlError('execution', message)
}

/** The time of a step of a grid. */
export function stepTime(grid: StepGrid, step: number): number {
  return grid.start + step * grid.stepMs
}

/** The series of an instant vector. */
export async function evaluateVector(
  evaluation: Evaluation,
  node: QueryNode,
  grid: StepGrid,
): Promise<readonly StepSeries[]> {
  const value = await evaluation.evaluate(node, grid)
  if (value.type !== 'vector') throw new Error(`BUG: ${node.kind} is no vector`)
  return value.series
}

/** The values of a scalar, one for each step. */
export async function evaluateScalar(
  evaluation: Evaluation,
  node: QueryNode,
  grid: StepGrid,
): Promise<Float64Array> {
  const value = await evaluation.evaluate(node, grid)
  if (value.type !== 'scalar') throw new Error(`BUG: ${node.kind} is no scalar`)
  return value.values
}

/** When the data of each step lies: a grid whose step is 0 with `@`. */
export function shiftedGrid(evaluation: Evaluation, shift: TimeShift, grid: StepGrid): StepGrid {
  const { at, offsetMs } = shift
  if (at === undefined) return { ...grid, start: grid.start - offsetMs }
  const { start, end } = evaluation.whole
  const time = at === 'start' ? start : at === 'end' ? end : at
  return { start: time - offsetMs, stepMs: 0, count: grid.count }
}
