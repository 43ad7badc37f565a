/** GS SQL in runners gives what it gives in this process, and fails at the same places. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../../src/base/index.ts'
import type { ExpressionValue } from '../../../src/expression/index.ts'
import {
  type CompiledSql,
  compileGsSql,
  failureAt,
  readCell,
  SqlRunError,
  type SqlRunners,
} from '../../../src/sql/index.ts'
import { fc } from '../../support/fast-check.ts'
import { roundsOf, testSeeds } from '../../support/random.ts'
import { randomPrograms, randomQueries } from '../../support/random-sql.ts'
import { runGsSql } from '../../support/run-gs-sql.ts'
import { openRunners, sharedRunners } from '../../support/sql-runs.ts'

const BODY = JSON.stringify({
  device: { id: 'd-1' },
  readings: [
    { sensor: 'temp', at: '2024-03-01T12:00:00Z', value: 20.5 },
    { sensor: 'door', at: '2024-03-01T12:00:01Z', value: 'open' },
    { sensor: 'lux', at: '2024-03-01T12:00:02Z', value: null },
  ],
})

/** The rows of every SELECT and INSERT, or where and why it fails. */
async function runInRunner(runners: SqlRunners, program: CompiledSql): Promise<unknown> {
  const rows: ExpressionValue[][][] = program.statements.map(() => [])
  try {
    await runners.run({
      owner: 'a',
      key: program.text,
      program,
      now: epochMs(1_700_000_000_000),
      rowsMax: 1_000_000,
      variables: new Map([['@HTTP_BODY', BODY]]),
      onRows: (statement, some) => {
        const { columns } = program.statements[statement].query
        for (const row of some) {
          rows[statement].push(row.map((cell, at) => readCell(cell, columns[at].type)))
        }
      },
    })
    return rows.filter((_, index) => program.statements[index].kind !== 'set')
  } catch (error) {
    assert.ok(error instanceof SqlRunError, `${program.text}\n${error}`)
    const { message, place } = error
    return describe(failureAt(program.text, program.statements[0].query, { message, place }))
  }
}

function runHere(text: string): unknown {
  try {
    const given = { variables: { '@HTTP_BODY': BODY }, now: 1_700_000_000_000n }
    return runGsSql(text, given)
      .filter(({ kind }) => kind !== 'set')
      .map(({ rows }) => rows)
  } catch (error) {
    return describe(error as { message: string; pointer: string })
  }
}

function describe({ message, pointer }: { message: string; pointer: string }): unknown {
  return { message, pointer }
}

async function assertAlike(runners: SqlRunners, text: string): Promise<boolean> {
  let program: CompiledSql
  try {
    program = compileGsSql(text)
  } catch {
    return false
  }
  assert.deepEqual(await runInRunner(runners, program), runHere(text), text)
  return true
}

test('a webhook of JSON becomes rows of samples in a runner, twice in the same way', async () => {
  const runners = sharedRunners()
  const text = `
    INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT id, sensor, TOEPOCHMILLIS(at, 'yyyy-MM-dd''T''HH:mm:ssXXX'), value
    FROM JSON_TABLE(@HTTP_BODY) WITH (id String '$.device.id', sensor String '$.readings[*].sensor',
      at String '$.readings[*].at', value String '$.readings[*].value')`
  const program = compileGsSql(text)
  const expected = [
    [
      ['d-1', 'temp', Date.UTC(2024, 2, 1, 12), '20.5'],
      ['d-1', 'door', Date.UTC(2024, 2, 1, 12, 0, 1), 'open'],
      ['d-1', 'lux', Date.UTC(2024, 2, 1, 12, 0, 2), null],
    ],
  ]
  for (const round of [1, 2]) {
    assert.deepEqual(await runInRunner(runners, program), expected, `round ${round}`)
  }
})

test('statements that read tables of the same shape see their own rows each', async () => {
  const runners = sharedRunners()
  const csv = (text: string) => `CSV_TABLE('${text}') WITH (1 a STRING)`
  const text = `SELECT a FROM ${csv('x')}; SET @B = (SELECT max(a) FROM ${csv('y')});
    SELECT a, @B, count(*) FROM ${csv('z')} GROUP BY a;
    SELECT * FROM ${csv('1')} t, CSV_TABLE('2,3') WITH (2 b STRING) u`
  assert.ok(await assertAlike(runners, text))
  assert.deepEqual(await runInRunner(runners, compileGsSql(text)), [
    [['x']],
    [['z', 'y', 1]],
    [['1', '3']],
  ])
})

test('a text that is no JSON fails at its place', async () => {
  const runners = sharedRunners()
  for (const text of [
    `SELECT 1; SELECT * FROM JSON_TABLE('{"a":') WITH (a LONG '$.a')`,
    `SELECT a FROM CSV_TABLE('"open') WITH (1 a STRING)`,
    `SELECT TOEPOCHMILLIS('yesterday', 'yyyy-MM-dd')`,
  ]) {
    assert.ok(await assertAlike(runners, text), text)
  }
})

test('an aggregate function that fails is reported, whatever functions end with it', async () => {
  const runners = sharedRunners()
  const mixed = "FROM (SELECT 1 AS v UNION ALL SELECT 'b') q"
  const texts = ['sum(v), first(v, v)', 'avg(v), sum(v)', 'sum(v), avg(v)', 'sum(v), sum(v)']
  for (const values of texts) {
    const text = `SELECT ${values} ${mixed}`
    const { message } = (await runInRunner(runners, compileGsSql(text))) as { message: string }
    assert.match(message, /^(sum\(\) needs numbers, got the text|Expected a number)/, text)
    assert.ok(await assertAlike(runners, text), text)
    assert.deepEqual(
      await runInRunner(runners, compileGsSql('SELECT sum(v) FROM (SELECT 1 AS v) q')),
      [[[1]]],
    )
  }
})

test('texts that fill the memory of a runner fail as that, and never as a crash', async (t) => {
  const runners = openRunners(t, { runnersMax: 1, memoryMb: 64 })
  const program =
    compileGsSql(`SET @B = @HTTP_BODY; WITH RECURSIVE p(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM p WHERE i < 20000)
    SELECT sum(len(@B + i)) FROM p`)
  const variables = new Map([['@HTTP_BODY', 'x'.repeat(10_000)]])
  const call = { owner: 'a', key: 'k', program, now: epochMs(0), rowsMax: 10, variables }
  const outcome = await runners.run({ ...call, onRows: () => {} }).catch((error) => error)
  if (outcome instanceof Error) {
    assert.ok(outcome instanceof SqlRunError)
    assert.equal(outcome.reason, 'memory', outcome.message)
  }
  assert.equal(runners.figures.ended.crash, 0)
})

test('random programs give the same in a runner and here', async () => {
  const runners = sharedRunners()
  const [seed] = testSeeds(1)
  let ran = 0
  const property = fc.asyncProperty(fc.oneof(randomQueries, randomPrograms), async (text) => {
    if (await assertAlike(runners, text)) ran += 1
  })
  await fc.assert(property, { seed, numRuns: roundsOf(150) })
  assert.ok(ran > 0, `seed ${seed}`)
  assert.equal(runners.figures.ended.crash, 0)
})
