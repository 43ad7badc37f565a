/** From the values of variables to the samples of a derived stream. */

import type { ValueType } from '../../catalog/shape/index.ts'
import type { compileExpression, ExpressionValue } from '../../expression/index.ts'
import { keepsAnyNumber, settleComputed, Unsettled } from '../../feed/plain.ts'
import type { SampleColumns } from '../../store/index.ts'
import { BlockTime } from './block-time.ts'
import { chooseRows, type InputColumn, valueAt } from './input-column.ts'
import type { InputBlock } from './random-block.ts'

type Compiled = ReturnType<typeof compileExpression>

/** A row for which a formula has no value though it should. */
interface DerivationFailure {
  /** The time that the result would have had. */
  readonly time: number
  readonly message: string
  /** What the variables stood for; long texts are cut. */
  readonly values: Readonly<Record<string, ExpressionValue>>
}

/** How many rows failed, and one of them. */
export interface DerivationFailures {
  readonly count: number
  readonly last: DerivationFailure | undefined
}

/** What rows are evaluated for: what their results are settled to, and how failures name their values. */
export interface RowPlan {
  readonly valueType: ValueType
  readonly variables: readonly { readonly name: string }[]
}

/** How much the evaluation of rows may take. */
export interface RowLimits {
  /** Characters that a row may work on; the first row that takes more ends the block before it. */
  readonly charactersMax: number | undefined
  /** Characters of results after which a block ends: they stand in memory until it is stored. */
  readonly resultLengthMax: number
  /** Characters of a result that are kept. */
  readonly textLengthMax: number
}

/** What a block of rows came to. */
export interface Evaluated {
  readonly samples: SampleColumns
  readonly failures: DerivationFailures
  /** The plan's; where that has none, the one of the first result, '' when there is none. */
  readonly valueType: ValueType
  /** The first time that was not evaluated, as what lies before it is enough for a block. */
  readonly cutAt?: number
  /** How many rows like these take the time of a block; undefined where they took little of it. */
  readonly fittingRows?: number
  /** The CPU time that it took, in milliseconds. */
  readonly workedMs: number
  /** Whether not even the first row was evaluated, as it takes too many characters. */
  readonly isLong: boolean
}

/** Limits without a budget for rows: blocks end by their time, and by the memory of their results. */
export const UNHURRIED: RowLimits = {
  charactersMax: undefined,
  resultLengthMax: 16_000_000,
  textLengthMax: Number.POSITIVE_INFINITY,
}

/** Characters of work after which the time is looked at: the slowest functions take 4 ms for them. */
const CHARACTERS_PER_LOOK = 50_000

/** Characters of a text that an error message shows. */
export const SHOWN_LENGTH_MAX = 200

/** Variables that an error message shows. */
const SHOWN_VALUES = 50

/**
 * Evaluates a formula for rows; rows without a value, or that fail, give no sample. It ends before the last row when its
 * time is over, what came out is long, or a row takes more characters than it may.
 */
export function evaluateRows(
  plan: RowPlan,
  compiled: Compiled,
  block: Pick<InputBlock, 'times' | 'columns'>,
  { time = new BlockTime(), limits = UNHURRIED }: EvaluationOptions = {},
): Evaluated {
  const rows = dropAbsent(block)
  const { times } = rows
  const collector = new ResultCollector(plan, rows, limits)
  const { evaluateNumbers } = compiled
  const isNumeric = evaluateNumbers !== undefined && !isTextual(plan)
  const { done, isLong = false } = isNumeric
    ? { done: evaluateColumns(evaluateNumbers, rows, { collector, time }) }
    : evaluateEach(compiled, rows, { collector, time, limits })
  const cut = done < times.length ? { cutAt: times[done] } : {}
  return {
    ...collector.end(),
    ...cut,
    fittingRows: time.fittingRows(done),
    workedMs: time.elapsed,
    isLong: isLong && done === 0,
  }
}

/** Ends a block after so much time, and by these limits. */
interface EvaluationOptions {
  readonly time?: BlockTime
  readonly limits?: RowLimits
}

type Rows = Pick<InputBlock, 'times' | 'columns'>

interface Evaluation {
  readonly collector: ResultCollector
  readonly time: BlockTime
}

/** Evaluates rows of numbers at once; returns their count. */
function evaluateColumns(
  evaluateNumbers: NonNullable<Compiled['evaluateNumbers']>,
  { times, columns }: Rows,
  { collector, time }: Evaluation,
): number {
  const results = new Float64Array(times.length)
  let done = 0
  while (done < times.length) {
    const end = Math.min(times.length, done + time.step)
    const numbers = columns.map((column) => column.numbers.subarray(done, end))
    const { count, row, error } = evaluateNumbers(numbers, results.subarray(done, end))
    if (row !== undefined) collector.fail(done + row, error?.message ?? '', count)
    done = end
    if (time.isOver()) break
  }
  collector.takeNumbers(results.subarray(0, done))
  return done
}

/** Evaluates row by row; returns their count, and whether it ended before a row of too many characters. */
function evaluateEach(
  { evaluate, charactersUsed }: Compiled,
  { times, columns }: Rows,
  { collector, time, limits }: Evaluation & { readonly limits: RowLimits },
): { readonly done: number; readonly isLong?: boolean } {
  const values: ExpressionValue[] = new Array(columns.length).fill(null)
  let lookAt = time.step
  let characters = 0
  for (let row = 0; row < times.length; row++) {
    if (collector.isFull) return { done: row }
    if (row === lookAt || characters >= CHARACTERS_PER_LOOK) {
      if (time.isOver()) return { done: row }
      lookAt = row + time.step
      characters = 0
    }
    for (let at = 0; at < columns.length; at++) values[at] = valueAt(columns[at], row)
    try {
      collector.take(row, evaluate(values, limits.charactersMax))
    } catch (error) {
      if (isNamed(error, 'LongEvaluation')) return { done: row, isLong: true }
      // Only expressions throw here, and what is wrong with one row is no matter of the next.
      if (!isNamed(error, 'ExpressionError')) throw error
      collector.fail(row, error.message)
    }
    characters += charactersUsed()
  }
  return { done: times.length }
}

/** The language is loaded when it is first needed: its errors are known by their names. */
function isNamed(error: unknown, name: string): error is Error {
  return error instanceof Error && error.name === name
}

/** Whether results are kept as texts. */
function isTextual({ valueType }: RowPlan): boolean {
  return valueType === 'STRING' || valueType === 'BIG_DECIMAL'
}

/** The rows for which every variable has something. */
function dropAbsent({ times, columns }: Rows): Rows {
  const masks = columns.flatMap(({ absent }) => (absent === undefined ? [] : [absent]))
  if (masks.length === 0) return { times, columns }
  const kept = new Int32Array(times.length)
  let count = 0
  for (let row = 0; row < times.length; row++) {
    if (masks.every((mask) => mask[row] === 0)) kept[count++] = row
  }
  if (count === times.length) return { times, columns }
  const rows = kept.subarray(0, count)
  return {
    times: Float64Array.from(rows, (row) => times[row]),
    columns: columns.map((column) => chooseRows(column, rows)),
  }
}

/** Gathers results as the stream keeps them. */
class ResultCollector {
  readonly #plan: RowPlan
  readonly #limits: RowLimits
  #valueType: ValueType
  readonly #times: Float64Array
  readonly #columns: readonly InputColumn[]
  readonly #keptTimes: Float64Array
  readonly #numbers: Float64Array
  #texts: (string | undefined)[] | undefined
  #count = 0
  #textLength = 0
  #failed = 0
  #last: DerivationFailure | undefined

  constructor(plan: RowPlan, { times, columns }: Rows, limits: RowLimits) {
    this.#plan = plan
    this.#limits = limits
    this.#valueType = plan.valueType
    this.#times = times
    this.#columns = columns
    this.#keptTimes = new Float64Array(times.length)
    this.#numbers = new Float64Array(times.length)
  }

  /** Whether its texts are long enough for a block. */
  get isFull(): boolean {
    return this.#textLength >= this.#limits.resultLengthMax
  }

  /** Takes a column of results, NaN where there is none. */
  takeNumbers(results: Float64Array): void {
    if (!keepsAnyNumber(this.#valueType)) {
      for (let row = 0; row < results.length; row++) {
        this.take(row, Number.isNaN(results[row]) ? null : results[row])
      }
      return
    }
    let count = 0
    for (let row = 0; row < results.length; row++) {
      const result = results[row]
      if (Number.isNaN(result)) continue
      this.#keptTimes[count] = this.#times[row]
      this.#numbers[count] = result
      count += 1
    }
    this.#count = count
    if (this.#valueType === '' && count > 0) this.#valueType = 'DOUBLE'
  }

  take(row: number, value: ExpressionValue): void {
    if (value === null) return
    // A stream never holds values of two types: those that do not fit the first one fail.
    if (this.#valueType === '') this.#valueType = typeOfValue(value)
    const settled = settleComputed(value, this.#valueType)
    if (settled instanceof Unsettled) {
      this.fail(row, settled.problem)
      return
    }
    const at = this.#count++
    this.#keptTimes[at] = this.#times[row]
    if (typeof settled === 'number') this.#numbers[at] = settled
    else {
      this.#texts ??= []
      this.#texts[at] = settled.slice(0, this.#limits.textLengthMax)
      this.#textLength += this.#texts[at].length
    }
  }

  fail(row: number, message: string, count = 1): void {
    this.#failed += count
    const shown = this.#plan.variables.slice(0, SHOWN_VALUES).map(({ name }, at) => {
      const value = valueAt(this.#columns[at], row)
      return [name, typeof value === 'string' ? value.slice(0, SHOWN_LENGTH_MAX) : value] as const
    })
    this.#last = { time: this.#times[row], message, values: Object.fromEntries(shown) }
  }

  end(): Pick<Evaluated, 'samples' | 'failures' | 'valueType'> {
    const count = this.#count
    const texts = this.#texts
    if (texts !== undefined) texts.length = count
    return {
      samples: {
        count,
        times: this.#keptTimes.subarray(0, count),
        numbers: this.#numbers.subarray(0, count),
        ...(texts === undefined ? {} : { texts }),
      },
      failures: { count: this.#failed, last: this.#last },
      valueType: this.#valueType,
    }
  }
}

/** The type that a stream gets by a value. */
function typeOfValue(value: Exclude<ExpressionValue, null>): ValueType {
  if (typeof value === 'string') return 'STRING'
  return typeof value === 'boolean' ? 'BOOLEAN' : 'DOUBLE'
}
