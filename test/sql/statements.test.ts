/** GS SQL compiled and run on SQLite: what statements give. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpressionError, type ExpressionValue } from '../../src/expression/index.ts'
import type { GsSqlOptions, SqlCell } from '../../src/sql/index.ts'
import { runGsSql } from '../support/run-gs-sql.ts'

/** The rows of the last statement. */
function rowsOf(text: string, variables: Record<string, SqlCell> = {}, options: GsSqlOptions = {}) {
  return runGsSql(text, { variables, now: 1_700_000_000_000n }, options).at(-1)?.rows
}

const check = (text: string, ...rows: ExpressionValue[][]) =>
  assert.deepEqual(rowsOf(text), rows, text)

const PAIRS = `CSV_TABLE('a,1\nb,2\na,3\nc,') WITH (1 id STRING, 2 v LONG)`

test('SELECT gives values with their types and names', () => {
  check("SELECT 1, 'a', 2.5, 1 < 2, NULL", [1, 'a', 2.5, true, null])
  check('SELECT 9223372036854775807 - 1', [9_223_372_036_854_775_806n])
  check('SELECT now(), NOW() - 1', [1_700_000_000_000, 1_699_999_999_999])
  check("select 'it''s', \"so\", 'x' -- a comment\n", ["it's", 'so', 'x'])
  const [{ columns }] = runGsSql('SELECT 1 AS one, v, t.id, v + 1 FROM (SELECT 5 AS v, 6 AS id) t')
  assert.deepEqual(columns, ['one', 'v', 'id', 'v + 1'])
})

test('WHERE, GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET', () => {
  check(`SELECT id, v FROM ${PAIRS} WHERE v > 1 ORDER BY v DESC`, ['a', 3], ['b', 2])
  check(
    `SELECT id, count(*), sum(v) FROM ${PAIRS} GROUP BY id ORDER BY id`,
    ['a', 2, 4],
    ['b', 1, 2],
    ['c', 1, null],
  )
  check(`SELECT id AS k, count(*) AS n FROM ${PAIRS} GROUP BY k HAVING n > 1`, ['a', 2])
  check(`SELECT id FROM ${PAIRS} GROUP BY 1 ORDER BY 1 DESC LIMIT 1 OFFSET 1`, ['b'])
  check(`SELECT v FROM ${PAIRS} ORDER BY v NULLS LAST LIMIT 1`, [1])
  check(`SELECT v FROM ${PAIRS} ORDER BY v LIMIT 2`, [null], [1])
  check(`SELECT v * 2 AS w FROM ${PAIRS} WHERE w >= 4 ORDER BY w`, [4], [6])
  check('SELECT 1 LIMIT 0')
  check(`SELECT 7 AS x, count(*) FROM ${PAIRS} GROUP BY x`, [7, 4])
  check('SELECT count(*), sum(x), max(x) FROM (SELECT 1 AS x WHERE FALSE) t', [0, null, null])
})

test('functions of groups', () => {
  check(
    `SELECT count(v), count(DISTINCT id), avg(v), min(v), max(id), group_concat(id, ';') FROM ${PAIRS}`,
    [3, 3, 2, 1, 'c', 'a;b;a;c'],
  )
  check(
    'SELECT sum(x), sum(DISTINCT x) FROM (SELECT 1 AS x UNION ALL SELECT 1 UNION ALL SELECT 2.5) t',
    [4.5, 3.5],
  )
  check(
    'SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 9223372036854775807) t',
    [2 ** 64],
  )
  check('SELECT sum(x) FROM (SELECT 9007199254740993 AS x UNION ALL SELECT 1) t', [
    9_007_199_254_740_994n,
  ])
  check(`SELECT max(v, 2) FROM ${PAIRS} WHERE id = 'b'`, [2])
  check(
    `SELECT id, max(v) - min(v) FROM ${PAIRS} WHERE v IS NOT NULL GROUP BY id ORDER BY max(v)`,
    ['b', 0],
    ['a', 2],
  )
})

test('a value keeps its own type through UNION ALL', () => {
  check(
    "SELECT 1 AS v UNION ALL SELECT 'on' UNION ALL SELECT 2.0 UNION ALL SELECT 1 = 1 UNION ALL SELECT 9007199254740993",
    [1],
    ['on'],
    [2],
    [true],
    [9_007_199_254_740_993n],
  )
  check("SELECT v + 1 FROM (SELECT 1 AS v UNION ALL SELECT 'on') t", [2], ['on1'])
  check(
    "SELECT v FROM (SELECT 1 AS v UNION ALL SELECT '1' UNION ALL SELECT 2.5) t WHERE v = 1",
    [1],
  )
  check('SELECT 1 AS v UNION SELECT 1 UNION SELECT 0 ORDER BY v', [0], [1])
  check(
    "SELECT 'b' AS v UNION ALL SELECT 5 UNION ALL SELECT 'a' ORDER BY 1 DESC LIMIT 2",
    ['b'],
    ['a'],
  )
  const many = Array.from({ length: 1_200 }, (_, index) => `SELECT ${index} AS x`).join(
    ' UNION ALL ',
  )
  check(`SELECT count(*), sum(x) FROM (${many}) t`, [1_200, 719_400])
})

test('joins', () => {
  const one = "CSV_TABLE('a,1\nb,2') WITH (1 id STRING, 2 x LONG) AS one"
  const two = "CSV_TABLE('a,7\nc,8') WITH (1 id STRING, 2 y LONG) two"
  check(`SELECT one.id, y FROM ${one} JOIN ${two} ON one.id = two.id`, ['a', 7])
  check(
    `SELECT one.id, y FROM ${one} LEFT OUTER JOIN ${two} ON one.id = two.id`,
    ['a', 7],
    ['b', null],
  )
  check(`SELECT * FROM ${one} LEFT JOIN ${two} USING (id)`, ['a', 1, 7], ['b', 2, null])
  check(
    `SELECT id, x, y FROM ${one} FULL JOIN ${two} USING (id) ORDER BY id`,
    ['a', 1, 7],
    ['b', 2, null],
    ['c', null, 8],
  )
  check(`SELECT id, x FROM ${one} RIGHT JOIN ${two} USING (id) ORDER BY id`, ['a', 1], ['c', null])
  check(`SELECT count(*) FROM ${one}, ${two}`, [4])
  check(`SELECT count(*) FROM ${one} CROSS JOIN ${two}`, [4])
  check(`SELECT two.* FROM ${one} INNER JOIN ${two} ON one.id = two.id AND y > 1`, ['a', 7])
})

test('subqueries, EXISTS and IN', () => {
  check(`SELECT (SELECT max(v) FROM ${PAIRS}), (SELECT 1 WHERE FALSE)`, [3, null])
  check('SELECT 2 IN (SELECT 1 UNION SELECT 2), 2 NOT IN (SELECT 1), 3 IN (1, 2, 3)', [
    true,
    true,
    true,
  ])
  check("SELECT 1 IN (SELECT '1')", [false])
  check(
    `SELECT id FROM ${PAIRS.replace('WITH', 'WITH')} t WHERE EXISTS (SELECT 1 FROM (SELECT 'b' AS k) s WHERE s.k = t.id)`,
    ['b'],
  )
  check(
    `SELECT DISTINCT id FROM ${PAIRS} WHERE v IN (SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 3) t)`,
    ['a'],
  )
  check(
    'SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) t WHERE x = (SELECT max(x) FROM (SELECT 1 AS x UNION ALL SELECT 2) u)',
    [2],
  )
})

test('WITH, with columns named and recursion', () => {
  check('WITH a AS (SELECT 1 AS x), b(y) AS (SELECT x + 1 FROM a) SELECT x, y FROM a, b', [1, 2])
  check(
    'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT sum(x) FROM n',
    [15],
  )
  check(
    'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x / 2 FROM n WHERE x > 0.2) SELECT x FROM n',
    [1],
    [0.5],
    [0.25],
    [0.125],
  )
  check(
    "WITH t AS (SELECT '[1,2]' AS j) SELECT v FROM JSON_TABLE((SELECT j FROM t)) WITH (v LONG '$[*]')",
    [1],
    [2],
  )
})

test('SET gives variables, and system variables for tests', () => {
  check('SET @x = 5; SET @Y = @X * 2; SELECT @x, @y', [5, 10])
  check("SET @x = 5; SET @x = 'a'; SELECT @x + 1", ['a1'])
  check(
    "SET @HTTP_BODY = '{\"a\":1}'; SELECT a FROM JSON_TABLE(@HTTP_BODY) WITH (a LONG '$.a')",
    [1],
  )
  check('SET @big = 9007199254740993; SELECT @big', [9_007_199_254_740_993n])
  check('SET @x = TRUE; SELECT @x, if(@x, 1, 2)', [true, 1])
  check(`SET @n = (SELECT count(*) FROM ${PAIRS}); SELECT @n LIMIT @n`, [4])
  check("SELECT ':v0', ':now', 'weir_x('", [':v0', ':now', 'weir_x('])
  assert.deepEqual(rowsOf('SELECT @HTTP_METHOD, @HTTP_BODY', { '@HTTP_METHOD': 'PUT' }), [
    ['PUT', null],
  ])
})

test('|| is OR between conditions, columns among them, else it joins texts', () => {
  const flags = `JSON_TABLE('{"a":false,"b":true}') WITH (a BOOLEAN '$.a', b BOOLEAN '$.b')`
  check(`SELECT a || b FROM ${flags}`, [true])
  check(`SELECT 1 FROM ${flags} WHERE a || b = FALSE`)
  check(`SELECT b || 'x' FROM ${flags}`, ['truex'])
  check("SELECT 1 = 2 || 2 = 2, 'a' || 1", [true, 'a1'])
  check(`SELECT "a" || "b", "c" FROM ${flags}`, [true, 'c'])
})

test('|| is OR however many statements, subqueries and levels it stands in', () => {
  const either = 'SELECT a FROM (SELECT 1 > 0 AS a, 2 < 1 AS b) t WHERE a || b'
  const nested = (depth: number): string =>
    depth === 0
      ? either
      : `SELECT a FROM (SELECT u.a || u.a AS a, 1 > 2 AS b FROM (${nested(depth - 1)}) u) t WHERE b || a`
  for (const count of [3, 20]) {
    const all = runGsSql(Array.from({ length: count }, () => either).join('; '))
    assert.deepEqual(
      all.map(({ rows }) => rows),
      Array.from({ length: count }, () => [[true]]),
    )
    check(
      `SELECT 1 WHERE ${Array.from({ length: count }, () => `EXISTS (${either})`).join(' AND ')}`,
      [1],
    )
  }
  check(nested(6), [true])
  const many = Array.from({ length: 60 }, () => `EXISTS (${either})`).join(' AND ')
  assert.throws(() => runGsSql(`SELECT 1 WHERE ${many}`), /Write OR/)
})

test('INSERT OR REPLACE INTO SAMPLE gives its rows in one order, and its options', () => {
  const insert = (text: string) => runGsSql(text).at(-1)
  const plain = insert(
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', 5, 1.5",
  )
  assert.deepEqual(plain, {
    kind: 'insert',
    columns: ['CID', 'ID', 'TIME', 'SAMPLE'],
    rows: [['c', 's', 5, 1.5]],
  })
  const other = insert(
    "insert or replace into sample(sample, id, cid) select 1 = 1, 7, 8.5 union all select 'x', 7, 8",
  )
  assert.deepEqual(other?.rows, [
    ['8.5', '7', null, true],
    ['8', '7', null, 'x'],
  ])
  const options = "(COMP_TMPL_ID='t', FOLDER_PATH='/Components/' + 'x', CNAME = @n)"
  const early = insert(
    `SET @n = 'name'; INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH ${options} SELECT 'c', 's', NULL, 1`,
  )
  assert.deepEqual(early?.options, {
    COMP_TMPL_ID: 't',
    FOLDER_PATH: '/Components/x',
    CNAME: 'name',
  })
  const late = insert(
    `SET @n = 'name'; WITH d AS (SELECT 1 AS v) INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', '12', v FROM d WITH ${options}`,
  )
  assert.deepEqual(late?.options, early?.options)
  assert.deepEqual(late?.rows, [['c', 's', 12, 1]])
  const behind = insert(
    'INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (CNAME=1) WITH d AS (SELECT 2 AS v) SELECT v, v, 1700000000000.0, v FROM d',
  )
  assert.deepEqual(behind?.rows, [['2', '2', 1_700_000_000_000, 2]])
  assert.deepEqual(behind?.options, { CNAME: '1' })
  const part =
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', 1700000000000.7, 1"
  assert.throws(() => insert(part), /TIME must be integer epoch milliseconds, got 1700000000000\.7/)
})

test('dates are read on the clock of the given zone', () => {
  const text = "SELECT TOEPOCHMILLIS('2024-07-01 12:00', 'yyyy-MM-dd HH:mm')"
  assert.deepEqual(rowsOf(text), [[1_719_835_200_000]])
  assert.deepEqual(rowsOf(text, {}, { timeZoneId: 'Europe/Berlin' }), [[1_719_828_000_000]])
})

test('stored tables are read where they are given, and only by the columns that are used', () => {
  const stored = {
    SAMPLE: [
      { name: 'CID', type: 'STRING' },
      { name: 'ID', type: 'STRING' },
      { name: 'SAMPLE', type: 'UNKNOWN' },
    ],
  } as const
  const rows = {
    SAMPLE: [
      { CID: 'c', ID: 'a', SAMPLE: 5n },
      { CID: 'd', ID: 'a', SAMPLE: 'x' },
    ],
  }
  const [result] = runGsSql(
    "SELECT SAMPLE FROM Sample s WHERE s.cid = 'c'",
    { stored: rows },
    { stored },
  )
  assert.deepEqual(result.rows, [[5]])
  assert.throws(
    () => runGsSql('SELECT 1 FROM SAMPLE'),
    /Table SAMPLE cannot be read in a connector/,
  )
})

test('a failure at run time has its place', () => {
  const checkPlace = (text: string, message: RegExp, place: string, variables = {}) => {
    try {
      rowsOf(text, variables)
      assert.fail(text)
    } catch (error) {
      assert.ok(error instanceof ExpressionError, String(error))
      assert.match(error.message, message)
      const line = text.split('\n')[error.line - 1]
      assert.equal(line.slice(error.column - 1, error.column - 1 + error.length), place)
    }
  }
  checkPlace(
    "SELECT 1,\n  TOEPOCHMILLIS('x', 'yyyy')",
    /Cannot read "x" as a date/,
    "TOEPOCHMILLIS('x', 'yyyy')",
  )
  checkPlace(
    "SELECT 1 FROM JSON_TABLE(@HTTP_BODY) WITH (a STRING '$.a')",
    /no JSON.*line 1, column 2/,
    '@HTTP_BODY',
    { '@HTTP_BODY': '{' },
  )
  checkPlace(
    "SELECT 1 FROM CSV_TABLE('a,\"b') WITH (1 a STRING)",
    /row 1 has an unclosed quote/,
    "'a,\"b'",
  )
  checkPlace(
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', 'soon', 1",
    /TIME must be epoch milliseconds/,
    "'soon'",
  )
  checkPlace('SELECT 1 LIMIT 0 - 1', /Expected an integer of at least 0, got -1/, '0 - 1')
  checkPlace(
    "SELECT sum(v) FROM (SELECT 1 AS v UNION ALL SELECT 'x') t",
    /sum\(\) needs numbers, got the text "x"/,
    'sum(v)',
  )
  checkPlace("SELECT avg(v) FROM (SELECT 1 AS v UNION ALL SELECT 'x') t", /Expected a number/, 'v')
  checkPlace('SELECT 1e308 * v FROM (SELECT 10 AS v) t', /not finite/, '1e308 * v')
})
