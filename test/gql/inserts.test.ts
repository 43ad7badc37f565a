/** INSERT of GS SQL over real runners and stores: what is stored, by whose rights, all or none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capabilities, keyPrincipal, type Method } from '../../src/access/index.ts'
import type { AssignedSpan } from '../../src/store/index.ts'
import { ORG } from '../support/derivation-home.ts'
import { refused } from '../support/feed-home.ts'
import { type GqlHome, openGql, RUN_TIME } from '../support/gql-home.ts'
import { HOUR, interval, T0 } from '../support/hourly-stream.ts'

const INTO = 'INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)'

function keyOf(resource: string, methods: readonly Method[]) {
  const capabilities = new Capabilities([{ resource, methods }])
  return keyPrincipal({ orgUid: ORG, keyUid: 'k', capabilities })
}

async function assertNothing(home: GqlHome): Promise<void> {
  const { componentCount } = home.catalog.index
  assert.deepEqual([componentCount, await home.stored()], [0, {}])
}

test('the spellings of the contract store samples as they are written there', async (t) => {
  const home = await openGql(t)
  const { sampleCount, rowCount } = await home.run(
    `SET @HTTP_BODY = '{"device":"d1","when":1700000000,"list":[{"n":"t","v":22.5},{"n":"door","v":"open"}]}';
     SET @offset = 5;
     ${INTO}
     WITH j AS (
       SELECT device, at, n, v FROM JSON_TABLE(@HTTP_BODY)
       WITH(device String '$.device', at Long '$.when', n String '$.list[*].n', v String '$.list[*].v')
     )
     SELECT device, n, at * 1000 + @offset, v FROM j
     UNION ALL SELECT 'd1', 'method', NULL, @HTTP_METHOD
     UNION ALL SELECT 'd1', parseCsv(parseCsv('a|q/r', 2, '|'), 1, '/'), 7, Cast('12.9' AS LONG);
     ${INTO} SELECT c, Left(c, 1) + Right(c, 1), TOEPOCHMILLIS(w, 'yyyy-MM-dd HH:mm:ss'), v
     FROM CSV_TABLE(@HTTP_QUERY_STRING) WITH (1 c STRING, 3 w STRING, 2 v DOUBLE)`,
    {
      variables: {
        '@HTTP_METHOD': 'PUT',
        '@HTTP_QUERY_STRING': 'd1,1.5,2024-03-05 08:08:09\nd2,2,2024-03-05 08:08:10',
      },
    },
  )
  assert.deepEqual([sampleCount, rowCount], [6, 0])
  assert.deepEqual(await home.stored(), {
    'd1 / d1': [[1_709_626_089_000, 1.5]],
    'd1 / door': [[1_700_000_000_005, 'open']],
    'd1 / method': [[RUN_TIME, 'PUT']],
    'd1 / q': [[7, 12]],
    'd1 / t': [[1_700_000_000_005, 22.5]],
    'd2 / d2': [[1_709_626_090_000, 2]],
  })
})

test('values of all types are kept as streams of their type keep them', async (t) => {
  const home = await openGql(t)
  const types = ['DOUBLE', 'LONG', 'STRING', 'BIG_DECIMAL', 'BOOLEAN', 'DATETIME'] as const
  await home.add('c', [...types.map((valueType) => ({ id: valueType, valueType })), { id: 'open' }])
  let time = 0
  const check = async (id: string, value: string, expected: number | string) => {
    time += 1
    await home.run(`${INTO} SELECT 'c', '${id}', ${time}, ${value}`)
    assert.deepEqual((await home.readOf('c', id)).at(-1), [time, expected], `${id} ${value}`)
  }
  await check('DOUBLE', '0.1', 0.1)
  await check('DOUBLE', "' 72.5 '", 72.5)
  await check('DOUBLE', '9007199254740993', 9_007_199_254_740_992)
  await check('LONG', '9007199254740991', 9_007_199_254_740_991)
  await check('STRING', '9007199254740993', '9007199254740993')
  await check('STRING', '1.5', '1.5')
  await check('STRING', '2 > 1', 'true')
  await check('STRING', "'日本'", '日本')
  await check(
    'BIG_DECIMAL',
    "CAST('12345678901234567890.0123456789' AS BIGDECIMAL)",
    '12345678901234567890.0123456789',
  )
  await check('BIG_DECIMAL', '9223372036854775807', '9223372036854775807')
  await check('BOOLEAN', '1 < 2', 1)
  await check('BOOLEAN', '(SELECT 1 < 0 UNION ALL SELECT 3 LIMIT 1)', 0)
  await check('BOOLEAN', "'True'", 1)
  await check('DATETIME', "'2024-03-05T08:08:09Z'", 1_709_626_089_000)
  await check('open', "'3'", 3)
  const before = await home.stored()
  await home.run(`${INTO} SELECT 'c', 'DOUBLE', 1, NULL UNION ALL SELECT 'c', 'STRING', 99, NULL`)
  assert.deepEqual(await home.stored(), before)
  const { message, status } = await refused(
    home.run(`${INTO}\n SELECT 'c', 'LONG', 1, 9007199254740993`),
  )
  assert.equal(status, 400)
  assert.match(message, /row 1 of the INSERT at line 1, column 1: "data" must be an integer/)
  assert.match(message, /got 9007199254740993/)
})

test('a decimal keeps its digits beside values of other types that UNION ALL joins to it', async (t) => {
  const home = await openGql(t)
  const digits = '12345678901234567890.0123456789'
  await home.add('c', [
    { id: 'exact', valueType: 'BIG_DECIMAL' },
    { id: 'text', valueType: 'STRING' },
    { id: 'number', valueType: 'DOUBLE' },
    { id: 'open' },
  ])
  let time = 0
  const check = async (other: string, value: string, [before, after] = ['', '']) => {
    time += 1
    const row = (id: string, cell: string, from = '') =>
      `SELECT 'c', '${id}', ${time}, ${cell}${from}`
    const decimals = ['exact', 'text', 'number', 'open'].map((id) => row(id, value, after))
    await home.run(
      `${before} ${INTO} ${[row(`other ${time}`, other), ...decimals].join(' UNION ALL ')}`,
    )
    assert.deepEqual((await home.readOf('c', 'exact')).at(-1), [time, digits], value)
    assert.deepEqual((await home.readOf('c', 'text')).at(-1), [time, digits], value)
    assert.deepEqual((await home.readOf('c', 'number')).at(-1), [time, Number(digits)], value)
    assert.deepEqual((await home.readOf('c', 'open')).at(-1), [time, Number(digits)], value)
  }
  for (const other of ['5', '5.5', "'on'", '1 < 2', 'NULL']) {
    await check(other, `CAST('${digits}' AS BIGDECIMAL)`)
  }
  const body = `SET @HTTP_BODY = '{"v":${digits}}';`
  const table = `WITH j AS (SELECT v FROM JSON_TABLE(@HTTP_BODY) WITH (v BIGDECIMAL '$.v'))`
  await check('5', 'v', [`${body} ${table}`, ' FROM j'])
})

test('all INSERTs of a text are stored or none, whichever fails and why', async (t) => {
  const home = await openGql(t)
  const good = `${INTO} SELECT 'a', 's', 1, 1`
  for (const [bad, expected] of [
    [
      `;\n  ${INTO} SELECT 'a', '${'i'.repeat(513)}', 2, 'x'`,
      /Cannot accept row 1 of the INSERT at line 2, column 3/,
    ],
    [`; SELECT TOEPOCHMILLIS('x', 'yyyy')`, /^Line 1, column \d+: Cannot read "x"/],
    [`; ${INTO} SELECT NULL, 's', 2, 1`, /row 1 of the INSERT at .*: "CID" is NULL/],
    [`; ${INTO} SELECT 'b', '  ', 2, 1`, /"ID" must not be blank/],
    [`; ${INTO} SELECT 'b', 's', -9e15, 1`, /"TIME" must be epoch milliseconds from 1900/],
    [`; ${INTO} WITH (COMP_TMPL_ID = 'none') SELECT 'b', 's', 2, 1`, /template "none"/],
    [`; ${INTO} WITH (FOLDER_PATH = '/x') SELECT 'b', 's', 2, 1`, /folder/],
    [
      `; ${INTO} SELECT a, 's', 2, 1 FROM JSON_TABLE('{') WITH (a STRING '$.a')`,
      /^Line 1, column \d+: .*no JSON/,
    ],
  ] as const) {
    await home.run(`${INTO} SELECT 'a', 's', 9, 9`, { isDry: true })
    const { message } = await refused(home.run(good + bad))
    assert.match(message, expected, bad)
    await assertNothing(home)
  }
  const { status } = await refused(
    home.run(`${INTO} WITH (COMP_TMPL_ID='t') SELECT 'b', 's', 2, 1`),
  )
  assert.equal(status, 404)
  await home.run(`${good}; ${INTO} SELECT 'b', 's', 2, 1`)
  assert.deepEqual(await home.stored(), { 'a / s': [[1, 1]], 'b / s': [[2, 1]] })
})

test('every INSERT has rules of its own for what is created; what exists keeps its own', async (t) => {
  const home = await openGql(t)
  const stream = (id: string, valueType: 'DOUBLE' | 'STRING') => ({ id, valueType })
  const principal = keyOf('*', ['GET', 'PUT'])
  await home.catalog.templates.insert(principal, { id: 'pump', stream: [stream('rpm', 'STRING')] })
  await home.catalog.templates.insert(principal, {
    id: 'tank',
    stream: [stream('level', 'DOUBLE')],
  })
  await home.run(`
    SET @site = 'North';
    ${INTO} WITH (COMP_TMPL_ID = 'pump', FOLDER_PATH = '/Components/' + @site, CNAME = 'Pump 7')
    SELECT 'p7', 'rpm', 1, 1450;
    ${INTO} SELECT 't1', 'level', 1, 5 UNION ALL SELECT 'p7', 'extra', 1, 2 WITH (COMP_TMPL_ID = 'tank', CNAME = NULL);
    ${INTO} WITH (FOLDER_PATH = '') SELECT 'plain', 's', 1, 1`)
  assert.deepEqual(await home.stored(), {
    'p7 / extra': [[1, 2]],
    'p7 / rpm': [[1, '1450']],
    'plain / s': [[1, 1]],
    't1 / level': [[1, 5]],
  })
  const { records } = await home.catalog.components.list(principal, { start: 0, limit: 9 })
  const shown = records.map(({ id, name, folder }) => `${id} ${name} ${folder}`).sort()
  const expected = ['p7 Pump 7 /Components/North', 'plain plain /Components', 't1 t1 /Components']
  assert.deepEqual(shown, expected)
  await home.run(`${INTO} WITH (COMP_TMPL_ID = 'unknown', CNAME = 'n') SELECT 'p7', 'rpm', 2, 1`)
  assert.deepEqual(await home.readOf('p7', 'rpm'), [[1, '1450'], [2, '1']]) // biome-ignore format: short
})

test('the rights of the caller hold: what may not be put or created is a 403, and nothing is stored', async (t) => {
  const home = await openGql(t)
  await home.add('mine', [{ id: 's', valueType: 'DOUBLE' }])
  await home.add('other', [{ id: 's', valueType: 'DOUBLE' }])
  const uid = home.catalog.index.resolveComponent(ORG, 'mine')?.uid
  const narrow = keyOf(`component/${uid}/feed`, ['PUT'])
  const both = `${INTO} SELECT 'mine', 's', 1, 1; ${INTO} SELECT 'other', 's', 1, 1`
  const made = `${INTO} SELECT 'mine', 's', 1, 1 UNION ALL SELECT 'made', 's', 1, 1`
  const reader = keyOf('component/*/feed', ['GET'])
  for (const [sql, principal] of [
    [both, narrow],
    [made, narrow],
    [made, reader],
  ] as const) {
    // biome-ignore format: short
    for (const isDry of [false, true]) {
      const { status, code } = await refused(home.run(sql, { principal, isDry }))
      assert.deepEqual([status, code], [403, 'forbidden'])
    }
  }
  assert.deepEqual(await home.stored(), { 'mine / s': [], 'other / s': [] })
  await home.run(`${INTO} SELECT 'mine', 's', 1, 1 UNION ALL SELECT 'mine', 'more', 1, 1`, {
    principal: narrow,
  })
  const lost = home.run(both, {
    renew: () => Promise.resolve(reader),
  })
  assert.equal((await refused(lost)).status, 403)
  assert.deepEqual(await home.readOf('mine', 's'), [[1, 1]])
})

test('interval streams take their intervals and gaps, derived streams refuse', async (t) => {
  const home = await openGql(t)
  const variables = [{ name: 'x', streamId: 'i' }]
  await home.add('c', [
    { id: 'i', ...interval },
    { id: 'point', streamType: 'point_stream', valueType: 'DOUBLE' },
    {
      id: 'd',
      streamDerivationType: 'FROM_EXPRESSION',
      derivation: { expression: 'x + 1', variables },
    },
  ])
  const at = (hour: number, value: unknown, ms = 0) =>
    `SELECT 'c', 'i', ${T0 + hour * HOUR + ms}, ${value}`
  await home.run(`${INTO} ${at(1, 1)} UNION ALL ${at(2, 2)} UNION ALL ${at(3, 3)}`)
  await home.run(`${INTO} ${at(1, 10, -5)} UNION ALL ${at(2, 'NULL')} UNION ALL ${at(5, 50)}`)
  const hours = (await home.readOf('c', 'i')).map(([time, value]) => [(time - T0) / HOUR, value])
  assert.deepEqual(hours, [[1, 10], [3, 3], [5, 50]]) // biome-ignore format: short
  await home.run(`${INTO} SELECT 'c', 'point', NULL, 1 UNION ALL SELECT 'c', 'point', 5, 2`)
  assert.deepEqual(await home.readOf('c', 'point'), [[RUN_TIME, 2]])
  for (const isDry of [false, true]) {
    const sql = `${INTO} SELECT 'c', 'point', 1, 9 UNION ALL SELECT 'c', 'd', 1, 1`
    const { message, status } = await refused(home.run(sql, { isDry }))
    assert.equal(status, 400)
    assert.match(message, /row 2 of the INSERT at line 1, column 1: its stream is derived/)
  }
  assert.deepEqual(await home.readOf('c', 'point'), [[RUN_TIME, 2]])
})

test('a NULL time is one that its stream has not been given, and stays it when the call is made again', async (t) => {
  const home = await openGql(t)
  const sql = `${INTO} SELECT 'c', 's', NULL, 1 UNION ALL SELECT 'c', 's', NULL, 2 UNION ALL SELECT 'c', 't', NULL, 3`
  let earlier: readonly AssignedSpan[] = []
  const run = (text: string, isPast: boolean, now = RUN_TIME) =>
    home.run(text, {
      now,
      repeat: {
        earlier,
        isPast,
        keep: async (spans) => {
          earlier = spans
        },
      },
    })
  await run(sql, false)
  for (const isPast of [false, true]) await run(sql, isPast)
  const expected = { 'c / s': [[RUN_TIME, 1], [RUN_TIME + 1, 2]], 'c / t': [[RUN_TIME, 3]] } // biome-ignore format: short
  assert.deepEqual(await home.stored(), expected)
  const { samples } = await home.run(sql, { isDry: true })
  assert.deepEqual(samples?.map(({ id, time }) => [id, time - RUN_TIME]), [['s', 0], ['s', 1], ['t', 0]]) // biome-ignore format: short
  await home.run(`${INTO} SELECT 'c', 't', NULL, 4`)
  await home.run(`${INTO} SELECT 'c', 't', NULL, 5`)
  const later = [[RUN_TIME, 3], [RUN_TIME + 1, 4], [RUN_TIME + 2, 5]] // biome-ignore format: short
  assert.deepEqual(await home.readOf('c', 't'), later)
  await home.run(`${INTO} SELECT 'c', 't', ${RUN_TIME + 4}, 8`)
  await run(
    sql.replace(
      "'c', 't', NULL, 3",
      "'c', 't', NULL, 3 UNION ALL SELECT 'c', 't', NULL, 6 UNION ALL SELECT 'c', 't', NULL, 7",
    ),
    true,
  )
  const whole = [...later, [RUN_TIME + 3, 6], [RUN_TIME + 4, 8], [RUN_TIME + 5, 7]]
  assert.deepEqual(await home.readOf('c', 't'), whole, 'what is more goes where nothing is')
  await run(sql, true)
  assert.deepEqual(await home.readOf('c', 't'), whole)
})

test('a dry run lists what would be stored and created, refuses what a run refuses, and changes nothing', async (t) => {
  const home = await openGql(t)
  await home.add('c', [{ id: 'n', valueType: 'DOUBLE' }, { id: 'open' }])
  const sql = `${INTO} WITH (FOLDER_PATH = '/Components/New')
    SELECT 'c', 'n', 1, 5 UNION ALL SELECT 'c', 'm', 2, 'x' UNION ALL SELECT 'd', 's', 3, 9007199254740993
    UNION ALL SELECT 'c', 'open', 4, NULL UNION ALL SELECT 'c', 'open', 5, 1 > 0;
    SELECT 1 AS one`
  const dry = await home.run(sql, { isDry: true })
  assert.deepEqual(dry, {
    columns: [{ name: 'one', type: 'LONG' }],
    rowCount: 1,
    sampleCount: 4,
    warnings: [],
    samples: [
      { cid: 'c', id: 'n', time: 1, sample: 5 },
      { cid: 'c', id: 'm', time: 2, sample: 'x' },
      { cid: 'd', id: 's', time: 3, sample: '9007199254740993' },
      { cid: 'c', id: 'open', time: 4, sample: null },
      { cid: 'c', id: 'open', time: 5, sample: true },
    ],
    created: [
      { compId: 'c', streamId: 'm', isNewComponent: false },
      { compId: 'd', streamId: 's', isNewComponent: true },
    ],
  })
  assert.deepEqual(await home.stored(), { 'c / n': [], 'c / open': [] })
  const refuse = async (text: string, expected: RegExp) => {
    const { message } = await refused(home.run(text, { isDry: true }))
    assert.match(message, expected)
  }
  await refuse(
    `${INTO} SELECT 'c', 'n', 1, 'x'`,
    /row 1 .* finite number for a stream of type DOUBLE/,
  )
  await refuse(`${INTO} WITH (COMP_TMPL_ID='t') SELECT 'e', 'n', 1, 1`, /template "t"/)
  const none = await home.run('SELECT 1', { isDry: true })
  assert.deepEqual([none.samples, none.created, none.sampleCount], [[], [], 0])
  assert.deepEqual(await home.stored(), { 'c / n': [], 'c / open': [] })
  const folders = await home.catalog.folders.list(keyOf('*', ['GET']), { start: 0, limit: 9 })
  assert.equal(folders.totalCount, 0)
  assert.equal(home.budget.figures.usedBytes, 0)
})

test('a call stores as many samples as a put may, and no more', async (t) => {
  const home = await openGql(t)
  const rows = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) ${INTO} SELECT 'c', 's', i, i FROM n`
  const { sampleCount } = await home.run(rows(100_000))
  assert.equal(sampleCount, 100_000)
  assert.equal((await home.readOf('c', 's')).length, 100_000)
  const { code, place } = await refused(
    home.run(
      `${rows(700_000)}; ${INTO} SELECT 'd', 's', i, i FROM (${'SELECT 1 AS i'}) t; ${rows(300_000)}`,
    ),
  )
  assert.equal(code, 'too_many_samples')
  assert.equal(place?.line, 1)
  const dry = await home.run(rows(2_000), { isDry: true })
  assert.deepEqual([dry.sampleCount, dry.samples?.length], [2_000, 1_000])
  assert.equal(home.catalog.index.resolveComponent(ORG, 'd'), undefined)
  assert.equal(home.budget.figures.usedBytes, 0)
})

test('times that look like seconds are stored and reported, also by a dry run', async (t) => {
  const home = await openGql(t)
  const two = `${INTO} SELECT 'c', 's', 1700000000, 1 UNION ALL SELECT 'c', 's', 1700000001, 1`
  const dry = await home.run(two, { isDry: true })
  assert.deepEqual(dry.warnings, [
    'stream "s" of component "c": time 1700000000 looks like seconds but is stored as milliseconds: 1970-01-20',
  ])
  const { warnings } = await home.run(`${INTO} SELECT 'c', 's', 1700000000, 1`)
  assert.match(warnings[0], /stream "s" of component "c": time 1700000000 looks like seconds/)
})
