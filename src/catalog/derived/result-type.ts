import type { ExpressionType } from '../../expression/index.ts'
import { expressionTypeOf } from '../shape/expression-type.ts'
import type { ValueType } from '../shape/value-type.ts'

/** The type that a derived stream gets by its formula; '' where only values determine it. */
const GIVEN_TYPES: Readonly<Record<ExpressionType, ValueType>> = {
  LONG: 'DOUBLE',
  DOUBLE: 'DOUBLE',
  BIGDECIMAL: 'BIG_DECIMAL',
  STRING: 'STRING',
  BOOLEAN: 'BOOLEAN',
  UNKNOWN: '',
  NULL: '',
}

/** What of a formula streams of each type of expressions can hold, beside what shows at run time. */
const HELD_TYPES: Readonly<Partial<Record<ExpressionType, readonly ExpressionType[]>>> = {
  DOUBLE: ['DOUBLE', 'LONG', 'BIGDECIMAL'],
  LONG: ['LONG'],
  BIGDECIMAL: ['BIGDECIMAL', 'LONG', 'DOUBLE'],
  BOOLEAN: ['BOOLEAN'],
  STRING: ['STRING', 'LONG', 'DOUBLE', 'BIGDECIMAL', 'BOOLEAN'],
}

const ADVICE: Readonly<Partial<Record<ExpressionType, string>>> = {
  LONG: ': write CAST(… AS LONG)',
  DOUBLE: ': write if(…, 1, 0) for a condition, CAST(… AS DOUBLE) for a text',
}

/**
 * The type of a derived stream whose formula gives a type: as declared, else by the formula. A text says
 * why the declared one does not fit, to stand behind the name of its field.
 */
export function resultType(
  declared: ValueType,
  given: ExpressionType,
): { readonly valueType: ValueType } | string {
  if (declared === 'FILE') return 'must not be FILE because a formula cannot create files'
  if (declared === '') return { valueType: GIVEN_TYPES[given] }
  if (given === 'UNKNOWN' || given === 'NULL') return { valueType: declared }
  const held = expressionTypeOf(declared)
  if (HELD_TYPES[held]?.includes(given)) return { valueType: declared }
  return `${declared} cannot store the result of the formula, which is ${given}${ADVICE[held] ?? ''}`
}
