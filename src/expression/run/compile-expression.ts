import type { CheckedExpression } from '../check/check-expression.ts'
import { ExpressionError } from '../expression-error.ts'
import type { ExpressionType, ExpressionValue, Span } from '../expression-types.ts'
import { showOperand } from '../operation/numbers.ts'
import type { Present, Run, Term } from '../operation/operation.ts'
import { BLOCK_ROWS, type BlockClosure, compileNumbers } from './compile-numbers.ts'
import { compileValues, type ValueClosure } from './compile-values.ts'

/** The characters that one evaluation may read and write: up to half a second, and five samples of the longest texts. */
export const EVALUATION_CHARACTERS_MAX = 5_000_000

/** Ends an evaluation that works on more characters than its caller has time for. */
class LongEvaluation extends Error {
  override readonly name = 'LongEvaluation'
}

/** Rows that failed in a column. */
interface RowFailures {
  readonly count: number
  /** The first row that failed, and why; both undefined when none did. */
  readonly row: number | undefined
  readonly error: ExpressionError | undefined
}

/** An expression that runs, with access to its variables and nothing else. */
interface CompiledExpression {
  readonly type: ExpressionType
  /**
   * The value for the values of the variables, in the order of their declaration. Throws
   * ExpressionError where the values do not let it have one, and LongEvaluation where it would work on
   * more characters than `charactersMax`.
   */
  evaluate(values: readonly ExpressionValue[], charactersMax?: number): ExpressionValue
  /** The characters that the last evaluation worked on. */
  charactersUsed(): number
  /**
   * The numbers for many rows at once: a column for each variable, NaN for NULL, 1 and 0 for TRUE and
   * FALSE. A row that fails is NaN. Undefined where a type is a text, a decimal or unknown.
   */
  readonly evaluateNumbers:
    | ((columns: readonly Float64Array[], results: Float64Array) => RowFailures)
    | undefined
}

/** Makes closures of a checked expression; nothing of its text is ever run as code. */
export function compileExpression(checked: CheckedExpression): CompiledExpression {
  const { term, type, text } = checked
  const { evaluate, charactersUsed } = evaluation(term, text)
  const closure = compileNumbers(term)
  const evaluateNumbers = closure && columnEvaluation(closure, evaluate)
  return { type, evaluate, charactersUsed, evaluateNumbers }
}

/** Values are let go of behind an evaluation: texts may be long. */
const NOTHING: readonly ExpressionValue[] = []

type Evaluate = CompiledExpression['evaluate']

function evaluation(
  term: Term,
  text: string,
): Pick<CompiledExpression, 'evaluate' | 'charactersUsed'> {
  const frame = { values: NOTHING, used: 0, charactersMax: 0 }
  const failAt = (span: Span) => (problem: string) => {
    throw new ExpressionError(problem, text, span)
  }
  const runAt = (span: Span): Run => {
    const fail: Run['fail'] = failAt(span)
    const charge = (characters: number): void => {
      frame.used += characters
      if (frame.used > frame.charactersMax) {
        if (frame.charactersMax < EVALUATION_CHARACTERS_MAX) throw new LongEvaluation()
        fail(`Too much text to process: at most ${EVALUATION_CHARACTERS_MAX} characters`)
      }
    }
    return { fail, charge }
  }
  const input = ({ index, name, type, span }: Extract<Term, { kind: 'input' }>): ValueClosure => {
    const fail: Run['fail'] = failAt(span)
    return () => {
      const value = frame.values[index]
      if (value === null || value === undefined || Number.isNaN(value)) return null
      return typeof value === JS_TYPES[type] ? value : adapt(value, { name, type, fail })
    }
  }
  let closure: ValueClosure | undefined
  const evaluate: Evaluate = (values, charactersMax = EVALUATION_CHARACTERS_MAX) => {
    closure ??= compileValues(term, { input, runAt })
    frame.values = values
    frame.used = 0
    frame.charactersMax = charactersMax
    const result = closure(0)
    frame.values = NOTHING
    return result
  }
  return { evaluate, charactersUsed: () => frame.used }
}

/** How values of a type come most of the time; the others are looked at. */
const JS_TYPES: Readonly<Record<ExpressionType, string>> = {
  LONG: 'number',
  DOUBLE: 'number',
  BIGDECIMAL: 'string',
  STRING: 'string',
  BOOLEAN: 'boolean',
  UNKNOWN: 'number',
  NULL: 'never',
}

interface Adapted {
  readonly name: string
  readonly type: ExpressionType
  readonly fail: (problem: string) => never
}

/** A value that came in another form than its type has: taken where it means the same. */
function adapt(value: Present, { name, type, fail }: Adapted): ExpressionValue {
  switch (type) {
    case 'LONG':
    case 'DOUBLE':
      if (typeof value === 'boolean') return value ? 1 : 0
      if (typeof value !== 'string') return type === 'DOUBLE' ? Number(value) : value
      break
    case 'BOOLEAN':
      if (typeof value !== 'string') return Number(value) !== 0
      break
    case 'STRING':
    case 'BIGDECIMAL':
      return String(value)
    case 'NULL':
      return null
    case 'UNKNOWN':
      return typeof value === 'boolean' ? Number(value) : value
  }
  return fail(`The variable "${name}" is ${type}, but its value is ${showOperand(value)}`)
}

function columnEvaluation(closure: BlockClosure, evaluate: Evaluate) {
  const uncertain = new Uint8Array(BLOCK_ROWS)
  return (columns: readonly Float64Array[], results: Float64Array): RowFailures => {
    const failures = new FailureCount()
    for (let from = 0; from < results.length; from += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, results.length - from)
      results.set(closure({ columns, from, count, uncertain }).subarray(0, count), from)
      for (let at = uncertain.indexOf(1); at >= 0; at = uncertain.indexOf(1, at + 1)) {
        const row = from + at
        results[row] = failures.take(row, () => evaluate(columns.map((column) => column[row])))
        uncertain[at] = 0
      }
    }
    return failures
  }
}

/** Keeps the first failure of many and counts the others. */
class FailureCount implements RowFailures {
  count = 0
  row: number | undefined
  error: ExpressionError | undefined

  take(row: number, evaluate: () => ExpressionValue): number {
    try {
      const value = evaluate()
      return value === null ? Number.NaN : Number(value)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      this.count += 1
      this.row ??= row
      this.error ??= error
      return Number.NaN
    }
  }
}
