export { signatureOf } from './check/check-call.ts'
export {
  type CheckedExpression,
  checkExpression,
  ExpressionChecker,
  type Surroundings,
} from './check/check-expression.ts'
export { type FailAt, toCondition, toDouble, toNumber, toText } from './check/convert-terms.ts'
export { nearestName, shorten } from './check/nearest-name.ts'
export { ExpressionError } from './expression-error.ts'
export type { ExpressionType, ExpressionValue, Span } from './expression-types.ts'
export { JsonMistake } from './json/json-mistake.ts'
export { type PathStep, readJsonPath } from './json/json-path.ts'
export { type JsonRaw, JsonText } from './json/json-text.ts'
export type { ExpressionFunction } from './operation/function-entry.ts'
export { expressionFunctions, FUNCTION_ALIASES } from './operation/function-table.ts'
export type { Operation, Run, Term } from './operation/operation.ts'
export {
  compileExpression,
  EVALUATION_CHARACTERS_MAX,
} from './run/compile-expression.ts'
export { judgeRange, type RangeJudge } from './run/judge-range.ts'
export { printSql, printTerm, type SqlSpelling } from './run/print-sql.ts'
export {
  castText,
  knownVariableOf,
  SQL_VARIABLE,
  type SqlValue,
  sqlFunctionOf,
  sqlFunctions,
} from './run/sql-functions.ts'
export { castTypeOf } from './syntax/cast-types.ts'
export type { CastType, Expression, ForeignNode, TestNode } from './syntax/expression-tree.ts'
export { EXPRESSION_KEYWORDS } from './syntax/keywords.ts'
export { loadSyntax } from './syntax/load-syntax.ts'
export { isCondition, parseExpression } from './syntax/parse-expression.ts'
export { printExpression, printName, type Spelling } from './syntax/print-expression.ts'
export {
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_LENGTH_MAX,
  EXPRESSION_NESTING_MAX,
  EXPRESSION_NODES_MAX,
} from './syntax/syntax-limits.ts'
