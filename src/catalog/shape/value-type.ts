/**
 * The types a stream's values can have. A type's place in this list is its code in the index and in
 * catalog.db, so types are only ever added at the end. Code 0: no sample yet, and no type.
 */
export const VALUE_TYPES = [
  '',
  'DOUBLE',
  'FLOAT',
  'LONG',
  'INTEGER',
  'SHORT',
  'BOOLEAN',
  'STRING',
  'DATETIME',
  'LATITUDE',
  'LONGITUDE',
  'ELEVATION',
  'BIG_DECIMAL',
  'FILE',
] as const
export type ValueType = (typeof VALUE_TYPES)[number]

/** The code of each value type, by its name; NONE is a stream that has no type yet. */
export const VALUE_CODE = {
  NONE: 0,
  DOUBLE: 1,
  FLOAT: 2,
  LONG: 3,
  INTEGER: 4,
  SHORT: 5,
  BOOLEAN: 6,
  STRING: 7,
  DATETIME: 8,
  LATITUDE: 9,
  LONGITUDE: 10,
  ELEVATION: 11,
  BIG_DECIMAL: 12,
  FILE: 13,
} as const

/** The code of a value type. */
export function valueCodeOf(valueType: ValueType): number {
  return VALUE_TYPES.indexOf(valueType)
}

/** Types whose streams take no plain numbers. */
const NOT_NUMERIC: readonly ValueType[] = ['BOOLEAN', 'STRING', 'DATETIME', 'FILE']

/** Whether a stream of a type holds values of another as they are: numbers go to any type of numbers. */
export function holdsValuesOf(kept: ValueType, given: ValueType): boolean {
  if (kept === '' || kept === given) return true
  return given === 'DOUBLE' && !NOT_NUMERIC.includes(kept)
}
