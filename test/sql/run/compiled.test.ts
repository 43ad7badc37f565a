/** Compiled GS SQL in runners: what the language promises holds behind the channel as well. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../../src/base/index.ts'
import {
  compileGsSql,
  failureAt,
  type InputBatch,
  readCell,
  SqlRunError,
  type WantedRead,
} from '../../../src/sql/index.ts'
import { gather, sharedRunners } from '../../support/sql-runs.ts'

const BODY = '{"id":"d1","s":[{"n":"t","v":22.5},{"n":"h","v":"on"}],"late":5}'

test('SqlRunners.run() inserts from JSON with functions, options and every type of value', async () => {
  const runners = sharedRunners()
  const program = compileGsSql(`WITH d AS (
      SELECT id, n, v FROM JSON_TABLE(@HTTP_BODY) WITH (id String '$.id', n String '$.s[*].n', v String '$.s[*].v')
    )
    INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (FOLDER_PATH = '/' + @HTTP_METHOD)
    SELECT id, n, TOEPOCHMILLIS('2024-01-01', 'yyyy-MM-dd'), v FROM d
    UNION ALL SELECT 'c', 'flag', NULL, 1 > 0
    UNION ALL SELECT 'c', 'sum', now(), (SELECT sum(len(v)) FROM d)`)
  const options: unknown[] = []
  const values = { '@HTTP_BODY': BODY, '@HTTP_METHOD': 'PUT' }
  for (let round = 0; round < 2; round += 1) {
    const rows = await gather(runners, program, {
      values,
      now: epochMs(7),
      onOptions: (_statement, row) => void options.push([...row]),
    })
    const [{ query }] = program.statements
    const read = rows.map((row) => row.map((cell, at) => readCell(cell, query.columns[at].type)))
    assert.deepEqual(read, [
      ['d1', 't', 1_704_067_200_000, '22.5'],
      ['d1', 'h', 1_704_067_200_000, 'on'],
      ['c', 'flag', null, true],
      ['c', 'sum', 7, 6],
    ])
  }
  assert.deepEqual(options, [['/PUT'], ['/PUT']])
})

test('SqlRunners.run() reports the place of a failure in values and in texts', async () => {
  const runners = sharedRunners()
  const check = async (text: string, message: RegExp, place: string) => {
    const program = compileGsSql(text)
    await assert.rejects(gather(runners, program, { values: { '@HTTP_BODY': '{' } }), (error) => {
      assert.ok(error instanceof SqlRunError, String(error))
      assert.match(error.message, message)
      const { line, column, length } = failureAt(text, program.statements[0].query, error)
      assert.equal(text.split('\n')[line - 1].slice(column - 1, column - 1 + length), place)
      return true
    })
  }
  await check(
    "SELECT 1,\nTOEPOCHMILLIS('x', 'yyyy')",
    /Cannot read "x"/,
    "TOEPOCHMILLIS('x', 'yyyy')",
  )
  await check("SELECT a FROM JSON_TABLE(@HTTP_BODY) WITH (a LONG '$.a')", /no JSON/, '@HTTP_BODY')
  await check(
    "SELECT sum(v) FROM (SELECT 'x' AS v UNION ALL SELECT 1) t",
    /sum\(\) needs numbers/,
    'sum(v)',
  )
})

test('SqlRunners.run() runs a program that has failed as if it had not', async () => {
  const runners = sharedRunners()
  const date = "TOEPOCHMILLIS(@HTTP_BODY, 'yyyy')"
  const csv = (text: string) => `CSV_TABLE(${text}) WITH (1 a STRING)`
  for (const text of [
    `SELECT ${date}`,
    `SELECT TOEPOCHMILLIS(a, 'yyyy') FROM ${csv('@HTTP_BODY')}`,
    `SELECT a FROM ${csv(`'' + ${date}`)}`,
    `SET @x = ${date}; SELECT @x`,
    `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (CNAME = '' + ${date}) SELECT 'c', 's', 1, ${date}`,
    `SELECT sum(TOEPOCHMILLIS(a, 'yyyy')) FROM ${csv("@HTTP_BODY + '\n1970'")}`,
  ]) {
    const program = compileGsSql(text)
    const run = (body: string) => gather(runners, program, { values: { '@HTTP_BODY': body } })
    const expected = await run('1971')
    for (let round = 0; round < 2; round += 1) {
      await assert.rejects(run('x'), /Cannot read "x"/, text)
      assert.deepEqual(await run('1971'), expected, text)
    }
  }
})

test('SqlRunners.run() reads stored tables by the columns that are used', async () => {
  const runners = sharedRunners()
  const columns = ['CID', 'ID', 'SAMPLE'].map((name) => ({ name, type: 'UNKNOWN' as const }))
  const stored = { SAMPLE: columns, COMPONENT: columns }
  const rowsOf = (text: string, columnCount: number) =>
    gather(runners, compileGsSql(text, { stored }), {
      openRead: async function* (): AsyncGenerator<InputBatch> {
        const cells = Array.from({ length: columnCount }, (_, at) => ({
          kind: 'cells' as const,
          values: [`a${at}`, `b${at}`],
        }))
        yield { rowCount: 2, columns: cells }
      },
    })
  assert.deepEqual(await rowsOf('SELECT ID FROM SAMPLE ORDER BY ID', 2), [['a1'], ['b1']])
  assert.deepEqual(await rowsOf('SELECT count(*) FROM COMPONENT', 1), [[2n]])
})

test('SqlRunners.run() passes the conditions of a query to a stored table, with the values known by then', async () => {
  const runners = sharedRunners()
  const stored = {
    SAMPLE: [
      { name: 'CID', type: 'STRING' as const },
      { name: 'TIME', type: 'LONG' as const, ofSample: 'time' as const },
      { name: 'SAMPLE', type: 'UNKNOWN' as const, ofSample: 'sample' as const },
    ],
  }
  const wantOf = async (text: string) => {
    const wanted: WantedRead[] = []
    await gather(runners, compileGsSql(text, { stored }), {
      openRead: async function* (want): AsyncGenerator<InputBatch> {
        wanted.push(want)
        yield* []
      },
    })
    return wanted.map(({ given, bounds }) => ({ given, bounds }))
  }
  const plain = "SET @x = 5; SELECT SAMPLE FROM SAMPLE WHERE CID = 'a' AND TIME > @x * 2"
  assert.deepEqual(await wantOf(plain), [{ given: [], bounds: [10n] }])
  const range = "SELECT SAMPLE FROM SAMPLE(cycleId = 'day', Range(sd = 1, last = 2 - 1 + NULL))"
  await assert.rejects(async () => wantOf(range), /Remove the others/)
  const settings = "SELECT SAMPLE FROM SAMPLE(cycleId = 'd' + 'ay', Range(last = 2 * 5))"
  assert.deepEqual(await wantOf(settings), [{ given: ['day', 10n], bounds: [] }])
  // What fails restricts nothing; whether it is needed at all is for the query to find out.
  const failing = "SELECT SAMPLE FROM SAMPLE WHERE TIME > TOEPOCHMILLIS('x', 'yyyy')"
  assert.deepEqual(await wantOf(failing), [{ given: [], bounds: undefined }])
})

test('a text in stored data can be read as JSON', async () => {
  const runners = sharedRunners()
  const stored = { SAMPLE: [{ name: 'SAMPLE', type: 'UNKNOWN' as const }] }
  const text = "SELECT a FROM JSON_TABLE((SELECT SAMPLE FROM SAMPLE)) WITH (a LONG '$.a')"
  const rows = await gather(runners, compileGsSql(text, { stored }), {
    openRead: async function* (): AsyncGenerator<InputBatch> {
      yield { rowCount: 1, columns: [{ kind: 'cells', values: ['{"a":7}'] }] }
    },
  })
  assert.deepEqual(rows, [[7n]])
})
