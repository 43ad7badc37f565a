import type { ExpressionType, ExpressionValue, Span } from '../expression-types.ts'

/** A value that is there. */
export type Present = Exclude<ExpressionValue, null>

/** What an operation may do beside giving a value. */
export interface Run {
  /** Ends the evaluation: the message says what was wrong with the values. */
  fail(problem: string): never
  /** Counts work on texts, in characters; ends an evaluation that does too much. */
  charge(characters: number): void
}

/**
 * An operation on columns of numbers: NaN stands for NULL, 1 and 0 for TRUE and FALSE. `out` may be the
 * first of the arguments. It sets `uncertain` to 1 for rows that it cannot decide: those that fail, and
 * those that a double does not hold exactly. They are evaluated again, value by value.
 */
export type NumberLoop = (
  out: Float64Array,
  args: readonly Float64Array[],
  uncertain: Uint8Array,
  count: number,
) => void

/**
 * One operation on values of known types. NULL in an argument gives NULL without calling it. It is
 * defined once, and both ways to run an expression, and SQLite, use it.
 */
export interface Operation {
  /** Its name for SQLite, if that must ask for it. */
  readonly name: string
  /** The value for arguments that are there; a bigint only beyond 2^53. */
  readonly value: (run: Run, ...args: Present[]) => ExpressionValue
  /** Whole numbers that it gives are LONG or DOUBLE to SQLite; unsaid, LONG unless an argument is DOUBLE. */
  readonly gives?: 'LONG' | 'DOUBLE'
  /** The same on columns, where arguments and result are numbers or conditions of known types. */
  readonly number?: NumberLoop
  /** The same in SQLite's own words; undefined where these would differ. */
  readonly sql?: (args: readonly SqlOperand[]) => string | undefined
  /** The same where the first argument is a long text without U+0000; undefined where these would differ. */
  readonly longSql?: (args: readonly SqlOperand[]) => string | undefined
}

/** An argument as SQL text, with what is known of it. */
export interface SqlOperand {
  readonly text: string
  readonly type: ExpressionType
  /** Its amount is below two to this power: 63 of any LONG, undefined where nothing is known. */
  readonly bits: number | undefined
  /** Whether it is known to have no affinity. */
  readonly isBare?: boolean
  /** Whether it is a name, that can be written down several times. */
  readonly isName?: boolean
  /** The text that it is, where it is one that is written down. */
  readonly literal?: string
}

/** An operand without affinity, by which SQLite would turn texts to numbers where it compares. */
export function withoutAffinity({ text, isBare }: SqlOperand): string {
  return isBare === true ? text : `+${text}`
}

interface Checked {
  readonly type: ExpressionType
  readonly span: Span
}

interface Constant extends Checked {
  readonly kind: 'constant'
  readonly value: ExpressionValue
}

interface Input extends Checked {
  readonly kind: 'input'
  /** The place of the variable among those that were declared. */
  readonly index: number
  readonly name: string
}

interface Application extends Checked {
  readonly kind: 'apply'
  readonly operation: Operation
  readonly args: readonly Term[]
}

interface OfTwo extends Checked {
  readonly kind: 'and' | 'or' | 'nullIf'
  readonly args: readonly [Term, Term]
}

/** The operand and the bounds of BETWEEN. */
interface OfThree extends Checked {
  readonly kind: 'between'
  readonly args: readonly [Term, Term, Term]
}

/**
 * Operations with any number of arguments:
 * - `coalesce`: the alternatives.
 * - `in`: the operand and its list.
 * - `isNull`: the operand.
 * - `choose`: pairs of condition and result, then the default.
 * - `switch`: the subject, pairs of value and result, then the default.
 */
interface OfMany extends Checked {
  readonly kind: 'coalesce' | 'in' | 'isNull' | 'choose' | 'switch'
  readonly args: readonly Term[]
}

/** A checked part of an expression: its operation was chosen by the types of its arguments. */
export type Term = Constant | Input | Application | OfTwo | OfThree | OfMany
