import type { ExpressionValue } from '../expression-types.ts'
import { LEVELS } from './arrange-operators.ts'
import { KEYWORDS } from './expression-tokens.ts'
import type { BinaryNode, CaseNode, Expression, TestNode, UnaryNode } from './expression-tree.ts'

const PLAIN_NAME = /^[\p{L}_@][\p{L}\p{M}\p{N}_$]*$/u

/**
 * The text of an expression in one spelling. Parsed again with the same variables it is the same tree,
 * unless the text was at the limits: its spelling may be longer and have more parentheses.
 */
export function printExpression(node: Expression): string {
  switch (node.kind) {
    case 'literal':
      return printLiteral(node.value, node.type === 'DOUBLE')
    case 'variable':
      return node.name.split('.').map(printName).join('.')
    case 'unary':
      return printUnary(node)
    case 'binary':
      return printBinary(node)
    case 'call':
      return `${node.name}(${node.args.map(printExpression).join(', ')})`
    case 'case':
      return printCase(node)
    case 'cast':
      return `CAST(${printExpression(node.operand)} AS ${node.type})`
    default:
      return printTest(node)
  }
}

function printUnary({ operator, operand }: UnaryNode): string {
  if (operator !== 'NOT') return `${operator}${printOperand(operand)}`
  const isChain = operand.kind === 'unary' && operand.operator === 'NOT'
  return `NOT ${isChain ? printUnary(operand) : printOperand(operand)}`
}

/** Parentheses stand where the tree would be another without them, and always around joined texts. */
function printBinary({ operator, left, right }: BinaryNode): string {
  const level = LEVELS[operator]
  const print = (side: Expression, isRight: boolean): string => {
    if (side.kind !== 'binary' || operator === '||' || side.operator === '||') {
      return printOperand(side)
    }
    const own = LEVELS[side.operator]
    const isLoose = isRight ? own <= level : own < level
    return isLoose ? printOperand(side) : printExpression(side)
  }
  return `${print(left, false)} ${operator} ${print(right, true)}`
}

/** What is not whole by itself stands in parentheses. */
function printOperand(node: Expression): string {
  const text = printExpression(node)
  const isWhole = ['variable', 'call', 'case', 'cast'].includes(node.kind)
  const isLiteral = node.kind === 'literal' && !text.startsWith('-')
  return isWhole || isLiteral ? text : `(${text})`
}

function printTest({ kind, isNegated, operand, args }: TestNode): string {
  const subject = printOperand(operand)
  const not = isNegated ? 'NOT ' : ''
  switch (kind) {
    case 'isNull':
      return `${subject} IS ${not}NULL`
    case 'in':
      return `${subject} ${not}IN (${args.map(printExpression).join(', ')})`
    case 'like':
      return `${subject} ${not}LIKE ${printOperand(args[0])}`
    case 'between':
      return `${subject} ${not}BETWEEN ${args.map(printOperand).join(' AND ')}`
  }
}

function printCase({ subject, branches, otherwise }: CaseNode): string {
  const words = ['CASE']
  if (subject !== undefined) words.push(printExpression(subject))
  for (const { when, then } of branches) {
    words.push(`WHEN ${printExpression(when)} THEN ${printExpression(then)}`)
  }
  if (otherwise !== undefined) words.push(`ELSE ${printExpression(otherwise)}`)
  return [...words, 'END'].join(' ')
}

function printLiteral(value: ExpressionValue, isDouble: boolean): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const digits = String(value)
  return isDouble && /^-?\d+$/.test(digits) ? `${digits}.0` : digits
}

function printName(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && !KEYWORDS.has(name.toUpperCase())
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`
}
