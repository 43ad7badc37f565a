/** Terms as closures over any values; a closure gives the value of its term for a row. */
import type { ExpressionValue, Span } from '../expression-types.ts'
import { orderOf } from '../operation/comparisons.ts'
import { isAmong, isWithin } from '../operation/membership.ts'
import type { Operation, Present, Run, Term } from '../operation/operation.ts'

/** The value of a term in a row. */
export type ValueClosure = (row: number) => ExpressionValue

/** Where values come from and what operations may do. */
interface ValueContext {
  input(term: Extract<Term, { kind: 'input' }>): ValueClosure
  runAt(span: Span): Run
}

/** Makes the closure of a term. */
export function compileValues(term: Term, context: ValueContext): ValueClosure {
  if (term.kind === 'constant') {
    const { value } = term
    return () => value
  }
  if (term.kind === 'input') return context.input(term)
  const run = context.runAt(term.span)
  const args = term.args.map((arg) => compileValues(arg, context))
  switch (term.kind) {
    case 'apply':
      return applyClosure(term.operation, args, run)
    case 'and':
      return logicClosure(args, false)
    case 'or':
      return logicClosure(args, true)
    case 'isNull':
      return (row) => args[0](row) === null
    case 'nullIf':
      return nullIfClosure(args, run)
    case 'coalesce':
      return coalesceClosure(args)
    case 'choose':
      return chooseClosure(args)
    case 'switch':
      return switchClosure(args, run)
    case 'in':
      return testClosure(args, run, isAmong)
    case 'between':
      return testClosure(args, run, isWithin)
  }
}

function applyClosure({ value }: Operation, args: readonly ValueClosure[], run: Run): ValueClosure {
  const [first, second] = args
  if (args.length === 1) {
    return (row) => {
      const one = first(row)
      return one === null ? null : value(run, one)
    }
  }
  // All arguments are evaluated before one that is NULL decides: SQLite does no less.
  if (args.length === 2) {
    return (row) => {
      const one = first(row)
      const other = second(row)
      return one === null || other === null ? null : value(run, one, other)
    }
  }
  return (row) => {
    const values: Present[] = []
    for (const arg of args) {
      const one = arg(row)
      if (one !== null) values.push(one)
    }
    return values.length < args.length ? null : value(run, ...values)
  }
}

/** AND is decided by FALSE, OR by TRUE; NULL only where neither side decides. */
function logicClosure([left, right]: readonly ValueClosure[], decides: boolean): ValueClosure {
  return (row) => {
    const one = left(row)
    if (one === decides) return decides
    const other = right(row)
    if (other === decides) return decides
    return one === null || other === null ? null : !decides
  }
}

function nullIfClosure([of, unwanted]: readonly ValueClosure[], run: Run): ValueClosure {
  return (row) => {
    const value = of(row)
    const other = unwanted(row)
    if (value === null || other === null) return value
    return orderOf(run, value, other) === 0 ? null : value
  }
}

function coalesceClosure(args: readonly ValueClosure[]): ValueClosure {
  return (row) => {
    for (const arg of args) {
      const value = arg(row)
      if (value !== null) return value
    }
    return null
  }
}

function chooseClosure(args: readonly ValueClosure[]): ValueClosure {
  const last = args.length - 1
  return (row) => {
    for (let index = 0; index < last; index += 2) {
      if (args[index](row) === true) return args[index + 1](row)
    }
    return args[last](row)
  }
}

function switchClosure([of, ...args]: readonly ValueClosure[], run: Run): ValueClosure {
  const last = args.length - 1
  return (row) => {
    const subject = of(row)
    for (let index = 0; index < last; index += 2) {
      const candidate = args[index](row)
      const isPresent = subject !== null && candidate !== null
      if (isPresent && orderOf(run, subject, candidate) === 0) return args[index + 1](row)
    }
    return args[last](row)
  }
}

/** IN and BETWEEN evaluate all of their arguments before they decide: SQLite does no less. */
function testClosure(
  [of, ...others]: readonly ValueClosure[],
  run: Run,
  holds: typeof isAmong,
): ValueClosure {
  return (row) => {
    const subject = of(row)
    const values: ExpressionValue[] = []
    for (const other of others) values.push(other(row))
    return holds(run, subject, values)
  }
}
