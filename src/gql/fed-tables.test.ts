import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGsSql } from '../sql/index.ts'
import { fedBatches } from './fed-batches.ts'
import { feedTables } from './fed-tables.ts'

const compile = (sql: string) => compileGsSql(sql, { timeZoneId: 'UTC', stored: undefined })
const TABLE = 'CSV_TABLE(@JDBC_RESULT) WITH (1 a LONG, 3 b STRING)'

test('feedTables() makes reads of all tables over the result, and leaves other texts alone', () => {
  const program = compile(
    `SELECT x.a FROM ${TABLE} x JOIN CSV_TABLE(@HTTP_BODY) WITH (1 a LONG) y ON x.a = y.a; SELECT 1;
     SELECT a FROM ${TABLE} UNION ALL SELECT a FROM ${TABLE}`,
  )
  const fed = feedTables(program)
  assert.ok(fed !== undefined)
  const counts = fed.program.statements.map(({ query }) => [
    query.sources.length,
    query.reads.length,
  ])
  assert.deepEqual(counts, [
    [1, 1],
    [0, 0],
    [0, 2],
  ])
  assert.deepEqual(fed.planOf(0, 0)?.columns, [
    { type: 'LONG', position: 1 },
    { type: 'STRING', position: 3 },
  ])
  assert.equal(fed.planOf(2, 1)?.columns.length, 2)
  assert.equal(fed.planOf(1, 0), undefined)
})

test('feedTables() gives none where something needs the text', () => {
  const check = (sql: string) => assert.equal(feedTables(compile(sql)), undefined, sql)
  check(`SET @a = @JDBC_RESULT; SELECT a FROM ${TABLE}`)
  check(`SET @JDBC_RESULT = 'x'; SELECT a FROM ${TABLE}`)
  check(`SELECT a, @JDBC_RESULT FROM ${TABLE}`)
  check("SELECT a FROM CSV_TABLE(@JDBC_RESULT) WITH (1 a LONG) DELIMITER ';'")
  check("SELECT a FROM JSON_TABLE(@JDBC_RESULT) WITH (a LONG '$.a')")
  check("SELECT a FROM CSV_TABLE(@JDBC_RESULT + 'x') WITH (1 a LONG)")
})

test('fedBatches() reads cells as CSV_TABLE does, in batches that a frame holds', async () => {
  const program = compile(`SELECT a FROM ${TABLE}`)
  const plan = feedTables(program)?.planOf(0, 0)
  assert.ok(plan !== undefined)
  const long = 'x'.repeat(3_000_000)
  const rows = async function* () {
    yield [['1', null, ''], ['x', null, null], ['9223372036854775807']]
    yield [
      ['1', null, long],
      ['2', null, long],
    ]
  }
  const batches = await Array.fromAsync(fedBatches(rows(), plan))
  assert.deepEqual(batches[0], {
    rowCount: 3,
    columns: [
      { kind: 'cells', values: [1n, null, 9223372036854775807n] },
      { kind: 'cells', values: ['', null, null] },
    ],
  })
  assert.deepEqual(
    batches.map(({ rowCount }) => rowCount),
    [3, 1, 1],
  )
})
