import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { epochMs } from '../../../src/base/index.ts'
import type {
  CompiledSql,
  InputBatch,
  RowCell,
  SqlRunError,
  WantedRead,
} from '../../../src/sql/index.ts'
import {
  eventually,
  gather,
  openRunners,
  programOf,
  queryOf,
  sharedRunners,
  wideQueryOf,
} from '../../support/sql-runs.ts'

const ENDLESS =
  'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t'
const counting = (rows: number) =>
  `WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t LIMIT ${rows}) SELECT a, 'text' FROM t`

test('SqlRunners.run() gives every value its own type, whatever the column', async () => {
  const runners = sharedRunners()
  const rows = await gather(
    runners,
    programOf(
      `SELECT 1 UNION ALL SELECT 1.0 UNION ALL SELECT 'Ü' UNION ALL SELECT NULL UNION ALL
       SELECT 9223372036854775807 UNION ALL SELECT :v0 UNION ALL SELECT :v1 UNION ALL SELECT :now`,
    ),
    { values: { '@A': 2n ** 53n + 1n, '@B': '水' }, now: epochMs(1_700_000_000_000) },
  )
  const expected = [1n, 1, 'Ü', null, 2n ** 63n - 1n, 2n ** 53n + 1n, '水', 1_700_000_000_000n]
  assert.deepStrictEqual(rows.flat(), expected)
})

test('SqlRunners.run() runs statements in order: SET is seen from there on', async () => {
  const runners = sharedRunners()
  const reported: unknown[] = []
  const program = programOf(
    'SELECT :v0',
    { kind: 'set', variable: 0, query: queryOf('SELECT :v0 + 1') },
    {
      kind: 'insert',
      options: wideQueryOf(`SELECT 'template', NULL, :v0`, 3),
      query: wideQueryOf(`SELECT 'c', 's', NULL, :v0`, 4),
    },
  )
  const { rowCount } = await runners.run({
    owner: 'a',
    key: 'k',
    program,
    now: epochMs(0),
    rowsMax: 10,
    variables: new Map([['@A', 41n]]),
    onRows: (statement, rows) => void reported.push([statement, rows]),
    onOptions: (statement, row) => void reported.push([statement, row]),
  })
  assert.equal(rowCount, 2)
  assert.deepStrictEqual(reported, [
    [0, [[41n]]],
    [2, ['template', null, 42n]],
    [2, [['c', 's', null, 42n]]],
  ])
})

test('SqlRunners.run() keeps a program by its key, and takes another under the same key', async () => {
  const runners = sharedRunners()
  const first = programOf('SELECT 1')
  for (const [program, expected] of [
    [first, 1n],
    [programOf('SELECT 2'), 2n],
    [first, 1n],
  ] as const) {
    assert.deepEqual(await gather(runners, program, { key: 'same' }), [[expected]])
  }
  const others = Array.from({ length: 300 }, (_, index) => programOf(`SELECT ${index}`))
  for (const [index, program] of [...others, ...others].entries()) {
    assert.deepEqual(await gather(runners, program), [[BigInt(index % 300)]])
  }
})

test('SqlRunners.run() streams more rows than fit, and waits for a caller that takes its time', async () => {
  const runners = sharedRunners()
  const program = programOf({ kind: 'select', query: wideQueryOf(counting(300_000), 2) })
  let sum = 0n
  let count = 0
  let isBusy = false
  const { rowCount } = await runners.run({
    owner: 'a',
    key: 'k',
    program,
    now: epochMs(0),
    rowsMax: 300_000,
    variables: new Map(),
    onRows: async (_statement, rows) => {
      assert.ok(!isBusy, 'the next rows come when the last were taken')
      isBusy = true
      await nextIteration()
      for (const [a] of rows) sum += a as bigint
      count += rows.length
      isBusy = false
    },
  })
  assert.equal(rowCount, 300_000)
  assert.equal(count, 300_000)
  assert.equal(sum, (300_000n * 300_001n) / 2n)
})

test('SqlRunners.run() refuses more rows than the call may have', async () => {
  const runners = sharedRunners()
  const program = programOf(
    { kind: 'select', query: wideQueryOf(counting(60), 2) },
    { kind: 'select', query: { ...wideQueryOf(counting(60), 2), place: [100, 120] } },
  )
  await assert.rejects(gather(runners, program, { rowsMax: 119 }), (error: SqlRunError) => {
    assert.equal(error.reason, 'failed')
    assert.match(error.message, /more than 119 rows/)
    assert.deepEqual(error.place, [100, 120])
    return true
  })
  assert.equal((await gather(runners, program, { rowsMax: 120 })).length, 120)
})

/** A program that reads a stored table of three columns. */
function readingProgram(sql: string): CompiledSql {
  const place = [0, 5] as const
  const read = { table: 'r', of: 'SAMPLE' as const, columns: ['ID', 'TIME', 'SAMPLE'], place }
  return programOf(
    { kind: 'set', variable: 1, query: queryOf('SELECT :v0 || 1') },
    { kind: 'select', query: { ...wideQueryOf(sql, 3), reads: [read] } },
  )
}

async function* batchesOf(count: number, rows: number): AsyncGenerator<InputBatch> {
  for (let batch = 0; batch < count; batch += 1) {
    await nextIteration()
    yield {
      rowCount: rows,
      columns: [
        { kind: 'constant', value: `s${batch % 3}` },
        {
          kind: 'integers',
          values: Float64Array.from({ length: rows }, (_, row) => batch * rows + row),
        },
        { kind: 'reals', values: new Float64Array(rows).fill(0.5) },
      ],
    }
  }
}

test('SqlRunners.run() reads stored rows when a statement asks for them, and no later call sees them', async () => {
  const runners = sharedRunners()
  const wanted: WantedRead[] = []
  const program = readingProgram(
    'SELECT c0, count(*), sum(c2) + max(c1) FROM r GROUP BY c0 ORDER BY c0',
  )
  const rows = await gather(runners, program, {
    values: { '@A': 'x' },
    openRead: (want) => {
      wanted.push(want)
      return batchesOf(30, 5_001)
    },
  })
  assert.deepEqual(wanted, [{ statement: 1, read: 0, given: [], bounds: [] }])
  const last = (stream: number) => (27 + stream) * 5_001 + 5_000
  assert.deepStrictEqual(
    rows,
    [0, 1, 2].map((stream) => [`s${stream}`, 50_010n, 25_005 + last(stream)]),
  )
  const none = { openRead: () => batchesOf(0, 0) }
  assert.deepEqual(await gather(runners, program, none), [])
  const counted = programOf({
    kind: 'select',
    query: {
      ...queryOf('SELECT count(*) FROM r'),
      reads: [{ table: 'r', of: 'SAMPLE', columns: [], place: [0, 5] }],
    },
  })
  async function* bare(): AsyncGenerator<InputBatch> {
    for (const rowCount of [3, 0, 4]) yield { rowCount, columns: [] }
  }
  assert.deepEqual(await gather(runners, counted, { openRead: bare }), [[7n]])
  assert.deepEqual(await gather(runners, program, none), [])
})

test('SqlRunners.run() ends a run that waits too long for stored rows, and says so', async (t) => {
  const runners = openRunners(t, { runnersMax: 1, callerWaitMs: 50 })
  const { promise: never, resolve: end } = Promise.withResolvers<void>()
  t.after(() => end())
  async function* slow(): AsyncGenerator<InputBatch> {
    yield* batchesOf(1, 10)
    await never
  }
  const reading = gather(runners, readingProgram('SELECT c0 FROM r'), { openRead: slow })
  const message = 'Cannot run this: reading its data or sending its rows takes longer than 0.05 s'
  await assert.rejects(reading, { reason: 'wait', message })
})

test('SqlRunners.run() fails with what the caller throws, and the runner goes on', async () => {
  const runners = sharedRunners()
  const reading = readingProgram('SELECT c0, c1, c2 FROM r')
  async function* broken(): AsyncGenerator<InputBatch> {
    yield* batchesOf(2, 10)
    throw new TypeError('no more')
  }
  await assert.rejects(gather(runners, reading, { openRead: broken }), TypeError)
  const many = programOf({ kind: 'select', query: wideQueryOf(counting(10_000), 2) })
  for (const onRows of [
    () => {
      throw new TypeError('not this')
    },
    () => Promise.reject(new TypeError('not this')),
  ]) {
    await assert.rejects(gather(runners, many, { onRows }), TypeError)
  }
  assert.deepEqual(await gather(runners, programOf('SELECT 1')), [[1n]])
  assert.equal(runners.figures.runners, 1)
})

test('SqlRunners.run() ends a runner that has much to say to a caller who has left', async () => {
  const runners = sharedRunners()
  // Rows that are alike would be sent as a byte each.
  const endless = programOf(
    `WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT '${'x'.repeat(1_000)}' || a FROM t`,
  )
  const onRows = () => {
    throw new TypeError('not this')
  }
  await assert.rejects(gather(runners, endless, { onRows, rowsMax: 4_000_000_000 }), TypeError)
  assert.deepEqual(await gather(runners, programOf('SELECT 1')), [[1n]])
})

test('SqlRunners.run() is ended by its signal, while it waits and while it works', async (t) => {
  const runners = openRunners(t, { runnersMax: 2 })
  const running = new AbortController()
  const waiting = new AbortController()
  const reason = new Error('enough')
  const first = gather(runners, programOf(ENDLESS), { signal: running.signal })
  await eventually(() => runners.figures.busy === 1, 'the first run')
  const second = gather(runners, programOf(ENDLESS), { signal: waiting.signal })
  waiting.abort(reason)
  await assert.rejects(second, reason)
  running.abort(reason)
  await assert.rejects(first, reason)
  await assert.rejects(gather(runners, programOf('SELECT 1'), { signal: running.signal }), reason)
  assert.deepEqual(await gather(runners, programOf('SELECT 1')), [[1n]])
  await eventually(() => runners.figures.busy === 0, 'the end of the first run')
})

test('SqlRunners.run() keeps a runner for others than the owner of endless queries', async (t) => {
  const runners = openRunners(t, { runnersMax: 2 })
  const stop = new AbortController()
  const endless = Array.from({ length: 5 }, () =>
    gather(runners, programOf(ENDLESS), { owner: 'greedy', signal: stop.signal }).catch(() => {}),
  )
  await eventually(() => runners.figures.busy === 1, 'an endless run')
  assert.deepEqual(await gather(runners, programOf('SELECT 1'), { owner: 'modest' }), [[1n]])
  assert.deepEqual([runners.figures.busy, runners.figures.waiting], [1, 4])
  stop.abort()
  await Promise.all(endless)
})

test('SqlRunners.run() refuses calls when too many wait', async (t) => {
  const runners = openRunners(t, { runnersMax: 1 })
  const stop = new AbortController()
  const program = programOf(ENDLESS)
  const calls = Array.from({ length: 1_002 }, () =>
    gather(runners, program, { signal: stop.signal }).catch((error) => error.code as string),
  )
  await eventually(() => runners.figures.ended.refused > 0, 'a refusal')
  stop.abort()
  const refused = (await Promise.all(calls)).filter((code) => (code as unknown) === 'overloaded')
  assert.ok(refused.length >= 1)
})

test('SqlRunners.close() refuses what waits and runs, and whatever comes', async (t) => {
  const runners = openRunners(t, { runnersMax: 1 })
  const calls = [1, 2].map(() => gather(runners, programOf(ENDLESS)))
  const ends = Promise.allSettled(calls)
  await eventually(() => runners.figures.busy === 1, 'a run')
  await runners.close()
  for (const end of await ends) {
    assert.equal(end.status === 'rejected' && end.reason.code, 'shutting_down')
  }
  await assert.rejects(gather(runners, programOf('SELECT 1')), { code: 'shutting_down' })
})

test('SqlRunners.run() runs many calls of many owners at once, each with its own answer', async (t) => {
  const runners = openRunners(t, { runnersMax: 3 })
  const program = programOf('SELECT :v0 || 1')
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      gather(runners, program, { owner: `o${index % 7}`, values: { '@A': `call ${index} ` } }),
    ),
  )
  const expected = answers.map((_, index): RowCell[][] => [[`call ${index} 1`]])
  assert.deepEqual(answers, expected)
  assert.equal(runners.figures.ended.done, 500)
})
