export { signatureOf } from './check/check-call.ts'
export {
  type CheckedExpression,
  checkExpression,
} from './check/check-expression.ts'
export { ExpressionError } from './expression-error.ts'
export type { ExpressionType, ExpressionValue } from './expression-types.ts'
export type { ExpressionFunction } from './operation/function-entry.ts'
export { expressionFunctions } from './operation/function-table.ts'
export {
  compileExpression,
  EVALUATION_CHARACTERS_MAX,
} from './run/compile-expression.ts'
export { printSql } from './run/print-sql.ts'
export { type SqlValue, sqlFunctions } from './run/sql-functions.ts'
export { EXPRESSION_NESTING_MAX } from './syntax/expression-grammar.ts'
export type { Expression } from './syntax/expression-tree.ts'
export { parseExpression } from './syntax/parse-expression.ts'
export { printExpression } from './syntax/print-expression.ts'
export { EXPRESSION_LENGTH_MAX } from './syntax/scan-expression.ts'
export { EXPRESSION_DEPTH_MAX, EXPRESSION_NODES_MAX } from './syntax/tree-builder.ts'
