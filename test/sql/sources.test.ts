/** Rows of JSON and CSV. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpressionError, type ExpressionValue } from '../../src/expression/index.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

function rowsOf(table: string, text: string | null) {
  return runGsSql(`SELECT * FROM ${table}`, { variables: { '@HTTP_BODY': text } })[0].rows
}

const json = (columns: string, text: string | null, ...rows: ExpressionValue[][]) =>
  assert.deepEqual(
    rowsOf(`JSON_TABLE(@HTTP_BODY) WITH (${columns})`, text),
    rows,
    `${columns} of ${text}`,
  )

const csv = (columns: string, text: string | null, ...rows: ExpressionValue[][]) =>
  assert.deepEqual(
    rowsOf(`CSV_TABLE(@HTTP_BODY) WITH (${columns})`, text),
    rows,
    `${columns} of ${text}`,
  )

const fails = (table: string, text: string, message: RegExp) =>
  assert.throws(
    () => rowsOf(table, text),
    (error) => error instanceof ExpressionError && message.test(error.message),
    text,
  )

test('JSON_TABLE gives a row of a document, and NULL where a path does not exist', () => {
  json("a LONG '$.a', b STRING '$.b.c', d STRING '$.d'", '{"a":1,"b":{"c":"x"}}', [1, 'x', null])
  json("a STRING '$'", '"x"', ['x'])
  json("a STRING '$'", ' {"b" : [1, 2]} ', ['{"b" : [1, 2]}'])
  json("a STRING '$[1]', b LONG '$[0]'", '[5,"y"]', ['y', 5])
  json("a STRING '$[''odd name'']', b STRING '$.größe'", '{"odd name":"x","größe":"y"}', ['x', 'y'])
  json("a LONG '$[''''].a'", '{"":{"a":5}}', [5])
  json("a STRING '$.a'", '[1]', [null])
  json("a STRING '$.a'", '{"a":null}', [null])
})

test('JSON_TABLE expands arrays along one path', () => {
  json("v LONG '$[*]'", '[1,2,3]', [1], [2], [3])
  json(
    "id STRING '$.id', v LONG '$.list[*].v'",
    '{"list":[{"v":1},{}],"id":"x"}',
    ['x', 1],
    ['x', null],
  )
  json(
    "a STRING '$.a[*].n', b LONG '$.a[*].b[*]'",
    '{"a":[{"b":[1,2],"n":"x"},{"n":"y"},{"b":[3],"n":"z"}]}',
    ['x', 1],
    ['x', 2],
    ['z', 3],
  )
  json("b LONG '$[*][*]'", '[[1,2],[],[3]]', [1], [2], [3])
  json("v LONG '$.list[*]'", '{"list":{}}')
  json("v LONG '$.list[*]'", '{}')
  json("v LONG '$.list[*]'", '{"list":[]}')
  json(
    "first LONG '$.list[0]', v LONG '$.list[*]', whole STRING '$.list'",
    '{"list":[7, 8]}',
    [7, 7, '[7, 8]'],
    [7, 8, '[7, 8]'],
  )
})

test('JSON_TABLE gives values the types of their columns', () => {
  const all = "l LONG '$.x', d DOUBLE '$.x', s STRING '$.x', b BOOLEAN '$.x', g BIGDECIMAL '$.x'"
  json(all, '{"x":1.50}', [1, 1.5, '1.50', null, '1.50'])
  json(all, '{"x":"1"}', [1, 1, '1', true, '1'])
  json(all, '{"x":true}', [1, 1, 'true', true, '1'])
  json(all, '{"x":"warm"}', [null, null, 'warm', null, null])
  json(all, '{"x":[1]}', [null, null, '[1]', null, null])
  json(all, '{"x":9223372036854775807}', [
    9_223_372_036_854_775_807n,
    2 ** 63,
    '9223372036854775807',
    null,
    '9223372036854775807',
  ])
  json("d DOUBLE '$.x', l LONG '$.x'", '{"x":1e999}', [null, null])
  json("s STRING '$.x'", '{"x":"a\\"b\\\\\\u00e9\\n"}', ['a"b\\é\n'])
})

test('JSON_TABLE reads strict JSON; of a repeated name the first counts', () => {
  json("a LONG '$.a'", '{"a":1,"a":2}', [1])
  json("a LONG '$.a'", '\uFEFF{"a":1}', [1])
  for (const text of [null, '', ' \n']) json("a LONG '$.a'", text)
  const table = "JSON_TABLE(@HTTP_BODY) WITH (a LONG '$.a')"
  const broken = [
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '[1,]',
    '[1 2]',
    '[,1]',
    '{"a":1}}',
    '{"a":1} x',

    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":NaN}',
    '{"a":0x1}',
    '{"a":tru}',
    '{"b":"\n"}',
    '{"b":"\\x"}',
    '{"b":"x}',
    '// x\n{}',
    'undefined',
    '"',
    '-',
    '{"a":1,"b"}',
    '[1}',
    '{"a":1]',
  ]
  for (const text of broken)
    fails(table, text, /^The text is no JSON: .* at its line \d+, column \d+$/)
  fails(table, `${'['.repeat(501)}${']'.repeat(501)}`, /nested deeper than 500 levels/)
  fails(table, '{\n"a":1,\n"b":?}', /line 3, column 5/)
})

test('CSV_TABLE gives a row of each line', () => {
  csv('1 a STRING, 3 c LONG', 'x,y,1\nz,y,2,more', ['x', 1], ['z', 2])
  csv('1 a STRING, 2 b STRING', 'x\r\n\r\ny,"q ""r"" s"\r\n', ['x', null], ['y', 'q "r" s'])
  csv('1 a STRING, 2 b STRING, 3 c LONG', ',"",', [null, '', null])
  csv('1 a STRING, 2 b DOUBLE', '"a\nb",1.5\n5" pipe, 2 ', ['a\nb', 1.5], ['5" pipe', 2])
  csv('1 a BOOLEAN, 2 b BIGDECIMAL', 'TRUE,1.10\n0,x', [true, '1.10'], [false, null])
  csv('2 b STRING', 'x', [null])
  csv('1 a STRING', 'x\n""\n \n" "\ny', ['x'], [''], [' '], ['y'])
  for (const text of [null, '', '\n \n']) csv('1 a STRING', text)
  assert.deepEqual(
    rowsOf("CSV_TABLE(@HTTP_BODY) DELIMITER ';' HEADER WITH (2 b LONG) AS t", 'a;b\n1;2'),
    [[2]],
  )
  fails('CSV_TABLE(@HTTP_BODY) WITH (1 a STRING)', 'x\n"y', /row 2 has an unclosed quote/)
  fails('CSV_TABLE(@HTTP_BODY) WITH (1 a STRING)', '"y"z', /row 1 has text after a closing quote/)
})

test('CSV_TABLE drops the first row of an external result by itself', () => {
  const variables = { '@JDBC_RESULT': 'ID,V\na,1' }
  const text = 'SELECT * FROM CSV_TABLE(@JDBC_RESULT) WITH (1 id STRING, 2 v LONG)'
  assert.deepEqual(runGsSql(text, { variables })[0].rows, [['a', 1]])
})

test('a long text takes time in line with its length', () => {
  const elements = Array.from({ length: 20_000 }, (_, index) => `{"id":"s${index}","v":${index}}`)
  const rows = rowsOf(
    "JSON_TABLE(@HTTP_BODY) WITH (dev STRING '$.dev', v LONG '$.list[*].v')",
    `{"list":[${elements.join(',')}],"dev":"d"}`,
  )
  assert.equal(rows.length, 20_000)
  assert.deepEqual(rows.at(-1), ['d', 19_999])
  const quotes = rowsOf('CSV_TABLE(@HTTP_BODY) WITH (1 a STRING)', `"${'""'.repeat(100_000)}"`)
  assert.equal(String(quotes[0][0]).length, 100_000)
})
