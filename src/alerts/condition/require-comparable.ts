import type { ExpressionError, ExpressionType, Term } from '../../expression/index.ts'

const COMPARISONS = ['equal', 'unequal', 'less', 'less_equal', 'greater', 'greater_equal']
/** Operations that bring an input to another type of number. */
const CONVERSIONS = ['long_double', 'decimal_double', 'boolean_long']

interface ComparableDeps {
  /** The type of an input, by its place. */
  readonly typeOf: (index: number) => ExpressionType
  readonly failAt: (problem: string, span: Term['span']) => ExpressionError
}

/**
 * Refuses a condition that compares a text with a number that is written in it, or a number with a text. All texts are
 * greater than all numbers, so it would hold for every sample of a stream, or for none.
 */
export function requireComparable(term: Term, deps: ComparableDeps): void {
  if (term.kind === 'constant' || term.kind === 'input') return
  const isComparison =
    (term.kind === 'apply' && COMPARISONS.includes(term.operation.name)) ||
    term.kind === 'between' ||
    term.kind === 'in'
  const [first, ...others] = term.args
  for (const other of isComparison ? others : []) {
    const kinds = [kindOf(first, deps), kindOf(other, deps)]
    if (!kinds.includes('text') || !kinds.includes('number')) continue
    const [input, written] = first.kind === 'constant' ? [other, first] : [first, other]
    const kind = kindOf(input, deps)
    const problem = `This is a ${kind}, but it is compared with a ${kindOf(written, deps)}`
    const [example, type] = kind === 'text' ? ["value = 'on'", 'DOUBLE'] : ['value > 1', 'STRING']
    throw deps.failAt(
      `${problem}. Compare it with a ${kind}, as in ${example}, or convert it with CAST(value AS ${type})`,
      input.span,
    )
  }
  for (const arg of term.args) requireComparable(arg, deps)
}

/** What an input or a written value is; undefined where it may be either. */
function kindOf(term: Term, deps: ComparableDeps): 'text' | 'number' | undefined {
  if (term.kind === 'constant') {
    if (term.value === null) return undefined
    return typeof term.value === 'string' && term.type !== 'BIGDECIMAL' ? 'text' : 'number'
  }
  if (term.kind === 'apply' && CONVERSIONS.includes(term.operation.name)) {
    return kindOf(term.args[0], deps)
  }
  if (term.kind !== 'input') return undefined
  const type = deps.typeOf(term.index)
  if (type === 'UNKNOWN' || type === 'NULL') return undefined
  return type === 'STRING' ? 'text' : 'number'
}
