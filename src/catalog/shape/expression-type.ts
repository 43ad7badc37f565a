import type { ExpressionType } from '../../expression/index.ts'
import type { ValueType } from './value-type.ts'

/** What the values of a stream are to an expression; a file is the text of its URL. */
const EXPRESSION_TYPES: Readonly<Record<ValueType, ExpressionType>> = {
  '': 'UNKNOWN',
  DOUBLE: 'DOUBLE',
  FLOAT: 'DOUBLE',
  LATITUDE: 'DOUBLE',
  LONGITUDE: 'DOUBLE',
  ELEVATION: 'DOUBLE',
  LONG: 'LONG',
  INTEGER: 'LONG',
  SHORT: 'LONG',
  DATETIME: 'LONG',
  BOOLEAN: 'BOOLEAN',
  STRING: 'STRING',
  BIG_DECIMAL: 'BIGDECIMAL',
  FILE: 'STRING',
}

/** The type that values of a stream have in expressions; of a stream without one it shows later. */
export function expressionTypeOf(valueType: ValueType): ExpressionType {
  return EXPRESSION_TYPES[valueType]
}
