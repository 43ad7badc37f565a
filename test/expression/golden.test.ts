/** What expressions mean, case by case, in closures, over columns and in SQLite. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  checkExpression,
  compileExpression,
  ExpressionError,
  type ExpressionType,
  type ExpressionValue,
  expressionFunctions,
} from '../../src/expression/index.ts'
import { ExpressionSqlite } from '../support/expression-sqlite.ts'

const sqlite = new ExpressionSqlite()
after(() => sqlite.close())

/** The variables of all cases: one of each type, and one that is NULL. */
const given: Record<string, [ExpressionType, ExpressionValue]> = {
  t: ['DOUBLE', 21.5],
  n: ['LONG', 7],
  big: ['LONG', 9_223_372_036_854_775_807n],
  s: ['STRING', 'Pump'],
  on: ['BOOLEAN', true],
  d: ['BIGDECIMAL', '0.1000000000000000000001'],
  u: ['UNKNOWN', 4],
  w: ['UNKNOWN', 'word'],
  none: ['DOUBLE', null],
  'room temp': ['DOUBLE', 19],
}
const variables = Object.entries(given).map(([name, [type]]) => ({ name, type }))
const values = Object.values(given).map(([, value]) => value)

function check(text: string, expected: ExpressionValue, type?: ExpressionType): void {
  const checked = checkExpression(text, { variables })
  const compiled = compileExpression(checked)
  const actual = compiled.evaluate(values)
  assert.ok(actual === expected, `${text}: ${actual}, not ${expected}`)
  if (type !== undefined) assert.equal(checked.type, type, text)
  const inSqlite = sqlite.evaluate(checked, values)
  assert.ok(inSqlite === expected, `${text} in SQLite: ${inSqlite}, not ${expected}`)
  const isDouble = checked.used.every((index) => typeof values[index] !== 'bigint')
  if (compiled.evaluateNumbers === undefined || !isDouble) return
  const columns = values.map((value) =>
    Float64Array.of(value === null ? Number.NaN : Number(value)),
  )
  const results = Float64Array.of(0)
  assert.equal(compiled.evaluateNumbers(columns, results).count, 0, text)
  if (typeof expected === 'bigint') return
  const number = expected === null ? Number.NaN : Number(expected)
  assert.ok(Object.is(results[0] + 0, number + 0), `${text} over columns: ${results[0]}`)
}

function fails(text: string, message: RegExp): void {
  const checked = checkExpression(text, { variables })
  const { evaluate } = compileExpression(checked)
  assert.throws(() => evaluate(values), { name: 'ExpressionError', message }, text)
  assert.throws(() => sqlite.evaluate(checked, values), { message }, `${text} in SQLite`)
}

function refuses(text: string, message: RegExp, place?: string): void {
  try {
    checkExpression(text, { variables })
  } catch (error) {
    assert.ok(error instanceof ExpressionError, text)
    assert.match(error.message, message, text)
    if (place !== undefined) {
      assert.equal(`${error.line}:${error.column}+${error.length}`, place, text)
    }
    return
  }
  assert.fail(`${text} is taken`)
}

test('calculations keep LONG exact, divide as DOUBLE and give NULL for a division by zero', () => {
  check('1 + 2 * 3', 7, 'LONG')
  check('(1 + 2) * 3', 9)
  check('7 / 2', 3.5, 'DOUBLE')
  check('6 / 2', 3, 'DOUBLE')
  check('1 / 0', null)
  check('1.5 / 0', null)
  check('0 / 0', null)
  check('7 % 0', null)
  check('7 % 4', 3, 'LONG')
  check('-7 % 4', -3)
  check('7 % -4', 3)
  check('7.5 % 2', 1.5, 'DOUBLE')
  check('-7.5 % 2', -1.5)
  check('10 - 4 - 3', 3)
  check('2 - -3', 5)
  check('- - 3', 3)
  check('-n', -7, 'LONG')
  check('+n', 7)
  check('t + n', 28.5, 'DOUBLE')
  check('.5 + 1. + 1e1', 11.5)
  check('n + none', null)
  check('none * 0', null)
  check('NULL + 1', null)
  check('on + 1', 2, 'LONG')
  check('d * 10', 1)
  check('u * 2.5', 10, 'UNKNOWN')
})

test('LONG is exact up to 2^63 and becomes DOUBLE beyond', () => {
  check('9007199254740991 + 2', 9_007_199_254_740_993n, 'LONG')
  check('9007199254740993 - 9007199254740992', 1)
  check('big', 9_223_372_036_854_775_807n)
  check('big - 1', 9_223_372_036_854_775_806n)
  check('big + 1', 2 ** 63)
  check('big * big', 2 ** 126)
  check('0 - big - 1', -9_223_372_036_854_775_808n)
  check('-(0 - big - 1)', 2 ** 63)
  check('abs(0 - big - 1)', 2 ** 63)
  check('big % 10', 7)
  check('(big + 1) % 10', 8)
  check('3037000500 * 3037000500', 3_037_000_500 ** 2)
  check('92233720368547758079', 2 ** 63 * 10, 'DOUBLE')
  check('-9223372036854775808', -(2n ** 63n), 'LONG')
  check('- 9223372036854775808 + 1', -9_223_372_036_854_775_807n, 'LONG')
  check('9223372036854775808', 2 ** 63, 'DOUBLE')
  check('-9223372036854775809', -(2 ** 63), 'DOUBLE')
  check('-9223372036854775808.0', -(2 ** 63), 'DOUBLE')
  check('-0', 0, 'LONG')
  check('-0.0', -0, 'DOUBLE')
  check('-0.0 = 0', true)
  check('big = big + 0', true)
  check('big < 9223372036854775807.0', true)
  check('max(big, 1)', 9_223_372_036_854_775_807n)
})

test('what is not finite fails', () => {
  fails('1e308 * 10', /"\*" is not finite/)
  fails('1e308 + 1e308', /"\+" is not finite/)
  fails('-1e308 - 1e308', /"-" is not finite/)
  fails('1e308 / 0.01', /"\/" is not finite/)
  fails('sqrt(-1)', /sqrt\(\) is no number/)
  fails('ln(0)', /ln\(\) is not finite/)
  fails('pow(10, 400)', /pow\(\) is not finite/)
  fails('exp(1000)', /not finite/)
  fails('asin(2)', /no number/)
  fails(
    'big * big * big * big * big * big * big * big * big * big * big * big * big * big * big * big * big',
    /not finite/,
  )
  check('if(1 > 2, sqrt(-1), 5)', 5)
  check('CASE WHEN FALSE THEN 1e308 * 10 ELSE 1 END', 1)
  check('ifNull(1, ln(0))', 1)
})

test('+ and || join texts, and || between conditions is OR', () => {
  check("'a' + 'b'", 'ab', 'STRING')
  check("'a' + 1", 'a1')
  check("1 + 2 + 'a'", '3a')
  check("'a' + 1 + 2", 'a12')
  check("'x' + 1.50", 'x1.5')
  check("'x' + 3.0", 'x3')
  check("'x' + 1e300", 'x1e+300')
  check("'on: ' + on", 'on: true')
  check("'d' + d", 'd0.1000000000000000000001')
  check("'a' + NULL", null)
  check('s || n', 'Pump7')
  check('1 || 2', '12')
  check('w + 1', 'word1', 'UNKNOWN')
  check('u + 1', 5)
  check('n = 7 || n = 8', true, 'BOOLEAN')
  check("s = 'Pu' || 'mp'", true)
  check("s = 'Pu' || 'mp' AND n = 7", true)
  check("'x' || s = 'xPump'", true)
  check('on || n > 10', true)
  check('FALSE || isNull(none)', true)
  check('(n > 10) || (t > 20)', true)
  check('n BETWEEN 8 AND 9 || n = 7', true)
  check('NOT on || n = 7', true)
  refuses('1 || 2 * 3', /a number, got a text/, '1:1+6')
})

test('comparisons order numbers before texts, and a number never equals a text', () => {
  check('1 = 1.0', true, 'BOOLEAN')
  check('1 == 1', true)
  check('1 != 1', false)
  check('1 <> 2', true)
  check("1 = '1'", false)
  check("u = '4'", false)
  check("w = 'word'", true)
  check("99 < '1'", true)
  check('w > 5', true)
  check("'a' < 'b'", true)
  check("'Z' < 'a'", true)
  check("'\u{ffff}' < '😀'", true)
  check('on = 1', true)
  check("on = 'true'", false)
  check('none = none', null)
  check('none <> 1', null)
  check('d > 0.1', false)
  check('d = 0.1', true)
  check('1 < 2 = TRUE', true)
  check('9007199254740993 > 9007199254740992.0', true)
})

test('checkExpression() warns of numbers that are compared with texts, and of nothing else', () => {
  const warns = (text: string, ...places: number[]) => {
    const { warnings } = checkExpression(text, { variables })
    assert.deepEqual(
      warnings.map(({ column }) => column),
      places,
      text,
    )
  }
  warns("n = '7'", 5)
  warns("s > 5 AND d <> 'x'", 5, 16)
  warns("n IN (1, '2')", 10)
  warns('CASE s WHEN 1 THEN 2 END', 13)
  warns("t BETWEEN 'a' AND 2", 11)
  warns("s = 'x' OR n = 1.5 OR on = 1 OR u = 'x' OR w = 1 OR none = NULL OR s = NULL")
})

test('AND, OR and NOT know NULL', () => {
  check('TRUE AND NULL', null)
  check('FALSE AND NULL', false)
  check('NULL AND FALSE', false)
  check('TRUE OR NULL', true)
  check('NULL OR TRUE', true)
  check('FALSE OR NULL', null)
  check('NOT NULL', null)
  check('NOT TRUE', false)
  check('!on', false)
  check('NOT n = 8', true)
  check('!FALSE && TRUE', true)
  check('1 && 0', false)
  check('none AND on', null)
  check('TRUE OR FALSE AND FALSE', true)
  check("if(5, 'y', 'n')", 'y')
  check("if(0.0, 'y', 'n')", 'n')
  check("if(none, 'y', 'n')", 'n')
  check("if(u, 'y', 'n')", 'y')
  fails("if(w, 'y', 'n')", /condition, got the text "word"/)
})

test('tests: IS NULL, IN, BETWEEN, LIKE, each with NOT', () => {
  check('none IS NULL', true)
  check('n IS NOT NULL', true)
  check('n IN (1, 7)', true)
  check('n NOT IN (1, 2)', true)
  check("n IN (1, '7')", false)
  check('n IN (1, NULL)', null)
  check('n IN (7, NULL)', true)
  check('none IN (1)', null)
  check('n BETWEEN 1 AND 7', true)
  check('n NOT BETWEEN 1 AND 6', true)
  check('n BETWEEN NULL AND 6', false)
  check('n BETWEEN NULL AND 8', null)
  check('none BETWEEN 1 AND 2', null)
  check("s LIKE 'p_m%'", true)
  check("s LIKE 'P'", false)
  check("s NOT LIKE '%x%'", true)
  check("'ÄÖ' LIKE 'äö'", true)
  check("'ΟΔΟΣ' LIKE 'οδος'", true)
  check("'abcabd' LIKE '%abd'", true)
  check("'' LIKE '%'", true)
  check("'😀x' LIKE '_x'", true)
  check("none LIKE 'x'", null)
  check("n LIKE '7'", true)
})

test('choices take one type where they can', () => {
  check('if(on, 1, 2.5)', 1, 'DOUBLE')
  check("if(on, 1, 'x')", 1, 'UNKNOWN')
  check("if(on, TRUE, 'x')", 1, 'UNKNOWN')
  check('if(on, NULL, 2)', null, 'LONG')
  check('coalesce(none, n, 3)', 7)
  check('nullIf(n, 7)', null)
  check('nullIf(n, none)', 7)
  check("nullIf(n, '7')", 7)
  check("CASE n WHEN 1 THEN 'one' WHEN 7 THEN 'seven' END", 'seven', 'STRING')
  check("CASE n WHEN '7' THEN 'text' ELSE 'no' END", 'no')
  check('CASE none WHEN NULL THEN 1 ELSE 2 END', 2)
  check("CASE WHEN n < 5 THEN 'low' WHEN n < 10 THEN 'mid' ELSE 'high' END", 'mid')
  check('CASE WHEN n < 5 THEN 1 END', null)
  check('min(3, 1.5)', 1.5)
  check("min(3, 'a')", 3)
  check("max('b', 'a')", 'b')
  check('max(n, none)', null)
  check('min(TRUE, FALSE)', false)
})

test('CAST reads whole texts and cuts off fractions', () => {
  check("CAST(' 12.9 ' AS LONG)", 12, 'LONG')
  check('CAST(-1.9 AS LONG)', -1)
  check("CAST('12x' AS LONG)", null)
  check("CAST('' AS DOUBLE)", null)
  check("CAST('0x10' AS LONG)", null)
  check("CAST('1e3' AS LONG)", 1000)
  check("CAST('9223372036854775807' AS LONG)", 9_223_372_036_854_775_807n)
  check("CAST('9223372036854775808' AS LONG)", null)
  check('CAST(1e300 AS LONG)', null)
  check("CAST('1e999' AS DOUBLE)", null)
  check("CAST('1.5' AS DOUBLE) * 2", 3)
  check("CAST('TRUE' AS BOOLEAN)", true, 'BOOLEAN')
  check("CAST('0' AS BOOLEAN)", false)
  check('CAST(2 AS BOOLEAN)', null)
  check("CAST('yes' AS BOOLEAN)", null)
  check('CAST(1.50 AS STRING)', '1.5')
  check('CAST(on AS STRING)', 'true')
  check("CAST('0.10000000000000000001' AS BIGDECIMAL)", '0.10000000000000000001', 'BIGDECIMAL')
  check("CAST('0.5' AS BIGDECIMAL) + 1", 1.5)
  check('CAST(none AS LONG)', null)
})

test('texts are counted in characters', () => {
  check("len('😀a')", 2)
  check("left('😀ab', 2)", '😀a')
  check("right('ab😀', 1)", '😀')
  check("right('ab', 5)", 'ab')
  check("right('ab', -1)", '')
  check("substr('hello', 0, 2)", 'h')
  check("substr('hello', 2)", 'ello')
  check("substr('hello', -2, 1)", 'l')
  check("substr('hello', 2, -1)", '')
  check("substr('hello', 2.9, 1.9)", 'e')
  check('len(1234)', 4)
  check("replaceAll('a.b.c', '.', '$&')", 'a$&b$&c')
  check("replaceAll('aaa', '', 'x')", 'aaa')
  check("parseCsv('a,b', 3)", null)
  check("parseCsv('a,', 2)", '')
  check("parseCsv(parseCsv('a;b,c', 1), 2, ';')", 'b')
  check('parseCsv(\'"x""y"\', 1)', 'x"y')
  check("indexOf('😀:', ':')", 2)
})

test('names and keywords have any capitals; quotes and comments are those of SQL', () => {
  check('N + T', 28.5)
  check('IF(ISNULL(None), Abs(-1), 2)', 1)
  check('"room temp" - 1', 18)
  check('"ROOM TEMP" - 1', 18)
  check('"no variable"', 'no variable')
  check("'it''s'", "it's")
  check('"say ""hi"""', 'say "hi"')
  check('1 -- one\n + /* two */ 2', 3)
  check('not true or true', true)
})

test('dates are LONGs that patterns write and read', () => {
  check("dtFormatter(0, 'yyyy-MM-dd')", '1970-01-01', 'STRING')
  check("dtFormatter(none, 'yyyy')", null)
  check("toEpochMillis('1970-01-02', 'yyyy-MM-dd')", 86_400_000, 'LONG')
  fails("dtFormatter(0, 'YYYY')", /Use y/)
  fails("dtFormatter(0, 'yyyy', 'Mars/Base')", /Unknown time zone/)
  fails("toEpochMillis('x', 'yyyy')", /expected a year at character 1/)
  const zoned = checkExpression("dtFormatter(0, 'HH:mm')", { timeZoneId: 'Asia/Tokyo' })
  assert.equal(compileExpression(zoned).evaluate([]), '09:00')
  assert.equal(sqlite.evaluate(zoned), '09:00')
})

test('every example of the table of functions gives what it says', () => {
  assert.ok(expressionFunctions.length > 40)
  for (const { name, examples } of expressionFunctions) {
    assert.ok(examples.length > 0, name)
    for (const [text, result] of examples) check(text, result)
  }
})

test('errors have their place and say what to change', () => {
  refuses('', /is empty/, '1:1+0')
  refuses('  ', /is empty/)
  refuses('1 +', /is incomplete: expected a number, a text/, '1:4+0')
  refuses('1 2', /"2": expected an operator such as \+/, '1:3+1')
  refuses('(1', /is incomplete: expected "\)"/, '1:3+0')
  refuses('1)', /This "\)" has no matching "\("/, '1:2+1')
  refuses('n +\n  foo', /Unknown variable "foo"/, '2:3+3')
  refuses('"room tem" + 1 + tt', /Unknown variable "tt": did you mean "t"\?/)
  refuses('abss(1)', /did you mean abs\?/, '1:1+4')
  refuses('log(1)', /write ln or log10/)
  refuses('left(s)', /Write left\(text, count\)/)
  refuses('pi(1)', /takes no arguments/)
  refuses('s - 1', /a number, got a text/, '1:1+1')
  refuses("sqrt('x')", /Expected a number/, '1:6+3')
  refuses('s AND on', /a condition, got a text/, '1:1+1')
  refuses("'abc", /not closed\. Add ' at the end/, '1:1+1')
  refuses('1 /* 2', /comment is not closed/, '1:3+2')
  refuses('n # 2', /U\+0023/, '1:3+1')
  refuses('CAST(1 AS FOO)', /Unknown type FOO/, '1:11+3')
  refuses('n BETWEEN 1', /BETWEEN low AND high/)
  refuses('and + 1', /in double quotes/)
  refuses('CASE END', /Unexpected "END"/)
  refuses('n NOT 5', /IN, LIKE, or BETWEEN/)
  refuses('n IN ()', /Unexpected/)
  refuses('1e999', /too large/)
  refuses('"abs"(1)', /must not be quoted/)
  refuses('s.x', /Unknown variable "s.x"/)
})

test('ExpressionError points at the mistake in its line', () => {
  const pointer = (text: string) => {
    try {
      checkExpression(text, { variables })
    } catch (error) {
      return error instanceof ExpressionError ? error.pointer : undefined
    }
    return undefined
  }
  assert.equal(pointer('n +\n\tfoo * 2'), '\tfoo * 2\n\t^^^')
  assert.equal(pointer('1 +'), '1 +\n   ^')
  const long = pointer(`${'n + '.repeat(100)}foo${' + n'.repeat(100)}`) ?? ''
  assert.equal(long.split('\n')[0].length, 100)
  assert.match(long, /foo \+ n[\s\S]*\n +\^\^\^$/)
})
