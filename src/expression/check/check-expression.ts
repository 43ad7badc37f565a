/** From a tree to terms: names are found, types are known, and every operation is chosen by them. */
import { unreachable } from '../../base/plain.ts'
import { ExpressionError } from '../expression-error.ts'
import type { ExpressionType, ExpressionVariable, Span } from '../expression-types.ts'
import {
  type Arithmetic,
  add,
  divide,
  multiply,
  negate,
  remainder,
  subtract,
} from '../operation/arithmetic.ts'
import { comparisons, negation } from '../operation/comparisons.ts'
import {
  castToBoolean,
  castToDecimal,
  castToDouble,
  castToLong,
  join,
} from '../operation/conversions.ts'
import { like } from '../operation/like.ts'
import type { Operation, Term } from '../operation/operation.ts'
import { ExpressionScope } from '../syntax/expression-scope.ts'
import type {
  BinaryNode,
  CaseNode,
  CastNode,
  ComparisonOperator,
  Expression,
  ForeignNode,
  TestNode,
  UnaryNode,
} from '../syntax/expression-tree.ts'
import { parseExpression } from '../syntax/parse-expression.ts'
import { checkCall } from './check-call.ts'
import {
  type FailAt,
  toCondition,
  toDouble,
  toNumber,
  toText,
  unifyTerms,
} from './convert-terms.ts'
import { nearestName, shorten } from './nearest-name.ts'

/** An expression that can be run: every name is known and every type fits. */
export interface CheckedExpression {
  readonly text: string
  readonly tree: Expression
  readonly term: Term
  readonly type: ExpressionType
  readonly variables: readonly ExpressionVariable[]
  /** The time zone of functions of dates that are given none. */
  readonly timeZoneId: string
  /** The indexes of the variables that it uses, ascending. */
  readonly used: readonly number[]
  /** What can be run but is likely a mistake, with its place. */
  readonly warnings: readonly ExpressionError[]
}

/** What an expression is read and checked with. */
interface CheckOptions {
  readonly variables?: readonly ExpressionVariable[]
  /** The time zone of functions of dates that are given none; UTC if unsaid. */
  readonly timeZoneId?: string
}

/** Reads and checks an expression; throws ExpressionError with the place of the first mistake. */
export function checkExpression(text: string, options: CheckOptions = {}): CheckedExpression {
  const scope = new ExpressionScope(options.variables ?? [])
  const tree = parseExpression(text, scope)
  const indexes = new Set<number>()
  const failAt: FailAt = (problem, span) => new ExpressionError(problem, text, span)
  const variable = (name: string, span: Span): Term => {
    const found = scope.find(name)
    if (found === undefined) {
      const names = scope.variables.map((known) => known.name)
      throw failAt(`Unknown variable "${shorten(name)}"${adviceOn(name, names)}`, span)
    }
    indexes.add(found.index)
    return { kind: 'input', index: found.index, name: found.name, type: found.type, span }
  }
  const foreign = ({ span }: ForeignNode): never => {
    throw failAt('This is not allowed in an expression. Remove it', span)
  }
  const timeZoneId = options.timeZoneId ?? 'UTC'
  const checker = new ExpressionChecker({ variable, foreign, failAt, timeZoneId })
  const term = checker.check(tree)
  const used = [...indexes].sort((one, other) => one - other)
  const { variables } = scope
  const { warnings } = checker
  return { text, tree, term, type: term.type, variables, timeZoneId, used, warnings }
}

const NUMERIC_BY_OPERATOR: Readonly<Record<'+' | '-' | '*' | '%', Arithmetic>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '%': remainder,
}

/** What an expression is checked with: where its names are found, and how errors are reported. */
export interface Surroundings {
  /** The term of a variable; throws where there is none. */
  readonly variable: (name: string, span: Span) => Term
  /** The term of a part of the language around. */
  readonly foreign: (node: ForeignNode) => Term
  /** The term of a test that the language around has rules for; undefined of any other. */
  readonly test?: (node: TestNode, check: (node: Expression) => Term) => Term | undefined
  readonly failAt: FailAt
  /** The time zone of functions of dates that are given none. */
  readonly timeZoneId: string
}

/** Makes terms of trees, within the surroundings that it is given. */
export class ExpressionChecker {
  readonly warnings: ExpressionError[] = []
  readonly #around: Surroundings
  readonly #failAt: FailAt

  constructor(around: Surroundings) {
    this.#around = around
    this.#failAt = around.failAt
  }

  /** The term of a tree; throws at the first mistake. */
  check(node: Expression): Term {
    const { span } = node
    switch (node.kind) {
      case 'literal':
        return { kind: 'constant', type: node.type, value: node.value, span }
      case 'variable':
        return this.#around.variable(node.name, span)
      case 'unary':
        return this.#unary(node)
      case 'binary':
        return this.#binary(node)
      case 'call': {
        const args = node.args.map((arg) => this.check(arg))
        return checkCall(node, args, this.#around)
      }
      case 'case':
        return node.subject === undefined ? this.#case(node) : this.#switch(node, node.subject)
      case 'cast':
        return this.#cast(node)
      case 'foreign':
        return this.#around.foreign(node)
      default:
        return this.#test(node)
    }
  }

  #unary({ operator, operand, span }: UnaryNode): Term {
    const term = this.check(operand)
    if (operator === 'NOT') {
      return apply(negation, [toCondition(term, this.#failAt)], 'BOOLEAN', span)
    }
    const number = toNumber(term, this.#failAt)
    // A plus does nothing to a number, and fails on a text whose type shows at run time.
    return operator === '-'
      ? arithmetic(negate, [number], span)
      : arithmetic(add, [number, { kind: 'constant', type: 'LONG', value: 0, span }], span)
  }

  #binary({ operator, left: leftNode, right: rightNode, span }: BinaryNode): Term {
    const left = this.check(leftNode)
    const right = this.check(rightNode)
    switch (operator) {
      case 'AND':
      case 'OR': {
        const args = [toCondition(left, this.#failAt), toCondition(right, this.#failAt)] as const
        return { kind: operator === 'AND' ? 'and' : 'or', args, type: 'BOOLEAN', span }
      }
      case '||':
        return apply(join, [toText(left), toText(right)], 'STRING', span)
      case '+':
        if (left.type === 'STRING' || right.type === 'STRING') {
          return apply(join, [toText(left), toText(right)], 'STRING', span)
        }
        return this.#calculate(operator, [left, right], span)
      case '-':
      case '*':
      case '%':
        return this.#calculate(operator, [left, right], span)
      case '/': {
        const args = [left, right].map((side) => toDouble(side, this.#failAt))
        return apply(divide, args, 'DOUBLE', span)
      }
      default:
        return this.#compare(operator, [left, right], span)
    }
  }

  #calculate(operator: '+' | '-' | '*' | '%', sides: readonly Term[], span: Span): Term {
    const numbers = sides.map((side) => toNumber(side, this.#failAt))
    const hasUnknown = numbers.some(({ type }) => type === 'UNKNOWN')
    const unified = hasUnknown ? numbers : unifyTerms(numbers, this.#failAt)
    return arithmetic(NUMERIC_BY_OPERATOR[operator], unified, span)
  }

  #compare(operator: ComparisonOperator, sides: readonly Term[], span: Span): Term {
    return apply(comparisons[operator], this.#comparable(sides), 'BOOLEAN', span)
  }

  /** Terms that can be compared: decimals as numbers, all else as it is. */
  #comparable(terms: readonly Term[]): readonly Term[] {
    const [first, ...others] = terms
    const isOdd = (term: Term) =>
      isNumber(term) !== isNumber(first) && isText(term) !== isText(first)
    const odd = others.find(isOdd)
    if (odd !== undefined) {
      const problem = 'A number and a text are never equal. Convert one of them with CAST'
      this.warnings.push(this.#failAt(problem, odd.span))
    }
    return terms.map((term) => (term.type === 'BIGDECIMAL' ? toDouble(term, this.#failAt) : term))
  }

  #case({ branches, otherwise, span }: CaseNode): Term {
    const conditions = branches.map(({ when }) => toCondition(this.check(when), this.#failAt))
    const values = unifyTerms(this.#values(branches, otherwise, span), this.#failAt)
    const pairs = conditions.flatMap((condition, index) => [condition, values[index]])
    const args = [...pairs, values[values.length - 1]]
    return { kind: 'choose', args, type: values[0].type, span }
  }

  #switch({ branches, otherwise, span }: CaseNode, subjectNode: Expression): Term {
    const whens = branches.map(({ when }) => this.check(when))
    const [subject, ...candidates] = this.#comparable([this.check(subjectNode), ...whens])
    const values = unifyTerms(this.#values(branches, otherwise, span), this.#failAt)
    const pairs = candidates.flatMap((candidate, index) => [candidate, values[index]])
    const args = [subject, ...pairs, values[values.length - 1]]
    return { kind: 'switch', args, type: values[0].type, span }
  }

  #values(branches: CaseNode['branches'], otherwise: Expression | undefined, span: Span): Term[] {
    const last: Term =
      otherwise === undefined
        ? { kind: 'constant', type: 'NULL', value: null, span }
        : this.check(otherwise)
    return [...branches.map(({ then }) => this.check(then)), last]
  }

  #cast({ operand, type, span }: CastNode): Term {
    const term = this.check(operand)
    if (term.type === type) return term
    switch (type) {
      case 'LONG':
        return apply(castToLong, [term], 'LONG', span)
      case 'DOUBLE':
        return apply(castToDouble, [term], 'DOUBLE', span)
      case 'BIGDECIMAL':
        return apply(castToDecimal, [term], 'BIGDECIMAL', span)
      case 'BOOLEAN':
        return apply(castToBoolean, [term], 'BOOLEAN', span)
      case 'STRING':
        return { ...toText(term), type: 'STRING' }
      default:
        return unreachable(type)
    }
  }

  #test(node: TestNode): Term {
    const { kind, isNegated, operand, args, span } = node
    const own = this.#around.test?.(node, (part) => this.check(part))
    const term = own ?? this.#plainTest(kind, this.#all([operand, ...args]), span)
    return isNegated ? apply(negation, [term], 'BOOLEAN', span) : term
  }

  #all(nodes: readonly Expression[]): Term[] {
    return nodes.map((node) => this.check(node))
  }

  #plainTest(kind: TestNode['kind'], terms: readonly Term[], span: Span): Term {
    const type = 'BOOLEAN'
    switch (kind) {
      case 'isNull':
        return { kind, args: terms, type, span }
      case 'in':
        return { kind, args: this.#comparable(terms), type, span }
      case 'like':
        return apply(like, terms.map(toText), type, span)
      case 'between': {
        const [of, low, high] = this.#comparable(terms)
        return { kind, args: [of, low, high], type, span }
      }
    }
  }
}

const isText = ({ type }: Term): boolean => type === 'STRING'
const isNumber = ({ type }: Term): boolean => !['STRING', 'UNKNOWN', 'NULL'].includes(type)

function adviceOn(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  if (nearest !== undefined) return `: did you mean "${nearest}"?`
  if (names.length === 0) return ': no variables are defined'
  if (names.length === 1) return `: the only variable is ${shorten(names[0])}`
  return `: variables are ${names.slice(0, 10).map(shorten).join(', ')}${names.length > 10 ? ' …' : ''}`
}

function apply(
  operation: Operation,
  args: readonly Term[],
  type: ExpressionType,
  span: Span,
): Term {
  return { kind: 'apply', operation, args, type, span }
}

/** The form of a calculation for the types of its operands, which are one type or unknown. */
function arithmetic(
  { long, double, unknown }: Arithmetic,
  args: readonly Term[],
  span: Span,
): Term {
  const types = new Set(args.map(({ type }) => type))
  if (types.has('UNKNOWN')) return apply(unknown, args, 'UNKNOWN', span)
  if (types.has('DOUBLE')) return apply(double, args, 'DOUBLE', span)
  return types.has('LONG') ? apply(long, args, 'LONG', span) : apply(double, args, 'NULL', span)
}
