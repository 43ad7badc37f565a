/**
 * Operands and operators in the order of their text become a tree by the precedence of SQLite: OR,
 * AND, NOT, equality and tests, order, sums, products, joins of texts, signs. The grammar does not do
 * this by a rule for each level: what || means shows only when both of its sides are known, and ten
 * rules for each parenthesis would cost the stack.
 */
import type { ExpressionValue, Span } from '../expression-types.ts'
import type { BinaryOperator, Expression } from './expression-tree.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** An operand, an operator, or a test that stands behind its operand. */
export type Item =
  | { readonly is: 'operand'; readonly node: Expression }
  | { readonly is: 'prefix'; readonly operator: '-' | '+' | '!' | 'NOT'; readonly span: Span }
  | { readonly is: 'binary'; readonly operator: BinaryOperator; readonly span: Span }
  | {
      readonly is: 'infixTest'
      readonly test: 'like' | 'between'
      readonly isNegated: boolean
      readonly span: Span
    }
  | {
      readonly is: 'postfixTest'
      readonly test: 'isNull' | 'in'
      readonly isNegated: boolean
      readonly args: readonly Expression[]
      readonly span: Span
    }

const NOT_LEVEL = 3
const TEST_LEVEL = 4

/** How tight operators bind their operands; the greatest binds first. */
export const LEVELS: Readonly<Record<BinaryOperator, number>> = {
  OR: 1,
  AND: 2,
  '=': TEST_LEVEL,
  '<>': TEST_LEVEL,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
  '||': 8,
}

/** Decides whether an operand reads as a condition. */
export type IsCondition = (node: Expression) => boolean

/** Makes one tree of the items between two parentheses, commas or keywords. */
export function arrangeOperators(
  items: readonly Item[],
  builder: TreeBuilder,
  isCondition: IsCondition,
): Expression {
  return new Arrangement(decideBars(items, isCondition), builder, isCondition).read(1)
}

/** Whether bars are OR is decided by what stands to their left and right, up to the next AND or OR. */
function decideBars(items: readonly Item[], isCondition: IsCondition): readonly Item[] {
  if (!items.some((item) => item.is === 'binary' && item.operator === '||')) return items
  const conditions: boolean[] = []
  const segmentOf = segmentsOf(items)
  items.forEach((item, index) => {
    const segment = segmentOf[index]
    if (segment < 0) return
    const reads = item.is === 'operand' ? isAlone(segmentOf, index) && isCondition(item.node) : true
    const decides = item.is !== 'binary' || LEVELS[item.operator] <= 5
    const isSign = item.is === 'prefix' && (item.operator === '-' || item.operator === '+')
    if (reads && decides && !isSign) conditions[segment] = true
  })
  return items.map((item, index) => {
    if (item.is !== 'binary' || item.operator !== '||') return item
    const before = segmentOf[index - 1]
    const behind = segmentOf[index + 1]
    const isOr = conditions[before] === true && conditions[behind] === true
    return isOr ? { ...item, operator: 'OR' } : item
  })
}

function isAlone(segmentOf: readonly number[], index: number): boolean {
  const segment = segmentOf[index]
  return segmentOf[index - 1] !== segment && segmentOf[index + 1] !== segment
}

/** For each item the number of its segment, -1 for the logical operators between segments. */
function segmentsOf(items: readonly Item[]): number[] {
  let segment = 0
  let isBetween = false
  return items.map((item) => {
    if (item.is === 'infixTest') isBetween = item.test === 'between'
    if (item.is !== 'binary' || !['AND', 'OR', '||'].includes(item.operator)) return segment
    if (item.operator === 'AND' && isBetween) {
      isBetween = false
      return segment
    }
    segment += 1
    return -1
  })
}

class Arrangement {
  readonly #items: readonly Item[]
  readonly #builder: TreeBuilder
  readonly #isCondition: IsCondition
  #at = 0
  #depth = 0

  constructor(items: readonly Item[], builder: TreeBuilder, isCondition: IsCondition) {
    this.#isCondition = isCondition
    this.#items = items
    this.#builder = builder
  }

  /** Reads as far as operators bind at least as tight as `level`. */
  read(level: number): Expression {
    let left = this.#operand()
    for (;;) {
      const item = this.#items[this.#at]
      if (item === undefined || item.is === 'operand' || item.is === 'prefix') return left
      const own = item.is === 'binary' ? LEVELS[item.operator] : TEST_LEVEL
      if (own < level) return left
      this.#at += 1
      left = this.#extend(left, item, own)
    }
  }

  #extend(left: Expression, item: Exclude<Item, { is: 'operand' | 'prefix' }>, level: number) {
    if (item.is === 'binary') {
      const right = this.read(level + 1)
      const areConditions = this.#isCondition(left) && this.#isCondition(right)
      const operator = item.operator === '||' && areConditions ? 'OR' : item.operator
      const span = { from: left.span.from, until: right.span.until }
      return this.#builder.node({ kind: 'binary', operator, left, right, span }, [left, right])
    }
    const args = item.is === 'postfixTest' ? item.args : this.#testArgs(item)
    const until = args.at(-1)?.span.until ?? item.span.until
    const span = { from: left.span.from, until: Math.max(until, item.span.until) }
    const { test: kind, isNegated } = item
    return this.#builder.node({ kind, isNegated, operand: left, args, span }, [left, ...args])
  }

  #testArgs({ test, span }: { test: 'like' | 'between'; span: Span }): Expression[] {
    const first = this.read(TEST_LEVEL + 1)
    if (test === 'like') return [first]
    const item = this.#items[this.#at]
    if (item?.is !== 'binary' || item.operator !== 'AND') {
      this.#builder.fail('BETWEEN needs two bounds. Write BETWEEN low AND high', span)
    }
    this.#at += 1
    return [first, this.read(TEST_LEVEL + 1)]
  }

  /** The operand here with what stands before it. */
  #operand(): Expression {
    const item = this.#items[this.#at]
    this.#at += 1
    if (item.is === 'operand') return item.node
    if (item.is !== 'prefix') return this.#builder.fail('Expected a value', item.span)
    this.#depth += 1
    this.#builder.refuseDepth(this.#depth, item.span)
    const operand = item.operator === 'NOT' ? this.read(NOT_LEVEL) : this.#operand()
    this.#depth -= 1
    const span = { from: item.span.from, until: operand.span.until }
    const operator = item.operator === '!' ? 'NOT' : item.operator
    // A minus before a numeral is a part of it.
    if (operator === '-' && operand.kind === 'literal') {
      const { span: at } = operand
      const isLeast = this.#builder.text.slice(at.from, at.until) === LEAST_LONG_DIGITS
      const value = isLeast ? LEAST_LONG : negate(operand)
      if (value !== undefined) {
        const type = isLeast ? 'LONG' : operand.type
        return this.#builder.node({ kind: 'literal', type, value, span })
      }
    }
    return this.#builder.node({ kind: 'unary', operator, operand, span }, [operand])
  }
}

/** The numeral of the least LONG is a LONG only with its minus. */
const LEAST_LONG = -(2n ** 63n)
const LEAST_LONG_DIGITS = String(-LEAST_LONG)

/** A LONG has one zero, a DOUBLE two. */
function negate({
  value,
  type,
}: Pick<Extract<Expression, { kind: 'literal' }>, 'value' | 'type'>): ExpressionValue | undefined {
  if (typeof value === 'bigint') return -value
  if (typeof value !== 'number') return undefined
  return type === 'DOUBLE' ? -value : 0 - value
}
