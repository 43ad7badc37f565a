/**
 * Types of expressions. LONG is a whole number up to 2^63, or a date in epoch ms. DOUBLE is a double. BIGDECIMAL is the
 * text of a decimal number. UNKNOWN is known at run time only. NULL is always NULL.
 */
export type ExpressionType =
  | 'LONG'
  | 'DOUBLE'
  | 'BIGDECIMAL'
  | 'STRING'
  | 'BOOLEAN'
  | 'UNKNOWN'
  | 'NULL'

/**
 * A value of an expression. A LONG is a number up to 2^53 and a bigint beyond; a BIGDECIMAL is the
 * text of its digits.
 */
export type ExpressionValue = number | bigint | string | boolean | null

/** A name that an expression may use, and what it stands for. */
export interface ExpressionVariable {
  readonly name: string
  readonly type: ExpressionType
}

/** A stretch of an expression's text, half-open, in UTF-16 units. */
export interface Span {
  readonly from: number
  readonly until: number
}
