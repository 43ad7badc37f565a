/** Statements that the grammar of GS SQL would never let through, given to the runner as they are. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type RowCell, SqlRunError, type SqlRunners } from '../../../src/sql/index.ts'
import { FRAME_BYTES_MAX } from '../../../src/sql/run/runner-frames.ts'
import { HurriedClock } from '../../support/hurried-clock.ts'
import {
  eventually,
  gather,
  openRunners,
  programOf,
  sharedRunners,
} from '../../support/sql-runs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ENDLESS = 'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t)'

/** Fails the call by the statement's own fault, and leaves the runner as it was. */
async function assertFails(runners: SqlRunners, sql: string, expected?: RegExp): Promise<void> {
  const about = sql.slice(0, 100)
  await assert.rejects(
    gather(runners, programOf(sql), { key: 'hostile' }),
    (error) => {
      assert.ok(error instanceof SqlRunError, `${about}: ${error}`)
      assert.equal(error.reason, 'failed', `${about}: ${error.message}`)
      assert.deepEqual(error.place, [0, sql.length], about)
      if (expected !== undefined) assert.match(error.message, expected, about)
      return true
    },
    about,
  )
  assert.deepEqual(await gather(runners, programOf('SELECT 1')), [[1n]], about)
}

test('a runner runs nothing but SELECT over tables of its own', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'a.db')
  writeFileSync(join(folder, 'secret'), 'secret')
  const runners = sharedRunners()
  for (const sql of [
    `ATTACH '${file}' AS a`,
    `ATTACH ':memory:' AS a`,
    'DETACH main',
    `VACUUM INTO '${file}'`,
    'VACUUM',
    'PRAGMA user_version',
    'PRAGMA writable_schema = 1',
    'PRAGMA temp_store_directory = "/tmp"',
    'PRAGMA hard_heap_limit = 0',
    'PRAGMA database_list',
    `SELECT load_extension('${file}')`,
    `SELECT readfile('${join(folder, 'secret')}')`,
    `SELECT writefile('${file}', 'x')`,
    `SELECT edit('x')`,
    `SELECT fts3_tokenizer('simple')`,
    'SELECT sqlite_version()',
    'SELECT sqlite_source_id()',
    `SELECT sqlite_compileoption_get(1)`,
    'SELECT last_insert_rowid()',
    'SELECT randomblob(1000000000)',
    'SELECT zeroblob(1000000000)',
    `SELECT printf('%1000000000d', 1)`,
    `SELECT format('%1000000000d', 1)`,
    `SELECT replace(hex(zeroblob(10000)), '0', 'aaaaaaaaaaaa')`,
    `SELECT unistr('x')`,
    'SELECT * FROM sqlite_schema',
    'SELECT sql FROM sqlite_master',
    'SELECT count(*) FROM sqlite_schema',
    'SELECT count(*) FROM SQLITE_TEMP_SCHEMA',
    'SELECT * FROM pragma_table_list',
    'SELECT count(*) FROM pragma_database_list',
    'SELECT count(*) FROM dbstat',
    `SELECT * FROM fts5vocab('a', 'row')`,
    `SELECT count(*) FROM json_tree('{}')`,
    `SELECT * FROM bytecode('SELECT 1')`,
    'CREATE TABLE a (b)',
    'CREATE TEMP TABLE a (b)',
    'CREATE VIEW a AS SELECT 1',
    'CREATE TRIGGER a AFTER INSERT ON r BEGIN SELECT 1; END',
    'CREATE VIRTUAL TABLE a USING fts5(b)',
    'CREATE VIRTUAL TABLE a USING rtree(b, c, d)',
    'DROP TABLE r',
    'INSERT INTO r VALUES (1)',
    'INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)',
    `UPDATE sqlite_schema SET sql = 'x'`,
    'DELETE FROM sqlite_schema',
    'ANALYZE',
    'REINDEX',
    'BEGIN',
    'COMMIT',
    'SAVEPOINT a',
    'EXPLAIN SELECT * FROM sqlite_schema',
    'SELECT 1 FROM main.sqlite_schema AS t',
    'SELECT (SELECT count(*) FROM sqlite_master AS t)',
    'nonsense',
    '',
  ]) {
    await assertFails(runners, sql)
  }
  assert.deepEqual(readdirSync(folder), ['secret'])
  assert.ok(!existsSync(file))
  assert.equal(runners.figures.ended.crash, 0)
})

test('a runner runs one statement, and what follows it is not run', async () => {
  const runners = sharedRunners()
  const program = programOf('SELECT 1; CREATE TABLE a (b); SELECT 2')
  const rows: RowCell[][] = await gather(runners, program).catch(() => [])
  assert.ok(rows.length <= 1)
  await assertFails(runners, 'SELECT * FROM a', /no such table/)
})

test('what is too long, too deep or too wide fails the call, not the runner', async () => {
  const runners = sharedRunners()
  const nested = (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`
  const deepJson = '['.repeat(100_000) + ']'.repeat(100_000)
  await assertFails(runners, `SELECT '${'x'.repeat(9_000_000)}'`, /too big|longer/)
  await assertFails(runners, `SELECT ${nested(5_000)}`)
  await assertFails(runners, `SELECT ${'-'.repeat(1) + '~'.repeat(5_000)}1`)
  await assertFails(runners, `SELECT ${'1,'.repeat(5_000)}1`)
  await assertFails(runners, `SELECT 1 ${'UNION ALL SELECT 1 '.repeat(5_000)}`)
  await assertFails(runners, `SELECT max(${'1,'.repeat(500)}1)`)
  await assertFails(runners, `SELECT count(*) FROM json_each('${deepJson}')`)
  const doubled = Array.from(
    { length: 30 },
    (_, n) => `s${n + 1} AS MATERIALIZED (SELECT a || a AS a FROM s${n})`,
  )
  const bomb = `WITH s0 AS (SELECT 'xxxxxxxx' AS a), ${doubled} SELECT length(a) FROM s30`
  await assertFails(runners, bomb, /longer/)
  assert.equal(runners.figures.ended.crash, 0)
})

test('a program longer than a frame may be fails its call, and the next is answered', async (t) => {
  const runners = openRunners(t, { runnersMax: 1 })
  const program = programOf(`SELECT '${'x'.repeat(FRAME_BYTES_MAX)}'`)
  await assert.rejects(gather(runners, program, { key: 'long' }), SqlRunError)
  assert.deepEqual(await gather(runners, programOf('SELECT 1')), [[1n]])
})

test('a variable that is too long fails the call', async () => {
  const runners = sharedRunners()
  const program = programOf('SELECT length(:v0)')
  const long = { values: { '@A': 'x'.repeat(20_000_001) } }
  await assert.rejects(gather(runners, program, long), /longer than 20000000 bytes/)
  const values = { '@A': 'x'.repeat(20_000_000) }
  assert.deepEqual(await gather(runners, program, { values }), [[20_000_000n]])
})

test('endless work is ended when its time is over, while others are answered', async (t) => {
  const clock = new HurriedClock()
  const runners = openRunners(t, { runnersMax: 2, seconds: 5 }, clock)
  for (const sql of [
    `${ENDLESS} SELECT count(*) FROM t`,
    // Unneeded rows are never sent.
    `${ENDLESS} SELECT a FROM t WHERE a < 0`,
    // A text that is too long is not detected before the last row.
    `${ENDLESS} SELECT group_concat('${'x'.repeat(100_000)}') FROM t`,
    // A pattern that is tried in every way.
    `SELECT '${'a'.repeat(2_000)}' LIKE '${'%a'.repeat(40)}%b'`,
    `SELECT '${'a'.repeat(2_000)}' GLOB '${'*a'.repeat(40)}*b'`,
  ]) {
    const hostile = gather(runners, programOf(sql), { owner: 'hostile', key: 'hostile' })
    const outcome = hostile.then(
      () => assert.fail(`${sql} ended by itself`),
      (error: unknown) => error,
    )
    const answered = await gather(runners, programOf('SELECT 1'), { owner: 'other' })
    assert.deepEqual(answered, [[1n]])
    clock.pass(5)
    const error = await outcome
    assert.ok(error instanceof SqlRunError, `${sql}: ${error}`)
    assert.ok(['time', 'failed'].includes(error.reason), `${sql}: ${error}`)
    if (error.reason === 'time') assert.match(error.message, /longer than 5 s/)
  }
  assert.ok(runners.figures.ended.time >= 2)
})

test('a query that fills memory is ended by what it takes, while others are answered', {
  skip: existsSync('/proc/self/status') ? false : 'this system has no /proc',
}, async (t) => {
  const runners = openRunners(t, { runnersMax: 2, seconds: 600, memoryMb: 64 })
  const wide = `'${'x'.repeat(2_000)}' || a`
  for (const sql of [
    `${ENDLESS} SELECT ${wide} FROM t ORDER BY 1`,
    `WITH RECURSIVE t(a, b) AS (SELECT 1, ${wide.replace('a', '1')} UNION SELECT a + 1, ${wide} FROM t)
     SELECT count(*) FROM t AS x, t AS y`,
  ]) {
    const hostile = gather(runners, programOf(sql), { owner: 'hostile', key: 'hostile' })
    const outcome = assert.rejects(hostile, (error: SqlRunError) => {
      assert.equal(error.reason, 'memory', String(error))
      return true
    })
    assert.deepEqual(await gather(runners, programOf('SELECT 1'), { owner: 'other' }), [[1n]])
    await outcome
  }
  await eventually(() => runners.figures.busy === 0, 'the end of all runs')
})
