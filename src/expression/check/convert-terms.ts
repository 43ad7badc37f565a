import type { ExpressionError } from '../expression-error.ts'
import type { ExpressionType, Span } from '../expression-types.ts'
import {
  anyToCondition,
  anyToNumber,
  anyToText,
  booleanToLong,
  booleanToText,
  decimalToDouble,
  longToDouble,
  numberToCondition,
} from '../operation/conversions.ts'
import type { Operation, Term } from '../operation/operation.ts'

/** Makes the error of a mistake at a place. */
export type FailAt = (problem: string, span: Span) => ExpressionError

function apply(operation: Operation, term: Term, type: ExpressionType): Term {
  return { kind: 'apply', operation, args: [term], type, span: term.span }
}

/** A term as a number with the type it has: LONG, DOUBLE, UNKNOWN or NULL; refuses texts. */
export function toNumber(term: Term, failAt: FailAt): Term {
  switch (term.type) {
    case 'BOOLEAN':
      return apply(booleanToLong, term, 'LONG')
    case 'BIGDECIMAL':
      return apply(decimalToDouble, term, 'DOUBLE')
    case 'STRING':
      throw failAt('Expected a number, got a text. Convert with CAST(… AS DOUBLE)', term.span)
    default:
      return term
  }
}

/** A term as a DOUBLE; what it is shows at run time where its type is unknown. */
export function toDouble(term: Term, failAt: FailAt): Term {
  const number = toNumber(term, failAt)
  if (number.kind === 'constant' && number.value !== null) {
    return { ...number, type: 'DOUBLE', value: Number(number.value) }
  }
  switch (number.type) {
    case 'LONG':
      return apply(longToDouble, number, 'DOUBLE')
    case 'UNKNOWN':
      return apply(longToDouble, apply(anyToNumber, number, 'UNKNOWN'), 'DOUBLE')
    default:
      return number
  }
}

/** A term as a text; numbers are written out. */
export function toText(term: Term): Term {
  if (term.type === 'STRING' || term.type === 'NULL') return term
  const operation = term.type === 'BOOLEAN' ? booleanToText : anyToText
  return apply(operation, term, 'STRING')
}

/** A term as a condition; a number is one, a text is refused. */
export function toCondition(term: Term, failAt: FailAt): Term {
  switch (term.type) {
    case 'BOOLEAN':
    case 'NULL':
      return term
    case 'STRING':
      throw failAt("Expected a condition, got a text. Compare it, as in x = 'on'", term.span)
    case 'UNKNOWN':
      return apply(anyToCondition, term, 'BOOLEAN')
    default:
      return apply(numberToCondition, toNumber(term, failAt), 'BOOLEAN')
  }
}

/**
 * Terms brought to one type: LONG beside DOUBLE becomes DOUBLE, BOOLEAN beside a number LONG; where
 * texts and numbers meet the type shows at run time, and TRUE is 1 there.
 */
export function unifyTerms(terms: readonly Term[], failAt: FailAt): readonly Term[] {
  const types = new Set(terms.map(({ type }) => type).filter((type) => type !== 'NULL'))
  const [only] = types
  if (types.size <= 1) return terms.map((term) => retyped(term, only ?? 'NULL'))
  if (types.has('STRING') || types.has('UNKNOWN')) {
    return terms.map((term) =>
      retyped(term.type === 'STRING' ? term : toNumber(term, failAt), 'UNKNOWN'),
    )
  }
  const hasDouble = types.has('DOUBLE') || types.has('BIGDECIMAL')
  return terms.map((term) =>
    retyped(
      hasDouble ? toDouble(term, failAt) : toNumber(term, failAt),
      hasDouble ? 'DOUBLE' : 'LONG',
    ),
  )
}

/** The same term, known by another type that holds its values as they are. */
function retyped(term: Term, type: ExpressionType): Term {
  return term.type === type ? term : { ...term, type }
}
