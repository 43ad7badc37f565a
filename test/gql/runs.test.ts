/** Runs of GS SQL as callers see them: rows, mistakes with their place, limits, what is kept compiled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowCell, SqlColumn } from '../../src/sql/index.ts'
import { refused } from '../support/feed-home.ts'
import { openGql } from '../support/gql-home.ts'

test('rows of the last SELECT are handed over with their columns', async (t) => {
  const home = await openGql(t)
  const reported: [RowCell[][], readonly SqlColumn[]][] = []
  const outcome = await home.run(
    `SELECT 'first'; SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'`,
    {
      onRows: async (rows, columns) => void reported.push([rows, columns]),
    },
  )
  const columns = [
    { name: 'a', type: 'LONG' },
    { name: 'b', type: 'STRING' },
  ]
  assert.deepEqual(reported, [[[[1n, 'x'], [2n, 'y']], columns]]) // biome-ignore format: short
  assert.deepEqual(outcome, { columns, rowCount: 2, sampleCount: 0, warnings: [] })
  const { message, place } = await refused(home.run('SELECT 1;\nSELECT 2', { rowsMax: 1 }))
  assert.match(message, /^Line 2, column 1: .*more than 1 rows/)
  assert.equal(place?.pointer, 'SELECT 2\n^^^^^^^^')
  const some: number[] = []
  const many = home.run('SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4', {
    rowsMax: 2,
    onRows: (rows) => void some.push(rows.length),
  })
  assert.match((await refused(many)).message, /more than 2 rows/)
  assert.deepEqual(some, [3], 'a caller who wants two learns that there are more')
  const broken = home.run('SELECT 1', {
    onRows: () => {
      throw new TypeError('gone')
    },
  })
  await assert.rejects(broken, TypeError)
})

test('mistakes and failures are refused with line, column and pointer', async (t) => {
  const home = await openGql(t)
  const check = async (sql: string, expected: RegExp, pointed: string, where = home) => {
    const { code, status, message, place } = await refused(where.run(sql))
    assert.deepEqual([code, status], ['sql_error', 422], sql)
    assert.match(message, expected)
    const [line, marks] = (place?.pointer ?? '').split('\n')
    assert.equal(line.slice(marks.indexOf('^'), marks.length), pointed)
    assert.ok(message.startsWith(`Line ${place?.line}, column ${place?.column}: `))
  }
  await check('SELECT 1,\n  tmp FROM (SELECT 1 AS temp) t', /did you mean "temp"/, 'tmp')
  await check('', /./, '')
  await check('DROP TABLE x', /DROP/, 'DROP')
  await check(`SELECT TOEPOCHMILLIS('x', 'yyyy')`, /Cannot read/, `TOEPOCHMILLIS('x', 'yyyy')`)
  const hasty = await openGql(t, { settings: { seconds: 0.1 } })
  const endless =
    'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t'
  await check(endless, /longer than 0\.1 s/, endless, hasty)
  const { code, status } = await refused(home.run('SELECT x', { mistake: 'bad_sql' }))
  assert.deepEqual([code, status], ['bad_sql', 400])
  const text = { sql: 'SELECT x', timeZoneId: 'UTC', allows: { insert: true, stored: false } }
  assert.throws(() => home.gql.check(text), { code: 'bad_sql', message: /^Line 1, column 8: / })
  home.gql.check({ ...text, sql: 'SELECT 1' })
})

test('a run may be denied INSERT, and stored tables are there only when somebody hands them over', async (t) => {
  const home = await openGql(t)
  const insert = `SET @a = 1;\nINSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', 1, 1`
  const { message } = await refused(home.run(insert, { allows: { insert: false, stored: true } }))
  assert.match(message, /^Line 2, column 1: Only SET and SELECT can be run here/)
  assert.deepEqual(await home.stored(), {})
  assert.equal((await refused(home.run('SELECT * FROM SAMPLE'))).code, 'sql_error')
  const columns = [{ name: 'CID', type: 'STRING' as const }]
  let isOff = false
  const other = await openGql(t, {
    stored: {
      tables: { SAMPLE: columns },
      require: () => {
        if (isOff) throw new TypeError('off')
      },
      open: async function* ({ read, wanted, run }) {
        const values = [`${read.of} ${wanted.read} ${run.organizationUid}`]
        yield { rowCount: 1, columns: [{ kind: 'cells', values }] }
      },
    },
  })
  const rows: RowCell[][] = []
  const reading = {
    allows: { insert: false, stored: true },
    onRows: (some: RowCell[][]) => void rows.push(...some),
  }
  await other.run('SELECT CID FROM SAMPLE', reading)
  assert.deepEqual(rows, [['SAMPLE 0 org-1']])
  assert.equal((await refused(other.run('SELECT CID FROM SAMPLE'))).code, 'sql_error')
  isOff = true
  await assert.rejects(other.run('SELECT CID FROM SAMPLE', reading), TypeError)
  await other.run('SELECT 1', reading)
})

test('a text is compiled once, for each zone, and again when it changes under its key', async (t) => {
  const home = await openGql(t)
  const compiled = () => Number(/^weir_gql_compiled_total (\d+)$/m.exec(home.gql.metrics())?.[1])
  const answerOf = async (sql: string, options: { key?: string; timeZoneId?: string } = {}) => {
    let answer: unknown
    const onRows = (rows: RowCell[][]) => {
      answer = rows[0][0]
    }
    await home.run(sql, { ...options, onRows })
    return answer
  }
  const noon = `SELECT TOEPOCHMILLIS('2024-01-01 12', 'yyyy-MM-dd HH')`
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await answerOf(noon), 1_704_110_400_000n)
    assert.equal(await answerOf(noon, { timeZoneId: 'Asia/Tokyo' }), 1_704_078_000_000n)
    assert.equal(await answerOf('SELECT 1', { key: 'c 1' }), 1n)
  }
  assert.equal(compiled(), 3)
  assert.equal(await answerOf('SELECT 2', { key: 'c 1' }), 2n)
  assert.equal(compiled(), 4)
  for (let number = 0; number < 400; number += 1) {
    home.gql.check({
      sql: `SELECT ${number} --${'x'.repeat(100_000)}`,
      timeZoneId: 'UTC',
      allows: { insert: true, stored: false },
    })
  }
  const before = compiled()
  assert.equal(await answerOf(noon), 1_704_110_400_000n)
  assert.equal(compiled(), before + 1, 'a query used long ago is compiled again')
})

test('a run is ended by its signal, and nothing is stored', async (t) => {
  const home = await openGql(t)
  const stop = new AbortController()
  const reason = new Error('enough')
  const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'c', 's', 1, 1; SELECT 1`
  const call = home.run(sql, { signal: stop.signal, onRows: () => stop.abort(reason) })
  await assert.rejects(call, reason)
  assert.deepEqual(await home.stored(), {})
})
