import type { ExpressionType, ExpressionValue, Span } from '../expression-types.ts'
import type { Operation, Term } from './operation.ts'

/** What a function takes: a number as DOUBLE, a number as it is, a text, a condition, or anything. */
export type ParameterKind = 'number' | 'whole' | 'text' | 'condition' | 'any'

/** One parameter of a function. */
export interface Parameter {
  readonly name: string
  readonly kind: ParameterKind
  readonly isOptional?: boolean
  /** The last parameter may be given any number of times. */
  readonly isRepeated?: boolean
}

/** The chapters of the documentation. */
type FunctionGroup = 'Choices and NULL' | 'Numbers' | 'Texts' | 'Dates'

/** What a function with rules of its own needs of the check to make its term. */
export interface TermTools {
  readonly span: Span
  /** The zone of functions that are given none. */
  readonly timeZoneId: string
  /** A number with the type it has; texts are refused. */
  number(term: Term): Term
  /** A number as a DOUBLE. */
  double(term: Term): Term
  text(term: Term): Term
  condition(term: Term): Term
  /** Terms brought to the one type that holds them all. */
  unify(terms: readonly Term[]): readonly Term[]
}

/** How a function becomes a term: by an operation on converted arguments, or in its own way. */
type FunctionMaking =
  | { readonly operation: Operation; readonly type: ExpressionType }
  | { readonly make: (args: readonly Term[], tools: TermTools) => Term }

/** One function of the language: what documentation, completion, check and both ways to run it need. */
export interface ExpressionFunction {
  readonly name: string
  readonly group: FunctionGroup
  readonly parameters: readonly Parameter[]
  /** The type of its result in a word or two. */
  readonly result: string
  /** What it gives, in one sentence. */
  readonly help: string
  /** Expressions with what they give, the first for the table. */
  readonly examples: readonly (readonly [text: string, result: ExpressionValue])[]
  readonly making: FunctionMaking
  /** Operations it may use, for SQLite. */
  readonly operations: readonly Operation[]
}

/** Reads parameters from words such as `x`, `digits?` and `more…`, all of one kind unless marked (`n:whole`). */
export function parametersOf(kind: ParameterKind, ...words: readonly string[]): Parameter[] {
  return words.map((word) => {
    const [name, own = kind] = word.replace(/[?…]/g, '').split(':')
    return {
      name,
      kind: own as ParameterKind,
      ...(word.includes('?') ? { isOptional: true } : {}),
      ...(word.includes('…') ? { isOptional: true, isRepeated: true } : {}),
    }
  })
}
