/** Statements and payloads that mean harm, as callers send them: refused at their place, and nobody else notices. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import type { Refusal } from '../../src/base/index.ts'
import type { RowCell, SqlCell } from '../../src/sql/index.ts'
import { refused } from '../support/feed-home.ts'
import { type GqlHome, openGql } from '../support/gql-home.ts'
import { HurriedClock } from '../support/hurried-clock.ts'
import { runnerPids } from '../support/sql-runs.ts'

const INTO = 'INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)'
const ENDLESS = 'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t)'
const noProc = existsSync('/proc/self/stat') ? false : 'this system has no /proc'

/** A refusal of the text itself: with a place in it and words of our own. */
function assertPlaced(error: Refusal, sql: string): void {
  const about = `${sql.slice(0, 200)}: ${error.message}`
  assert.deepEqual([error.code, error.status], ['sql_error', 422], about)
  const { line, column, pointer } = error.place ?? { line: 0, column: 0, pointer: '' }
  assert.ok(error.message.startsWith(`Line ${line}, column ${column}: `), about)
  assert.match(pointer, /\n[ \t]*\^+$/, about)
  assert.ok(line <= sql.split('\n').length && column <= sql.length + 1, about)
  // The caller's own text is shown in quotes.
  const words = error.message.replaceAll(/"[^"]*"/g, '')
  assert.doesNotMatch(words, /sqlite|near|syntax error|no such|\bat \S+\.ts/i, about)
}

async function assertAnswers(home: GqlHome): Promise<void> {
  let answer: RowCell | undefined
  await home.run('SELECT 7', {
    organizationUid: 'another',
    onRows: ([[cell]]) => {
      answer = cell
    },
  })
  assert.equal(answer, 7n)
}

test('what is not in the language is refused before anything runs', async (t) => {
  const home = await openGql(t, { settings: {} })
  for (const sql of [
    "ATTACH '/tmp/x.db' AS a",
    "ATTACH DATABASE ':memory:' AS a",
    'DETACH main',
    'PRAGMA user_version',
    'PRAGMA writable_schema = 1',
    "VACUUM INTO '/tmp/x'",
    'VACUUM',
    "SELECT load_extension('/tmp/x.so')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT edit('x')",
    'SELECT sqlite_version()',

    'SELECT randomblob(1000000000)',
    'SELECT zeroblob(1e9)',
    "SELECT printf('%1000000000d', 1)",

    "SELECT hex('a')",
    'SELECT char(1)',
    'SELECT random()',
    "SELECT quote('x')",
    "SELECT eval('SELECT 1')",
    'CREATE TRIGGER a AFTER INSERT ON SAMPLE BEGIN SELECT 1; END',

    'CREATE VIRTUAL TABLE a USING fts5(b)',
    'CREATE TABLE a (b)',
    'CREATE TEMP VIEW a AS SELECT 1',

    'DROP TABLE SAMPLE',
    'DELETE FROM SAMPLE',
    "UPDATE SAMPLE SET ID = 'x'",
    'ALTER TABLE a ADD b',
    'BEGIN',
    'COMMIT',
    'SAVEPOINT a',
    'ANALYZE',
    'REINDEX',
    'EXPLAIN SELECT 1',
    'VALUES (1)',
    'SELECT * FROM sqlite_master',
    'SELECT * FROM sqlite_schema',
    'SELECT * FROM main.SAMPLE',

    "SELECT * FROM json_each('[1]')",
    'SELECT * FROM pragma_table_list',
    'SELECT rowid FROM (SELECT 1 AS a) t',

    "SELECT 'a' GLOB '*'",
    "SELECT 'a' REGEXP '(a+)+b'",
    "SELECT 'a' MATCH 'a'",
    "SELECT x'00'",
    'SELECT :v0',
    'SELECT ?1',
    'SELECT $a',
    'SELECT @unknown',
    'SELECT v0',
    'SELECT c0',
    'SELECT 1 SELECT 2',
    `${INTO} SELECT 'a', 'b', 1, 2 ${INTO} SELECT 'a', 'b', 1, 2`,

    'SELECT unknown(1)',
    'SELECT abs()',
    'SELECT abs(1, 2, 3)',
    'SELECT count(*) OVER () FROM (SELECT 1) t',

    `${INTO} VALUES ('a', 'b', 1, 2)`,
    "INSERT INTO STREAM(ID) SELECT 'x'",
    `${INTO} SELECT 1, 2, 3`,

    'SELECT (',
    'SELECT )',
    "SELECT 'open",
    'SELECT "open',
    '/* open',
    'SELECT 1;;;SELECT',
    '\u0000',
    '\ufeff;',

    'SELECT \u0000',
    "SELECT 'a\u0000b' FROM",
    '💥',
    'ＳＥＬＥＣＴ 1',
    "SELECT 1 -- \u2028 'x'\n FROM",
    `SELECT '${'x'.repeat(20_000_000)}'`,
    `SELECT ${'('.repeat(150)}1${')'.repeat(150)}`,
    `SELECT ${'-'.repeat(30_000)}1`,
    `SELECT ${Array.from({ length: 21 }).fill('(SELECT 1').join(' + ')}${')'.repeat(21)}`,
    `SELECT 1${' UNION ALL SELECT 1'.repeat(20_000)}`,
    'SELECT 1;'.repeat(101),
    `SELECT ${'1,'.repeat(500)}1`,
  ]) {
    assertPlaced(await refused(home.run(sql)), sql)
  }
  assert.deepEqual(await home.stored(), {})
  assert.deepEqual(home.runners.figures.runners, 0, 'no runner was needed')
  await assertAnswers(home)
})

test('texts that look like SQL are texts, wherever they come from', async (t) => {
  const home = await openGql(t)
  const evil = `'); DROP TABLE SAMPLE; --\u0000"]}' || (SELECT 1) || '`
  const variables = { '@HTTP_BODY': evil, '@HTTP_QUERY_STRING': `a=${encodeURIComponent(evil)}` }
  await home.run(
    `SET @x = @HTTP_BODY; ${INTO} SELECT 'c', 'body', 1, @x UNION ALL SELECT 'c', 'query', 1, urlDecode(queryValue(@HTTP_QUERY_STRING, 'a'))
     UNION ALL SELECT 'c', 'quoted', 1, '${evil.replaceAll("'", "''").replaceAll('\u0000', '')}'`,
    { variables },
  )
  const stored = await home.stored()
  assert.deepEqual(stored['c / body'], [[1, evil]])
  assert.deepEqual(stored['c / query'], [[1, evil]])
  assert.deepEqual(stored['c / quoted'], [[1, evil.replaceAll('\u0000', '')]])
})

test('values that cannot be worked with fail at their place', async (t) => {
  const home = await openGql(t)
  const nested = '['.repeat(50_000) + ']'.repeat(50_000)
  const check = async (sql: string, body: SqlCell = '', code = 'sql_error') => {
    const error = await refused(home.run(sql, { variables: { '@HTTP_BODY': body } }))
    if (code === 'sql_error') assertPlaced(error, sql)
    else assert.equal(error.code, code, sql)
    assert.ok(error.place !== undefined, `${sql}: ${error.message}`)
  }
  const json = `SELECT a FROM JSON_TABLE(@HTTP_BODY) WITH (a STRING '$.a')`
  for (const body of ['{', '{"a":1}}', "{'a':1}", '{"a":NaN}', nested, '{"a":"\u0001"}']) {
    await check(json, body)
  }
  await check(`SELECT a FROM CSV_TABLE(@HTTP_BODY) WITH (1 a STRING)`, '"open')
  await check(`SELECT TOEPOCHMILLIS(@HTTP_BODY, 'yyyy')`, 'x'.repeat(1_000_000))
  await check('SELECT 1e308 * 10')
  await check('SELECT sum(a) FROM (SELECT 1e308 AS a UNION ALL SELECT 1e308) t')
  await check(`SELECT jsonValue(@HTTP_BODY, '$.a')`, '{')
  await check(`SELECT 1 LIMIT -1`)
  await check(`SET @n = 'x'; SELECT 1 LIMIT @n`)
  await check(`${INTO} SELECT 'c', 's', 'noon', 1`)
  const doubled = Array.from(
    { length: 40 },
    (_, at) => `s${at + 1} AS (SELECT a + a AS a FROM s${at})`,
  )
  await check(
    `WITH s0 AS (SELECT 'xxxxxxxx' AS a), ${doubled.slice(0, 17).join(', ')} SELECT a FROM s17; SELECT abs('x')`,
  )
  await check(
    `SELECT group_concat(@HTTP_BODY) FROM CSV_TABLE('${'1\n'.repeat(40)}') WITH (1 a LONG)`,
    'x'.repeat(1_000_000),
  )
  for (const id of ["''", "'   '", 'NULL', `'${'i'.repeat(513)}'`, `urlDecode('%00') + ''`]) {
    const made = home.run(`${INTO} SELECT ${id}, 's', 1, 1`)
    const error = await refused(made).catch(() => undefined)
    if (error !== undefined) assert.ok(error.code === 'bad_input' && error.place !== undefined, id)
  }
  await check(`${INTO} SELECT 'c', 's', 1, @HTTP_BODY`, 'x'.repeat(1_000_001), 'bad_input')
  assert.equal(home.runners.figures.ended.crash, 0)
})

/** Runs each statement until it is ended, while others are answered; returns why each was ended. */
async function endAll(
  home: GqlHome,
  statements: readonly string[],
  passTime = () => {},
): Promise<string[]> {
  const messages: string[] = []
  for (const sql of statements) {
    const hostile = refused(home.run(sql))
    await assertAnswers(home)
    passTime()
    const error = await hostile
    if (error.code !== 'too_many_samples') assertPlaced(error, sql)
    messages.push(error.message)
    await assertAnswers(home)
  }
  assert.deepEqual(await home.stored(), {})
  assert.equal(home.budget.figures.usedBytes, 0)
  return messages
}

test('endless and stubborn statements are ended, while others are answered', {
  skip: noProc,
}, async (t) => {
  const clock = new HurriedClock()
  const home = await openGql(t, { settings: { runnersMax: 2, seconds: 5, memoryMb: 96 }, clock })
  const statements = [
    `${ENDLESS} SELECT count(*) FROM t`,
    `${ENDLESS} SELECT a FROM t WHERE a < 0`,
    `${ENDLESS} ${INTO} SELECT 'c', 's', a, a FROM t`,
    `WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t LIMIT 100000) SELECT count(*) FROM t x, t y, t z`,
    `SELECT '${'a'.repeat(2_000)}' LIKE '${'%a'.repeat(60)}%b' FROM (${ENDLESS} SELECT a FROM t) u`,
  ]
  await endAll(home, statements, () => clock.pass(5))
})

test('statements that take too much memory are ended, while others are answered', {
  skip: noProc,
}, async (t) => {
  const home = await openGql(t, { settings: { runnersMax: 2, memoryMb: 96 } })
  const wide = `'${'x'.repeat(2_000)}' + a`
  const messages = await endAll(home, [
    `${ENDLESS} SELECT ${wide} AS w FROM t ORDER BY 1`,
    `WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t LIMIT 3000), w AS (SELECT ${wide} AS w FROM t)
     SELECT DISTINCT x.w, y.w FROM w x, w y`,
  ])
  for (const message of messages) assert.match(message, /it needs more than 96 MB/)
})

test('a runner that is killed fails its call with 503, stores nothing, and the next is answered', {
  skip: noProc,
}, async (t) => {
  const home = await openGql(t, { settings: {} })
  await assertAnswers(home)
  const sql = `${INTO} SELECT 'c', 's', 1, 1; ${ENDLESS} SELECT a FROM t`
  let isKilled = false
  const dying = home.run(sql, {
    rowsMax: 1_000_000_000,
    onRows: () => {
      for (const pid of isKilled ? [] : runnerPids()) process.kill(pid, 'SIGKILL')
      isKilled = true
    },
  })
  const { code, status, retryAfterSeconds } = await refused(dying)
  assert.deepEqual([code, status, retryAfterSeconds], ['sql_unavailable', 503, 5])
  assert.deepEqual(await home.stored(), {})
  await assertAnswers(home)
})
