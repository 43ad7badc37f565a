import type { ExpressionType, ExpressionValue, Span } from '../expression-types.ts'

/** Operators that compare two operands. */
export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>='

/** Operators that calculate with two numbers; + joins texts as well. */
type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'

/** Operators between two operands in the printer's spelling; || is the one that joins texts. */
export type BinaryOperator = 'OR' | 'AND' | ComparisonOperator | ArithmeticOperator | '||'

/** The types that CAST names. */
export type CastType = 'LONG' | 'DOUBLE' | 'BIGDECIMAL' | 'STRING' | 'BOOLEAN'

interface Node {
  readonly span: Span
  /** How many nodes lie above each other, this one included. */
  readonly depth: number
}

/** A number, text, TRUE, FALSE or NULL as it is written. */
interface LiteralNode extends Node {
  readonly kind: 'literal'
  readonly type: ExpressionType
  readonly value: ExpressionValue
}

/** The name of a variable, as it is written. */
interface VariableNode extends Node {
  readonly kind: 'variable'
  readonly name: string
}

/** An operator before its operand. */
export interface UnaryNode extends Node {
  readonly kind: 'unary'
  readonly operator: '-' | '+' | 'NOT'
  readonly operand: Expression
}

/** An operator between its operands. */
export interface BinaryNode extends Node {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

/** A function with its arguments. */
export interface CallNode extends Node {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly Expression[]
}

/** CASE, with a subject that the branches are equal to, or with a condition in each. */
export interface CaseNode extends Node {
  readonly kind: 'case'
  readonly subject: Expression | undefined
  readonly branches: readonly { readonly when: Expression; readonly then: Expression }[]
  readonly otherwise: Expression | undefined
}

/** CAST(operand AS type). */
export interface CastNode extends Node {
  readonly kind: 'cast'
  readonly operand: Expression
  readonly type: CastType
}

/** What stands behind its operand: IS NULL, IN, LIKE and BETWEEN, each also with NOT. */
export interface TestNode extends Node {
  readonly kind: 'isNull' | 'in' | 'like' | 'between'
  readonly isNegated: boolean
  readonly operand: Expression
  /** What it is tested against: the list of IN, the pattern of LIKE, the bounds of BETWEEN. */
  readonly args: readonly Expression[]
}

/** A part of the language around, such as a subquery of SQL; who reads and checks it knows what it is. */
export interface ForeignNode extends Node {
  readonly kind: 'foreign'
  readonly part: unknown
  /** Whether it reads as a condition. Then two bars mean OR. */
  readonly isCondition: boolean
}

/** An expression as it was read, with the place of every part. */
export type Expression =
  | LiteralNode
  | VariableNode
  | UnaryNode
  | BinaryNode
  | CallNode
  | CaseNode
  | CastNode
  | TestNode
  | ForeignNode
