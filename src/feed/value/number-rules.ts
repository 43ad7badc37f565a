import type { ValueType } from '../../catalog/shape/index.ts'

/** The bounds of the number types; integers only where `isWhole`. */
interface NumberRule {
  readonly min: number
  readonly max: number
  readonly isWhole: boolean
  readonly words: string
}

/** What a 32-bit float rounds to its greatest, which programs print as 3.4028235e38: a little above it. */
const FLOAT_MAX = 2 ** 128 - 2 ** 103 - 2 ** 75
const DATE_MAX = 8.64e15

const whole = (min: number, max: number): NumberRule => ({
  min,
  max,
  isWhole: true,
  words: `an integer from ${min} to ${max}`,
})
const decimal = (min: number, max: number, words: string): NumberRule => ({
  min,
  max,
  isWhole: false,
  words,
})
/** What a double holds. */
export const anyNumber = decimal(-Number.MAX_VALUE, Number.MAX_VALUE, 'a finite number')

/** What the number types hold. */
export const numberRules: Partial<Record<ValueType, NumberRule>> = {
  DOUBLE: anyNumber,
  FLOAT: decimal(-FLOAT_MAX, FLOAT_MAX, 'a number within the range of a 32-bit float'),
  LONG: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  INTEGER: whole(-(2 ** 31), 2 ** 31 - 1),
  SHORT: whole(-(2 ** 15), 2 ** 15 - 1),
  DATETIME: whole(-DATE_MAX, DATE_MAX),
  LATITUDE: decimal(-90, 90, 'a number from -90 to 90'),
  LONGITUDE: decimal(-180, 180, 'a number from -180 to 180'),
  ELEVATION: anyNumber,
}

/** What a type holds; any finite number where the type says nothing. */
export function numberRuleOf(type: ValueType): NumberRule {
  return numberRules[type] ?? anyNumber
}
