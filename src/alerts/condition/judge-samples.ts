import { nextIteration } from '../../base/plain.ts'
import { ExpressionError, type ExpressionValue } from '../../expression/index.ts'
import type { ValueColumn } from './input-columns.ts'
import type { Condition } from './read-condition.ts'

/** Characters that the judgment of one sample may work on: more takes the time of others. */
const CHARACTERS_MAX = 50_000

/** Which rows a condition holds for, and why some could not be judged. */
export interface Judged {
  /** 1 where the condition holds. */
  readonly holds: Uint8Array
  readonly failureCount: number
  readonly failure: string | undefined
}

/** Judges rows by a condition, all at once where only numbers are compared. A row that fails does not hold. */
export function judgeSamples(
  { compiled }: Condition,
  columns: readonly ValueColumn[],
  count: number,
): Judged {
  const hasTexts = columns.some(({ texts }) => texts !== undefined)
  if (compiled.evaluateNumbers === undefined || hasTexts) {
    return judgeOneByOne(compiled, columns, count)
  }
  const results = new Float64Array(count)
  const numbers = columns.map((column) => column.numbers.subarray(0, count))
  const { count: failureCount, error } = compiled.evaluateNumbers(numbers, results)
  const holds = new Uint8Array(count)
  for (let row = 0; row < count; row += 1) if (results[row] === 1) holds[row] = 1
  return { holds, failureCount, failure: error?.message }
}

/** Characters of conditions times rows that are judged at once where numbers are compared: some milliseconds. */
const WORK_PER_SLICE = 2_000_000
/** Rows with texts that are judged at once: each may work on many characters. */
const TEXT_ROWS_PER_SLICE = 64

/** Judges rows as judgeSamples does. Others get a turn in between. */
export async function judgeInSlices(
  condition: Condition,
  columns: readonly ValueColumn[],
  count: number,
): Promise<Judged> {
  const isText =
    condition.compiled.evaluateNumbers === undefined ||
    columns.some(({ texts }) => texts !== undefined)
  const rows = isText ? TEXT_ROWS_PER_SLICE : Math.ceil(WORK_PER_SLICE / condition.text.length)
  if (count <= rows) return judgeSamples(condition, columns, count)
  const holds = new Uint8Array(count)
  let failureCount = 0
  let failure: string | undefined
  for (let from = 0; from < count; from += rows) {
    const until = Math.min(count, from + rows)
    const some = columns.map(({ numbers, texts }) => ({
      numbers: numbers.subarray(from, until),
      texts: texts?.slice(from, until),
    }))
    const judged = judgeSamples(condition, some, until - from)
    holds.set(judged.holds, from)
    failureCount += judged.failureCount
    failure ??= judged.failure
    if (until < count) await nextIteration()
  }
  return { holds, failureCount, failure }
}

function judgeOneByOne(
  compiled: Condition['compiled'],
  columns: readonly ValueColumn[],
  count: number,
): Judged {
  const holds = new Uint8Array(count)
  let failureCount = 0
  let failure: string | undefined
  for (let row = 0; row < count; row += 1) {
    const values = columns.map((column): ExpressionValue => {
      const text = column.texts?.[row]
      if (text !== undefined) return text
      return Number.isNaN(column.numbers[row]) ? null : column.numbers[row]
    })
    try {
      if (compiled.evaluate(values, CHARACTERS_MAX) === true) holds[row] = 1
    } catch (error) {
      const isLong = error instanceof Error && error.name === 'LongEvaluation'
      if (!(error instanceof ExpressionError) && !isLong) throw error
      failureCount += 1
      failure = isLong
        ? `Too much text to process: at most ${CHARACTERS_MAX} characters`
        : (error as Error).message
    }
  }
  return { holds, failureCount, failure }
}
