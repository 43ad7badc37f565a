import { ExpressionError } from '../expression-error.ts'
import type { ExpressionVariable } from '../expression-types.ts'
import { findFunction } from '../operation/function-table.ts'
import type { ExpressionGrammar } from './expression-grammar.ts'
import { ExpressionScope } from './expression-scope.ts'
import type { Expression } from './expression-tree.ts'
import { loadSyntax } from './load-syntax.ts'

/** Made when the first expression is read: Chevrotain studies the grammar for some milliseconds. */
let grammar: ExpressionGrammar | undefined

/**
 * Reads the text of an expression; throws ExpressionError where it cannot. The variables decide what
 * depends on them: a name in double quotes is a variable or a text, || between conditions is OR.
 */
export function parseExpression(
  text: string,
  variables: readonly ExpressionVariable[] | ExpressionScope = [],
): Expression {
  const scope = variables instanceof ExpressionScope ? variables : new ExpressionScope(variables)
  const kit = loadSyntax()
  const tokens = kit.scanExpression(text)
  if (tokens.length === 0) {
    const problem = 'The expression is empty. Enter one, such as (a + b) / 2'
    throw new ExpressionError(problem, text, { from: 0, until: 0 })
  }
  grammar ??= new kit.ExpressionGrammar()
  return grammar.read(text, tokens, {
    isVariable: (name) => scope.find(name) !== undefined,
    isCondition: (node) => isCondition(node, (name) => scope.find(name)?.type === 'BOOLEAN'),
  })
}

/** Whether a node is written as a condition, not as a value that could be one. */
export function isCondition(node: Expression, isBoolean: (name: string) => boolean): boolean {
  switch (node.kind) {
    case 'isNull':
    case 'in':
    case 'like':
    case 'between':
      return true
    case 'unary':
      return node.operator === 'NOT'
    case 'binary':
      return !['+', '-', '*', '/', '%', '||'].includes(node.operator)
    case 'literal':
    case 'cast':
      return node.type === 'BOOLEAN'
    case 'variable':
      return isBoolean(node.name)
    case 'call':
      return findFunction(node.name)?.result === 'BOOLEAN'
    case 'case':
      return false
    case 'foreign':
      return node.isCondition
  }
}
