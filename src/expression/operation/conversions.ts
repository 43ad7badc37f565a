/** From one type to another: what operators and functions ask of their operands, and CAST. */
import { finite, isLong, needNumber, shortenLong, showOperand, textOfValue } from './numbers.ts'
import type { NumberLoop, Operation, Present, Run, SqlOperand } from './operation.ts'
import { joinTexts, madeText } from './text-work.ts'

const same: NumberLoop = (out, [of], _uncertain, count) => {
  if (out !== of) out.set(of.subarray(0, count))
}
const sameSql = ([of]: readonly SqlOperand[]): string => of.text

/** LONG to DOUBLE. */
export const longToDouble: Operation = {
  name: 'long_double',
  value: (_run, value) => Number(value),
  number: same,
  sql: ([of]) => `CAST(${of.text} AS REAL)`,
}

/** The text of a BIGDECIMAL to DOUBLE. */
export const decimalToDouble: Operation = {
  name: 'decimal_double',
  gives: 'DOUBLE',
  value: (run, value) => finite(run, Number(value), 'a BIGDECIMAL as DOUBLE'),
}

/** TRUE to 1 and FALSE to 0. */
export const booleanToLong: Operation = {
  name: 'boolean_long',
  value: (_run, value) => (value === true ? 1 : 0),
  number: same,
  sql: sameSql,
}

/** A value of unknown type that must be a number. */
export const anyToNumber: Operation = { name: 'any_number', value: needNumber }

/** A value of unknown type, or any number, as the text that joins show. */
export const anyToText: Operation = {
  name: 'any_text',
  value: (run, value) => (typeof value === 'string' ? value : madeText(run, textOfValue(value))),
}

/** TRUE and FALSE to texts. */
export const booleanToText: Operation = {
  name: 'boolean_text',
  value: (_run, value) => textOfValue(value),
  sql: ([of]) => `CASE ${of.text} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`,
}

/** A number as a condition: FALSE only when it is 0. */
export const numberToCondition: Operation = {
  name: 'number_condition',
  value: (_run, value) => Number(value) !== 0,
  number: (out, [of], _uncertain, count) => {
    for (let row = 0; row < count; row++) {
      const value = of[row]
      out[row] = value === 0 || Number.isNaN(value) ? value : 1
    }
  },
  sql: ([of]) => `+${of.text} <> 0`,
}

/** A value of unknown type that must be a condition. */
export const anyToCondition: Operation = {
  name: 'any_condition',
  value: (run, value) => {
    if (typeof value !== 'string') return Number(value) !== 0
    return run.fail(`Expected a condition, got ${showOperand(value)}. Compare it, as in x = 'on'`)
  },
}

/** Two texts as one. */
export const join: Operation = {
  name: 'join',
  value: (run, left, right) => joinTexts(run, textOfValue(left), textOfValue(right)),
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,5})?$/

/** Longer numbers only serve to cost time. */
const DECIMAL_LENGTH_MAX = 1_000

/** The number that a whole text is, blanks around it aside, as it is written; undefined if it is none. */
function decimalIn(run: Run, value: string): string | undefined {
  run.charge(value.length)
  const text = value.trim()
  return text.length <= DECIMAL_LENGTH_MAX && DECIMAL.test(text) ? text : undefined
}

/** CAST to LONG: fractions are cut off; NULL of what is no number or too large. */
export const castToLong: Operation = {
  name: 'cast_long',
  gives: 'LONG',
  value: (run, value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    if (typeof value === 'bigint') return value
    if (typeof value === 'number') return cutOff(value)
    const text = decimalIn(run, value)
    if (text === undefined) return null
    const whole = /^([+-]?\d+)(?:\.\d*)?$/.exec(text)
    if (whole === null) return cutOff(Number(text))
    const digits = BigInt(whole[1].replace(/^\+/, ''))
    return isLong(digits) ? shortenLong(digits) : null
  },
}

function cutOff(value: number): number | bigint | null {
  const whole = Math.trunc(value)
  if (Number.isSafeInteger(whole)) return whole + 0
  if (!Number.isFinite(whole)) return null
  return isLong(BigInt(whole)) ? shortenLong(BigInt(whole)) : null
}

/** CAST to DOUBLE: NULL of what is no number, or none that is finite. */
export const castToDouble: Operation = {
  name: 'cast_double',
  gives: 'DOUBLE',
  value: (run, value) => {
    if (typeof value !== 'string') return Number(value)
    const number = Number(decimalIn(run, value) ?? Number.NaN)
    return Number.isFinite(number) ? number : null
  },
}

/** CAST to BIGDECIMAL: the digits as they are written; NULL of what is no number. */
export const castToDecimal: Operation = {
  name: 'cast_decimal',
  value: (run, value) => {
    if (typeof value === 'string') return decimalIn(run, value) ?? null
    return textOfValue(typeof value === 'boolean' ? Number(value) : value)
  },
}

/** CAST to BOOLEAN of true, false, 1 and 0, as texts and numbers; NULL of anything else. */
export const castToBoolean: Operation = {
  name: 'cast_boolean',
  value: (run, value) => {
    if (typeof value !== 'string') return booleanOf(Number(value))
    run.charge(value.length)
    const word = value.trim().toLowerCase()
    if (word === 'true' || word === 'false') return word === 'true'
    const text = word.length < 20 ? decimalIn(run, word) : undefined
    return text === undefined ? null : booleanOf(Number(text))
  },
}

function booleanOf(value: number): Present | null {
  if (value === 1) return true
  return value === 0 ? false : null
}
