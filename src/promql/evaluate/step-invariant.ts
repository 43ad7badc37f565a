import type { FunctionNode, QueryNode } from '../syntax/query-node.ts'
import { wordsOf } from '../words-of.ts'

/** Functions whose result depends on the time of evaluation, even when their arguments do not. */
const timeBound = new Set(
  wordsOf(`
  days_in_month day_of_month day_of_week day_of_year hour minute month year
  predict_linear time timestamp
`),
)

/** Whether a node has the same result at all steps, so that one evaluation is enough. */
export function isStepInvariant(node: QueryNode): boolean {
  switch (node.kind) {
    case 'number':
    case 'string':
      return true
    case 'selector':
    case 'subquery':
      return node.at !== undefined
    case 'matrix':
      return node.selector.at !== undefined
    case 'call':
      return isInvariantCall(node)
    case 'binary':
      return isStepInvariant(node.left) && isStepInvariant(node.right)
    case 'aggregate':
    case 'unary':
    case 'paren':
      return isStepInvariant(node.inner)
  }
}

function isInvariantCall(node: FunctionNode): boolean {
  if (!node.args.every(isStepInvariant)) return false
  if (node.name === 'timestamp') return node.args[0].kind === 'selector'
  return !timeBound.has(node.name)
}
