/** Conditions over ranges of numbers: one comparison decides for all of them where the range lies on one side. */
import { comparisons, negation } from '../operation/comparisons.ts'
import type { Term } from '../operation/operation.ts'

/** What a condition gives for every number from `least` to `most`: 1 for TRUE, 0 for FALSE; undefined: it may differ. */
export type RangeJudge = (least: number, most: number) => 0 | 1 | undefined

const OPERATORS = ['=', '<>', '<', '<=', '>', '>='] as const
const MIRRORED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

/**
 * The judge of a condition over one input, which is never NULL; undefined where the condition is not made of comparisons
 * of the input with numbers.
 */
export function judgeRange(term: Term): RangeJudge | undefined {
  switch (term.kind) {
    case 'and':
    case 'or':
      return joined(term.kind === 'and' ? 0 : 1, term.args.map(judgeRange))
    case 'between': {
      const [input, least, most] = term.args
      return isInput(input) ? joined(0, [compare('>=', least), compare('<=', most)]) : undefined
    }
    case 'input':
      // A condition by itself: FALSE is 0, and TRUE is 1.
      return term.type === 'BOOLEAN' ? compareWith('=', 1) : undefined
    case 'apply':
      break
    default:
      return undefined
  }
  const { operation, args } = term
  if (operation === negation) return inverted(judgeRange(args[0]))
  const operator = OPERATORS.find((one) => comparisons[one] === operation)
  if (operator === undefined) return undefined
  const [left, right] = args
  if (isInput(left)) return compare(operator, right)
  return isInput(right) ? compare(MIRRORED[operator], left) : undefined
}

/** Whether a term is the input, whatever type of number it is brought to. */
function isInput(term: Term): boolean {
  if (term.kind === 'apply') return term.operation.name === 'long_double' && isInput(term.args[0])
  return term.kind === 'input' && ['LONG', 'DOUBLE', 'BOOLEAN'].includes(term.type)
}

/** AND ends with the first FALSE, OR with the first TRUE. */
function joined(
  ending: 0 | 1,
  [one, other]: readonly (RangeJudge | undefined)[],
): RangeJudge | undefined {
  if (one === undefined || other === undefined) return undefined
  return (least, most) => {
    const first = one(least, most)
    const second = other(least, most)
    if (first === ending || second === ending) return ending
    return first === second ? first : undefined
  }
}

function inverted(judge: RangeJudge | undefined): RangeJudge | undefined {
  if (judge === undefined) return undefined
  return (least, most) => {
    const result = judge(least, most)
    return result === undefined ? undefined : result === 1 ? 0 : 1
  }
}

function compare(operator: keyof typeof MIRRORED, term: Term): RangeJudge | undefined {
  const number = numberOf(term)
  return number === undefined ? undefined : compareWith(operator, number)
}

/** The number that is written in a condition. */
function numberOf(term: Term): number | undefined {
  if (term.kind === 'constant') {
    const { value } = term
    return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : undefined
  }
  if (term.kind !== 'apply') return undefined
  const number = term.args.length === 1 ? numberOf(term.args[0]) : undefined
  if (number === undefined) return undefined
  const { name } = term.operation
  if (name === 'long_double') return number
  return name === 'negate_long' || name === 'negate_double' ? -number : undefined
}

function compareWith(operator: keyof typeof MIRRORED, to: number): RangeJudge {
  switch (operator) {
    case '=':
      return (least, most) => (least > to || most < to ? 0 : least === most ? 1 : undefined)
    case '<>':
      return (least, most) => (least > to || most < to ? 1 : least === most ? 0 : undefined)
    case '<':
      return (least, most) => (most < to ? 1 : least >= to ? 0 : undefined)
    case '<=':
      return (least, most) => (most <= to ? 1 : least > to ? 0 : undefined)
    case '>':
      return (least, most) => (least > to ? 1 : most <= to ? 0 : undefined)
    case '>=':
      return (least, most) => (least >= to ? 1 : most < to ? 0 : undefined)
  }
}
