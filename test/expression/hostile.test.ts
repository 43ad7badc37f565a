/** Expressions made to break what reads and runs them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkExpression,
  compileExpression,
  EVALUATION_CHARACTERS_MAX,
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_LENGTH_MAX,
  EXPRESSION_NESTING_MAX,
  EXPRESSION_NODES_MAX,
  type ExpressionValue,
  parseExpression,
  printExpression,
} from '../../src/expression/index.ts'
import { ExpressionSqlite } from '../support/expression-sqlite.ts'

const variables = [
  { name: 'a', type: 'DOUBLE' },
  { name: 's', type: 'STRING' },
] as const

function evaluate(text: string, values: readonly ExpressionValue[] = [2, 'text']) {
  return compileExpression(checkExpression(text, { variables })).evaluate(values)
}

function refuses(text: string, message: RegExp): void {
  assert.throws(() => evaluate(text), { name: 'ExpressionError', message }, text.slice(0, 60))
}

test('what is nested too deep is refused by its place, however it is nested', () => {
  const nestings: [string, string, string][] = [
    ['(', '1', ')'],
    ['abs(', '1', ')'],
    ['-', 'a', ''],
    ['- ', '1', ''],
    ['NOT ', 'TRUE', ''],
    ['!', 'TRUE', ''],
    ['1 + (', '1', ')'],
    ['if(1, ', '1', ', 2)'],
    ['CASE 1 WHEN ', '1', ' THEN 2 END'],
    ['CAST(', '1', ' AS LONG)'],
    ['1 IN (', '1', ')'],
    ['1 BETWEEN (', '1', ') AND 2'],
  ]
  for (const depth of [1_000, 5_000]) {
    for (const [before, inner, behind] of nestings) {
      const text = before.replace(/-$/, '- ').repeat(depth) + inner + behind.repeat(depth)
      const isLong = text.length > EXPRESSION_LENGTH_MAX
      refuses(
        text,
        isLong ? /characters, at most 10000 are allowed/ : /[Nn]ested deeper than (?:100|250)/,
      )
    }
  }
  refuses(`${'('.repeat(101)}a${')'.repeat(101)}`, /Parentheses are nested deeper than 100/)
  refuses(`a${' + a'.repeat(251)}`, /Nested deeper than 250/)
  refuses('('.repeat(10_000), /Parentheses are nested deeper than 100/)
  refuses(`a${' + a'.repeat(1_000)}`, /Nested deeper.*put parts of a long chain in parenth/)
})

test('what is nested as deep as is allowed runs everywhere', () => {
  const sqlite = new ExpressionSqlite()
  const deep = (before: string, inner: string, behind: string, depth: number) =>
    before.repeat(depth) + inner + behind.repeat(depth)
  const texts = [
    deep('(', 'a', ')', EXPRESSION_NESTING_MAX),
    deep('abs(', 'a', ')', EXPRESSION_NESTING_MAX),
    deep('if(a > 1, ', 'a', ', 0)', EXPRESSION_NESTING_MAX),
    `a${' + a'.repeat(EXPRESSION_DEPTH_MAX)}`,
    `a = 2${' AND a = 2'.repeat(EXPRESSION_DEPTH_MAX - 1)}`,
    `s${' + s'.repeat(EXPRESSION_DEPTH_MAX)}`,
    deep('NOT ', 'a = 2', '', EXPRESSION_DEPTH_MAX - 1),
    deep('CASE a WHEN 2 THEN ', 'a', ' END', EXPRESSION_NESTING_MAX),
  ]
  for (const text of texts) {
    const checked = checkExpression(text, { variables })
    const values = [2, 'x']
    const expected = compileExpression(checked).evaluate(values)
    assert.equal(sqlite.evaluate(checked, values), expected, text.slice(0, 30))
    const printed = printExpression(checked.tree)
    assert.equal(printExpression(parseExpression(printed, variables)), printed)
  }
  sqlite.close()
})

test('long texts and many parts are refused, and those within the limits are read', () => {
  refuses('1'.repeat(100_000), /100000 characters, at most 10000/)
  refuses(`'${'x'.repeat(100_000)}'`, /at most 10000/)
  refuses('9'.repeat(400), /too large/)
  const list = Array.from({ length: EXPRESSION_NODES_MAX - 1 }, () => '1').join(',')
  refuses(`a IN (${list})`, /more than 2500 terms/)
  assert.equal(evaluate(`a IN (${'1,'.repeat(2_400)}2)`), true)
  assert.equal(evaluate(`CASE a ${'WHEN 1 THEN 1 '.repeat(600)} ELSE 5 END`), 5)
  assert.equal(evaluate(`CASE ${'WHEN a=1 THEN 1 '.repeat(600)} ELSE 5 END`), 5)
  refuses(`coalesce(${'NULL,'.repeat(100)} 1)`, /does not take 101 arguments/)
  assert.equal(evaluate(`'${'x'.repeat(EXPRESSION_LENGTH_MAX - 2)}'`), 'x'.repeat(9_998))
  const name = 'n'.repeat(9_000)
  refuses(name, /^Unknown variable "n{64}…"/)
  refuses(`${name}(1)`, /^Unknown function "n{64}…"/)
  refuses(`CAST(1 AS ${name})`, /^Unknown type n{40}\./)
  refuses(`1 ${name}`, /^Unexpected "n{40}…"/)
  const many = Array.from({ length: 1_001 }, (_, index) => ({ name: `v${index}`, type: 'LONG' }))
  assert.throws(() => checkExpression('1', { variables: many as never }), /at most 1000/)
})

test('reading takes steps in proportion to the length, whatever the text', () => {
  // Each would be slow if its reader backtracked; the test's time limit detects that.
  const size = EXPRESSION_LENGTH_MAX
  const fill = (part: string, end = '') =>
    part.repeat(Math.floor((size - end.length) / part.length)) + end
  const texts = [
    fill("'"),
    fill('"'),
    fill('/*'),
    fill('/**/'),
    fill('--\n'),
    fill('-- '),
    fill("''"),
    fill('('),
    fill(')'),
    fill('1 '),
    fill('a '),
    fill('||'),
    fill('a||'),
    fill('a=1||', 'a'),

    fill('NOT '),
    fill('!'),
    fill('- '),
    fill('a.'),
    fill('.'),
    fill('1.'),
    fill('1e'),
    fill('9'),

    fill('\u{feff}'),
    fill('\t'),
    fill('é'),
    fill('𝒳'),
    fill('a\u0301'),
    fill('a BETWEEN 1 AND '),
    fill('CASE '),
    fill('WHEN '),
    fill('IN ('),
    fill('if('),
    fill('IS NOT '),
    fill('a,'),
  ]
  for (const text of texts) {
    try {
      checkExpression(text, { variables })
    } catch (error) {
      assert.equal((error as Error).name, 'ExpressionError', text.slice(0, 20))
    }
  }
})

test('odd characters are names, texts or refused by their place, never something else', () => {
  const named = [{ name: 'größe_𝒳', type: 'DOUBLE' as const }]
  const run = (text: string) =>
    compileExpression(checkExpression(text, { variables: named })).evaluate([4])
  assert.equal(run('GRÖßE_𝒳 + 1'), 5)
  refuses('a\0', /U\+0000/)
  refuses("'a\ud800'", /surrogate/)
  refuses('a \u{200b}+ 1', /U\+200B/)
  refuses('a ＋ 1', /U\+FF0B/)
  refuses('ıf(1,2,3)', /Unknown function/)
  refuses('nul\u{0131}', /Unknown variable/)
  refuses('`a`', /U\+0060/)
  refuses('a; b', /U\+003B/)
  refuses('\u{202e}a', /U\+202E/)
  assert.equal(evaluate("'\u{202e}😀'"), '\u{202e}😀')
})

test('an expression reaches nothing but its variables', () => {
  const names = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
  for (const name of [...names, 'globalThis', 'process', 'this', 'arguments', 'require', 'Math']) {
    refuses(name, /Unknown variable/)
    refuses(`${name}(1)`, /Unknown function/)
    refuses(`a.${name}`, /Unknown variable/)
    assert.equal(evaluate(`"${name}"`), name)
    const checked = checkExpression(`${name} + 1`, { variables: [{ name, type: 'LONG' }] })
    assert.equal(compileExpression(checked).evaluate([41]), 42)
  }
  refuses('CAST(1 AS constructor)', /Unknown type constructor/)
  assert.equal(evaluate("replaceAll('aXb', 'X', '$`')"), 'a$`b')
  refuses('a = (SELECT 1)', /Unexpected/)
  refuses('load_extension(1)', /Unknown function/)
  refuses('sqlite_version()', /Unknown function/)
  const twice = [...variables, { name: 'A', type: 'LONG' }] as const
  assert.throws(() => checkExpression('1', { variables: twice }), /"a" and "A" have the same name/)
})

test('texts that grow and searches that go back end by their measure of work', () => {
  const long = 'x'.repeat(1_000_000)
  const fails = (text: string, message: RegExp, values: readonly ExpressionValue[] = [1, long]) =>
    assert.throws(() => evaluate(text, values), { name: 'ExpressionError', message }, text)
  fails('s + s', /more than 1000000 characters/)
  fails("replaceAll(s, 'x', 'xy')", /more than 1000000 characters/)
  fails("replaceAll(s, 'x', s)", /more than 1000000 characters/)
  fails(`len(s)${' + len(s)'.repeat(100)}`, /Too much text to process: at most 5000000/)
  fails(`s = 'y'${' OR s = s'.repeat(1)} AND ${'s <> s + 1 OR '.repeat(20)} FALSE`, /characters/)
  fails("replaceAll(s, 'x', 'y') = replaceAll(s, 'x', 'z')", /Too much text/)
  fails('s LIKE s', /Too much text/, [1, 'ä'.repeat(500_000)])
  assert.equal(evaluate("s LIKE '%Y'", [1, `${long.slice(1)}y`]), true)
  const half = 'x'.repeat(20_000)
  fails(`s LIKE '%${'x'.repeat(5_000)}y%'`, /Too much text/, [1, half])
  const doubling = Array.from({ length: 60 }).reduce<string>(
    (text) => `replaceAll(${text}, 'x', 'xx')`,
    's',
  )
  fails(doubling, /characters/, [1, 'x'])
  assert.ok(EVALUATION_CHARACTERS_MAX <= 5_000_000)
})

test('values that are not of their declared type fail, and what means the same is taken', () => {
  assert.throws(
    () => evaluate('a + 1', ['text', '']),
    /"a" is DOUBLE, but its value is the text "text"/,
  )
  assert.equal(evaluate('a + 1', [true, '']), 2)
  assert.equal(evaluate('a + 1', [Number.NaN, '']), null)
  assert.equal(evaluate('a + 1', []), null)
  assert.equal(evaluate('s + 1', [1, 5]), '51')
  const flag = checkExpression('if(on, 1, 2)', { variables: [{ name: 'on', type: 'BOOLEAN' }] })
  assert.equal(compileExpression(flag).evaluate([0]), 2)
  assert.throws(() => compileExpression(flag).evaluate(['off']), /"on" is BOOLEAN/)
})

test('evaluateNumbers() counts the rows that fail and leaves the others and its inputs as they are', () => {
  const text = 'if(a < 0, NULL, sqrt(a - 10)) + CASE WHEN a > 5 THEN 1 WHEN a > 3 THEN 2 ELSE 3 END'
  const { evaluate: one, evaluateNumbers } = compileExpression(checkExpression(text, { variables }))
  const column = Float64Array.from({ length: 2_000 }, (_, row) => (row % 40) - 10)
  const copy = column.slice()
  const results = new Float64Array(column.length)
  const failed = evaluateNumbers?.([column, column], results)
  assert.deepEqual(column, copy)
  assert.equal(failed?.count, 500)
  assert.equal(failed?.row, 10)
  assert.match(failed?.error?.message ?? '', /sqrt\(\) is no number/)
  for (let row = 0; row < column.length; row++) {
    const expected = column[row] >= 0 && column[row] < 10 ? null : one([column[row], ''])
    assert.ok(Object.is(results[row], expected ?? Number.NaN), `row ${row}`)
  }
})

test('an evaluation ends where it works on one character more than its caller has time for', () => {
  const compiled = compileExpression(checkExpression('upper(s)', { variables }))
  compiled.evaluate([2, 'text'])
  const used = compiled.charactersUsed()
  assert.ok(used >= 4)
  // As often as wanted: what one evaluation used is not counted again in the next.
  for (let round = 0; round < 3; round++) {
    assert.equal(compiled.evaluate([2, 'text'], used), 'TEXT')
    assert.equal(compiled.charactersUsed(), used)
  }
  assert.throws(() => compiled.evaluate([2, 'text'], used - 1), { name: 'LongEvaluation' })
  compiled.evaluate([2, ''])
  assert.equal(compiled.charactersUsed(), 0)
})

test('a function of two numbers is NULL where one of them is, in columns too', () => {
  const numbers = [null, 0, 1, -1, 2, 0.5]
  const pairs = numbers.flatMap((x) => numbers.map((y) => [x, y] as const))
  const column = (at: 0 | 1) => Float64Array.from(pairs, (pair) => pair[at] ?? Number.NaN)
  const doubles = [
    { name: 'x', type: 'DOUBLE' },
    { name: 'y', type: 'DOUBLE' },
  ] as const
  for (const name of ['pow', 'atan2', 'round']) {
    const checked = checkExpression(`${name}(x, y)`, { variables: doubles })
    const { evaluate: one, evaluateNumbers } = compileExpression(checked)
    const results = new Float64Array(pairs.length)
    evaluateNumbers?.([column(0), column(1)], results)
    for (const [at, pair] of pairs.entries()) {
      // 0 to the power of -1 and digits below 0 fail, which a column has as NULL.
      const expected = pair.includes(null) ? null : valueOrNull(() => one([...pair]))
      assert.equal(Number.isNaN(results[at]) ? null : results[at], expected, `${name}(${pair})`)
    }
  }
})

function valueOrNull(evaluateOne: () => ExpressionValue): ExpressionValue {
  try {
    return evaluateOne()
  } catch {
    return null
  }
}
