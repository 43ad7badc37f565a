import type { ExpressionType, ExpressionValue } from '../../src/expression/index.ts'
import { fc } from './fast-check.ts'

/** The variables of random expressions, one or two of each type. */
export const randomVariables: { name: string; type: ExpressionType }[] = [
  { name: 'x', type: 'DOUBLE' },
  { name: 'y', type: 'DOUBLE' },
  { name: 'n', type: 'LONG' },
  { name: 'm', type: 'LONG' },
  { name: 's', type: 'STRING' },
  { name: 'on', type: 'BOOLEAN' },
  { name: 'dec', type: 'BIGDECIMAL' },
  { name: 'u', type: 'UNKNOWN' },
]

const texts = ['', 'a', 'Ab', ' 12 ', '1.5', 'true', '😀z', "it's", '%', 'ß', '\u{ffff}']
const doubles = [0, 1, -1, 2.5, -0.1, 1e308, 1e-300, 9_007_199_254_740_992, 123.456, 1.005]
const longs = [0, 1, -1, 7, 1000, -42, 9_007_199_254_740_991, 2n ** 63n - 1n, -(2n ** 62n)]

const longValue = fc.oneof(fc.constantFrom(...longs), fc.integer())
const doubleValue = fc.oneof(
  fc.constantFrom(...doubles),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
)
const textValue = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'grapheme', maxLength: 6 }))

function orNull(value: fc.Arbitrary<ExpressionValue>): fc.Arbitrary<ExpressionValue> {
  return fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
}

/** Values for the variables, in their order. */
export const randomValues: fc.Arbitrary<ExpressionValue[]> = fc.tuple(
  ...randomVariables.map(({ type }) => {
    switch (type) {
      case 'DOUBLE':
        return orNull(doubleValue)
      case 'LONG':
        return orNull(longValue)
      case 'STRING':
        return orNull(textValue.map((text) => text.replaceAll('\0', '')))
      case 'BOOLEAN':
        return orNull(fc.boolean())
      case 'BIGDECIMAL':
        return orNull(
          fc.constantFrom('0', '1.50', '-0.0000000000000000000001', '12345678901234567890.5'),
        )
      default:
        return orNull(fc.oneof(longValue, textValue))
    }
  }),
)

const quote = (text: string) => `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`

const numeral = fc.oneof(
  fc.constantFrom('0', '1', '2', '10', '0.5', '1.005', '1e308', '1e-5', '9223372036854775807'),
  fc.constantFrom(
    '9007199254740993',
    '99999999999999999999',
    '0.1',
    '3.0',
    '1.7976931348623157e308',
  ),
  fc.nat(100).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map(String),
)

/** Expressions that have a type as far as can be seen: numbers, texts, conditions. */
export const randomExpressions = fc.letrec<{
  number: string
  text: string
  condition: string
  any: string
}>((tie) => {
  const { number, text, condition, any } = {
    number: tie('number'),
    text: tie('text'),
    condition: tie('condition'),
    any: tie('any'),
  }
  const of = (shape: (...parts: string[]) => string, ...parts: fc.Arbitrary<string>[]) =>
    fc.tuple(...parts).map((all) => shape(...all))
  const call = (names: string[], ...parts: fc.Arbitrary<string>[]) =>
    of((name, ...args) => `${name}(${args.join(', ')})`, fc.constantFrom(...names), ...parts)
  const depth = {
    maxDepth: 5,
    depthSize: 'large' as const,
    depthIdentifier: 'expression',
    withCrossShrink: true,
  }
  return {
    any: fc.oneof(...[number, text, condition].map((arbitrary) => ({ weight: 6, arbitrary })), {
      weight: 1,
      arbitrary: fc.constantFrom('NULL', 'u', 'u'),
    }),
    number: fc.oneof(
      depth,
      numeral,
      fc.constantFrom('x', 'y', 'n', 'm', 'on', 'dec'),
      of(
        (a, op, b) => `(${a} ${op} ${b})`,
        number,
        fc.constantFrom('+', '-', '*', '/', '%'),
        number,
      ),
      of((a) => `(- ${a})`, number),
      call(['abs', 'sign', 'floor', 'ceil', 'trunc', 'round', 'sqrt', 'exp', 'ln', 'sin'], number),
      call(['min', 'max', 'pow', 'atan2', 'ifNull', 'nullIf', 'coalesce'], number, number),
      call(['round'], number, fc.constantFrom('0', '1', '2', '-1', '20')),
      call(['if'], condition, number, number),
      call(
        ['bitAnd', 'bitOr', 'bitXor'],
        fc.constantFrom('n', 'm', '6'),
        fc.constantFrom('n', '3'),
      ),
      call(['len'], text),
      of((a) => `CAST(${a} AS LONG)`, any),
      of((a) => `CAST(${a} AS DOUBLE)`, any),
      of((a, b, c, d) => `CASE ${a} WHEN ${b} THEN ${c} ELSE ${d} END`, any, any, number, number),
    ),
    text: fc.oneof(
      depth,
      fc.constantFrom(...texts).map(quote),
      fc.constant('s'),
      of((a, b) => `(${a} + ${b})`, text, any),
      of((a, b) => `(${a} || ${b})`, text, any),
      call(['lower', 'upper', 'trim', 'ltrim', 'rtrim'], text),
      call(['left', 'right', 'substr'], text, fc.constantFrom('-1', '0', '1', '2', 'n')),
      call(['mid'], text, fc.constantFrom('1', '2'), fc.constantFrom('0', '1', '5')),
      call(['replaceAll'], text, text, text),
      call(['if'], condition, text, text),
      call(['coalesce', 'min', 'max'], text, text),
      of((a) => `CAST(${a} AS STRING)`, any),
      of((a) => `dtFormatter(${a}, 'yyyy-MM-dd HH:mm')`, fc.constantFrom('n', '0', 'x')),
    ),
    condition: fc.oneof(
      depth,
      fc.constantFrom('TRUE', 'FALSE', 'NULL', 'on'),
      of(
        (a, op, b) => `(${a} ${op} ${b})`,
        any,
        fc.constantFrom('=', '<>', '<', '<=', '>', '>='),
        any,
      ),
      of(
        (a, op, b) => `(${a} ${op} ${b})`,
        condition,
        fc.constantFrom('AND', 'OR', '&&'),
        condition,
      ),
      of((a) => `(NOT ${a})`, condition),
      of((a) => `(${a} IS NULL)`, any),
      of((a, b, c) => `(${a} IN (${b}, ${c}))`, any, any, any),
      of((a, b, c) => `(${a} NOT BETWEEN ${b} AND ${c})`, any, any, any),
      of((a, b) => `(${a} LIKE ${b})`, text, fc.constantFrom("'%a%'", "'_'", "'1%'", 's')),
      call(['isNull'], any),
      call(['contains', 'startsWith', 'endsWith'], text, text),
      of((a) => `CAST(${a} AS BOOLEAN)`, any),
    ),
  }
})
