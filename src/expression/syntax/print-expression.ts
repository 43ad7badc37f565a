import { unreachable } from '../../base/plain.ts'
import type { ExpressionValue } from '../expression-types.ts'
import { LEVELS } from './arrange-operators.ts'
import type {
  BinaryNode,
  CaseNode,
  Expression,
  ForeignNode,
  TestNode,
  UnaryNode,
} from './expression-tree.ts'
import { EXPRESSION_KEYWORDS } from './keywords.ts'

const PLAIN_NAME = /^[\p{L}_@][\p{L}\p{M}\p{N}_$]*$/u

/** What a language around prints in its own way. */
export interface Spelling {
  /** Words that are no names unless they are quoted. */
  readonly keywords: ReadonlySet<string>
  /** The text of a part of that language, whole by itself. */
  readonly foreign: (node: ForeignNode) => string
}

const EXPRESSION_SPELLING: Spelling = { keywords: EXPRESSION_KEYWORDS, foreign: () => '' }

/**
 * The text of an expression in one spelling. Parsed again with the same variables it is the same tree,
 * unless the text was at the limits: its spelling may be longer and have more parentheses.
 */
export function printExpression(
  node: Expression,
  spelling: Spelling = EXPRESSION_SPELLING,
): string {
  const print = (part: Expression): string => printExpression(part, spelling)
  switch (node.kind) {
    case 'literal':
      return printLiteral(node.value, node.type === 'DOUBLE')
    case 'variable': {
      const words = node.name.split('.')
      return words.map((word) => printName(word, spelling.keywords)).join('.')
    }
    case 'unary':
      return printUnary(node, spelling)
    case 'binary':
      return printBinary(node, spelling)
    case 'call':
      return `${node.name}(${node.args.map(print).join(', ')})`
    case 'case':
      return printCase(node, print)
    case 'cast':
      return `CAST(${print(node.operand)} AS ${node.type})`
    case 'foreign':
      return spelling.foreign(node)
    default:
      return printTest(node, spelling)
  }
}

function printUnary({ operator, operand }: UnaryNode, spelling: Spelling): string {
  if (operator !== 'NOT') return `${operator}${printOperand(operand, spelling)}`
  const isChain = operand.kind === 'unary' && operand.operator === 'NOT'
  return `NOT ${isChain ? printUnary(operand, spelling) : printOperand(operand, spelling)}`
}

/** Parentheses stand where the tree would be another without them, and always around joined texts. */
function printBinary({ operator, left, right }: BinaryNode, spelling: Spelling): string {
  const level = LEVELS[operator]
  const print = (side: Expression, isRight: boolean): string => {
    if (side.kind !== 'binary' || operator === '||' || side.operator === '||') {
      return printOperand(side, spelling)
    }
    const own = LEVELS[side.operator]
    const isLoose = isRight ? own <= level : own < level
    return isLoose ? printOperand(side, spelling) : printExpression(side, spelling)
  }
  return `${print(left, false)} ${operator} ${print(right, true)}`
}

/** What is not whole by itself stands in parentheses. */
function printOperand(node: Expression, spelling: Spelling): string {
  const text = printExpression(node, spelling)
  const isWhole = ['variable', 'call', 'case', 'cast', 'foreign'].includes(node.kind)
  const isLiteral = node.kind === 'literal' && !text.startsWith('-')
  return isWhole || isLiteral ? text : `(${text})`
}

function printTest({ kind, isNegated, operand, args }: TestNode, spelling: Spelling): string {
  const subject = printOperand(operand, spelling)
  const not = isNegated ? 'NOT ' : ''
  switch (kind) {
    case 'isNull':
      return `${subject} IS ${not}NULL`
    case 'in':
      return `${subject} ${not}IN (${args.map((arg) => printExpression(arg, spelling)).join(', ')})`
    case 'like':
      return `${subject} ${not}LIKE ${printOperand(args[0], spelling)}`
    case 'between':
      return `${subject} ${not}BETWEEN ${args.map((arg) => printOperand(arg, spelling)).join(' AND ')}`
    default:
      return unreachable(kind)
  }
}

function printCase(node: CaseNode, print: (part: Expression) => string): string {
  const { subject, branches, otherwise } = node
  const words = ['CASE']
  if (subject !== undefined) words.push(print(subject))
  for (const { when, then } of branches) words.push(`WHEN ${print(when)} THEN ${print(then)}`)
  if (otherwise !== undefined) words.push(`ELSE ${print(otherwise)}`)
  return [...words, 'END'].join(' ')
}

function printLiteral(value: ExpressionValue, isDouble: boolean): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const digits = Object.is(value, -0) ? '-0' : String(value)
  return isDouble && /^-?\d+$/.test(digits) ? `${digits}.0` : digits
}

/** A name as it is read back: in quotes where it would be a keyword or has other characters. */
export function printName(name: string, keywords: ReadonlySet<string>): string {
  const isPlain = PLAIN_NAME.test(name) && !keywords.has(name.toUpperCase())
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`
}
