/** SELECT of stored data over HTTP: what it gives, by whose rights, and what it refuses. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const DAY = 86_400_000
/** 2024-01-01 in UTC. */
const START = 1_704_067_200_000
const HOURS = 24 * 40

/** In the middle of a year, so that what is put is of the current one. */
const clock = new ManualClock(Date.UTC(2026, 5, 15))

const service = serviceOfFile({ clock, settings: { WEIR_SQL_SAMPLES: '5000' } })
let owner: Call

before(async () => {
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  await make({
    id: 'boiler',
    name: 'Boiler',
    folder: '/Components/Hall',
    description: 'hot',
    stream: [
      { id: 'temp', name: 'Temperature', valueType: 'DOUBLE' },
      { id: 'state', valueType: 'STRING' },
      { id: 'count', valueType: 'LONG' },
      { id: 'exact', valueType: 'BIG_DECIMAL' },
      { id: 'on', valueType: 'BOOLEAN' },
      { id: 'hourly', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: 'hour' },
      { id: 'now', valueType: 'DOUBLE', streamType: 'point_stream' },
      { id: 'none', valueType: 'DOUBLE' },
    ],
  })
  await make({ id: 'pump', folder: '/Components/Hall/North', stream: [{ id: 'rpm' }] })
  const hours = Array.from({ length: HOURS }, (_, hour) => hour)
  await put(
    'boiler',
    'temp',
    hours.map((hour) => [START + hour * 3_600_000, valueAt(hour)]),
  )
  await put('boiler', 'state', [
    [START, 'off'],
    [START + 5, 'on'],
    [START + DAY, 'broken, "badly"'],
  ])
  await put('boiler', 'count', [
    [START, 9_007_199_254_740_991],
    [START + 1, -5],
  ])
  await put('boiler', 'exact', [
    [START, '12.50'],
    [START + 1, '0.1'],
  ])
  await put('boiler', 'on', [
    [START, true],
    [START + 1, false],
  ])
  await put(
    'boiler',
    'hourly',
    [3, 4, 6].map((hour) => [START + hour * 3_600_000, hour]),
  )
  await put('boiler', 'now', [[START, 7]])
  await put('pump', 'rpm', [
    [START + 500, 1450],
    [START + 900, 1460],
  ])
})

async function make(component: object): Promise<void> {
  const { status, text } = await owner('PUT', '/api/component', { component })
  assert.equal(status, 200, text)
}

async function put(
  compId: string,
  streamId: string,
  samples: (readonly [number, unknown])[] | number[][],
) {
  const body = samples.map(([time, data]) => ({ compId, streamId, time, data }))
  const { status, text } = await owner('PUT', '/api/feed', body)
  assert.equal(status, 200, text)
}

function valueAt(hour: number): number {
  return Math.round(1_000 * Math.sin(hour / 9)) / 8
}

interface Rows {
  readonly cols: { readonly name: string; readonly valueType: string }[]
  readonly rows: unknown[][]
  readonly more?: true
}

async function select(sql: string, query = '', by: Call = owner): Promise<Rows> {
  const { status, text, body } = await by('GET', `/api/gql?s=${encodeURIComponent(sql)}${query}`)
  assert.equal(status, 200, `${sql}\n${text}`)
  assert.equal(body.success, true)
  return body as Rows
}

async function rowsOf(sql: string, by?: Call): Promise<unknown[][]> {
  return (await select(sql, '', by)).rows
}

const BOILER = "cid = 'boiler' AND id = 'temp'"

async function checkAll(): Promise<void> {
  const check = async (sql: string, expected: unknown[][]): Promise<void> =>
    assert.deepEqual(await rowsOf(sql), expected, sql)
  await check(
    "SELECT cid, id, name, folderPath, streamType, sampleValueType FROM STREAM WHERE cid = 'pump'",
    [['pump', 'rpm', 'rpm', '/Components/Hall/North', 'rdm_stream', 'DOUBLE']],
  )
  await check(
    "SELECT id, startDate, endDate, lastValue FROM STREAM WHERE cid = 'boiler' AND id <> 'now' ORDER BY id",
    [
      ['count', START, START + 1, -5],
      ['exact', START, START + 1, 0.1],
      ['hourly', START + 10_800_000, START + 21_600_000, 6],
      ['none', null, null, null],
      ['on', START, START + 1, 0],
      ['state', START, START + DAY, 'broken, "badly"'],
      ['temp', START, START + (HOURS - 1) * 3_600_000, valueAt(HOURS - 1)],
    ],
  )
  await check(
    "SELECT cname, cid FROM STREAM WHERE folderPath = '/Components/Hall' AND id = 'temp'",
    [['Boiler', 'boiler']],
  )
  await check('SELECT count(*) FROM STREAM', [[9]])
  await check("SELECT * FROM SAMPLE WHERE cid = 'pump' ORDER BY time", [
    ['pump', 'rpm', START + 500, 1450],
    ['pump', 'rpm', START + 900, 1460],
  ])
  await check(
    `SELECT time, sample FROM SAMPLE WHERE ${BOILER} AND time >= ${START + 3_600_000} AND time < ${START + 3 * 3_600_000} ORDER BY time`,
    [1, 2].map((hour) => [START + hour * 3_600_000, valueAt(hour)]),
  )
  await check("SELECT sample FROM SAMPLE WHERE id = 'count' ORDER BY time", [
    [9_007_199_254_740_991],
    [-5],
  ])
  await check("SELECT sample, timeSd, time FROM STREAM WHERE id = 'hourly' ORDER BY time DESC", [
    [6, START + 5 * 3_600_000, START + 6 * 3_600_000],
    [4, START + 3 * 3_600_000, START + 4 * 3_600_000],
    [3, START + 2 * 3_600_000, START + 3 * 3_600_000],
  ])
  await check('SELECT cid, cname, streamCount FROM COMPONENT ORDER BY cid', [
    ['boiler', 'Boiler', 8],
    ['pump', 'pump', 1],
  ])
  await check("SELECT id, name FROM COMPONENT WHERE id = 'boiler'", [['boiler', 'Boiler']])
  await check(
    "SELECT c.cname, s.id, x.sample FROM COMPONENT c JOIN STREAM s USING (cuid) LEFT JOIN SAMPLE x ON x.uid = s.uid AND x.time > 0 WHERE c.cid = 'pump' ORDER BY x.time",
    [
      ['pump', 'rpm', 1450],
      ['pump', 'rpm', 1460],
    ],
  )
  await checkSums(check)
}

async function checkSums(
  check: (sql: string, expected: unknown[][]) => Promise<void>,
): Promise<void> {
  const values = Array.from({ length: HOURS }, (_, hour) => valueAt(hour))
  const sum = values.reduce((total, value) => total + value, 0)
  await check(
    `SELECT count(*), min(sample), max(sample), first(sample), last(sample), min(time) FROM SAMPLE WHERE ${BOILER}`,
    [[HOURS, Math.min(...values), Math.max(...values), values[0], values[HOURS - 1], START]],
  )
  const [[total, mean]] = await rowsOf(
    `SELECT sum(sample), avg(sample) FROM SAMPLE WHERE ${BOILER}`,
  )
  assert.ok(Math.abs(Number(total) - sum) < 1e-6 && Math.abs(Number(mean) - sum / HOURS) < 1e-9)
  await check(
    `SELECT id, count(*), max(sample) FROM SAMPLE WHERE cid = 'boiler' AND time <= ${START + 5} GROUP BY id ORDER BY id`,
    [
      ['count', 2, 9_007_199_254_740_991],
      ['exact', 2, 12.5],
      ['on', 2, 1],
      ['state', 2, 'on'],
      ['temp', 1, 0],
    ],
  )
  await check("SELECT count(*) FROM SAMPLE WHERE cid = 'nobody'", [[0]])
  await check("SELECT last(sample), count(*) FROM SAMPLE WHERE id = 'state'", [
    ['broken, "badly"', 3],
  ])
}

async function checkStatistics(): Promise<void> {
  const asFeed = async (stat: string, query: string): Promise<unknown[][]> => {
    const path = `/api/comp/boiler/stream/temp/cycle/day/stat/${stat}/feed?retIntvlSd&${query}`
    const { body } = await owner('GET', path)
    return body
      .map(({ sdTime, time, data }: Record<string, unknown>) => [sdTime, time, data])
      .reverse()
  }
  const until = START + 12 * DAY
  for (const stat of ['max', 'avg', 'sum', 'intvlcount', 'maxoccurrence']) {
    const range = `Range(sd = ${START + 2 * DAY}, ed = ${until})`
    const sql = `SELECT timeSd, time, sample FROM SAMPLE(cycleId = 'day', stat = '${stat}', ${range}) WHERE ${BOILER} ORDER BY time`
    assert.deepEqual(
      await rowsOf(sql),
      await asFeed(stat, `sd=${START + 2 * DAY}&ed=${until}`),
      stat,
    )
  }
  const both = await rowsOf(
    `SELECT time, Sample(cycleId = 'day', stat = 'min'), Sample(stat = 'max') FROM STREAM WHERE ${BOILER} ORDER BY time LIMIT 2`,
  )
  const [mins, maxs] = [await asFeed('min', ''), await asFeed('max', '')]
  assert.deepEqual(
    both,
    [0, 1].map((day) => [mins[day][1], mins[day][2], maxs[day][2]]),
  )
  const latest = await rowsOf(
    `SELECT time FROM SAMPLE(cycleId = 'day', stat = 'max', Range(last = 3)) WHERE ${BOILER} ORDER BY time`,
  )
  assert.deepEqual(
    latest.flat(),
    maxs.slice(-3).map(([, time]) => time),
  )
  const bounded = await rowsOf(
    `SELECT time FROM SAMPLE(cycleId = 'day', stat = 'max') WHERE ${BOILER} AND time BETWEEN ${START + 2 * DAY} AND ${START + 4 * DAY} ORDER BY time`,
  )
  assert.deepEqual(
    bounded.flat(),
    [2, 3, 4].map((day) => START + day * DAY),
  )
}

test('SELECT reads STREAM, SAMPLE and COMPONENT, from the journal and sealed, and after a restart', async () => {
  await checkAll()
  await checkStatistics()
  await service.sealAndRestart()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  await checkAll()
  await checkStatistics()
})

test('Range(…) reads the latest samples, a stretch, and the current period', async () => {
  const latest = await rowsOf(
    `SELECT sample FROM SAMPLE(Range(last = 2)) WHERE ${BOILER} ORDER BY time`,
  )
  assert.deepEqual(latest.flat(), [valueAt(HOURS - 2), valueAt(HOURS - 1)])
  const stretch = `SELECT count(*), min(time) FROM SAMPLE(Range(sd = ${START + 1}, ed = ${START + DAY})) WHERE ${BOILER}`
  assert.deepEqual(await rowsOf(stretch), [[23, START + 3_600_000]])
  assert.deepEqual(
    await rowsOf(
      "SELECT count(*) FROM SAMPLE(Range(sd = -7d)) WHERE cid = 'boiler' AND id = 'now'",
    ),
    [[1]],
  )
  const turned = await owner('GET', '/api/gql?s=SELECT%20time%20FROM%20SAMPLE(Range(sd=5,ed=4))')
  assert.equal(turned.status, 422, turned.text)
  assert.match(turned.text, /sd \(5\) of Range\(…\) must not be after ed \(4\)/)
  const now = clock.now()
  await put('pump', 'rpm', [[now, 5]])
  const current = await rowsOf(
    "SELECT sample FROM SAMPLE(Range(currentCycle = 'year')) WHERE cid = 'pump' ORDER BY time",
  )
  assert.deepEqual(current, [[5]])
  await owner('DELETE', `/api/comp/pump/stream/rpm/feed?sd=${now}&ed=${now + 1}`)
})

test('an answer has its columns, ends at c rows, and comes as CSV on request', async () => {
  const { cols, rows, more } = await select(
    `SELECT cid, sample, time, time > 5 AS late, CAST('0.10' AS BIGDECIMAL) AS d FROM SAMPLE WHERE ${BOILER} ORDER BY time`,
    '&c=2',
  )
  assert.deepEqual(cols, [
    { name: 'cid', valueType: 'STRING' },
    { name: 'sample', valueType: 'DOUBLE' },
    { name: 'time', valueType: 'LONG' },
    { name: 'late', valueType: 'BOOLEAN' },
    { name: 'd', valueType: 'BIG_DECIMAL' },
  ])
  assert.deepEqual([rows.length, rows[0], more], [2, ['boiler', 0, START, true, 0.1], true])
  const { cols: written } = await select(
    'SELECT (1 + 2) * 3, 4 * ( 5 - 6 ) , (7), ((8) + 9) AS ten',
  )
  assert.deepEqual(
    written.map(({ name }) => name),
    ['(1 + 2) * 3', '4 * ( 5 - 6 )', '(7)', 'ten'],
    'a value without a name is named as it is written',
  )
  const typesOf = async (sql: string): Promise<string[]> =>
    (await select(sql)).cols.map(({ valueType }) => valueType)
  assert.deepEqual(
    await typesOf(
      "SELECT max(sample), lastValue, NULL FROM STREAM WHERE cid = 'boiler' AND id = 'count' GROUP BY lastValue",
    ),
    ['LONG', 'LONG', ''],
  )
  assert.deepEqual(await typesOf("SELECT sample FROM SAMPLE WHERE id = 'state'"), ['STRING'])
  assert.deepEqual(
    await typesOf("SELECT lastValue FROM STREAM WHERE id IN ('count', 'temp')"),
    ['DOUBLE'],
    'numbers of both kinds',
  )
  assert.deepEqual(await typesOf("SELECT lastValue FROM STREAM WHERE cid = 'boiler'"), [''])
  assert.deepEqual(await typesOf('SELECT 1 > 2 AS b UNION ALL SELECT NULL'), ['BOOLEAN'])
  const late =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i AS v FROM n UNION ALL SELECT 'end'"
  const { cols: ofLong, rows: manyRows } = await select(late)
  assert.deepEqual([ofLong, manyRows.length], [[{ name: 'v', valueType: '' }], 200_001])
  const big = await owner('GET', '/api/gql?s=SELECT%209223372036854775807')
  assert.match(big.text, /\[\[9223372036854775807\]\]/)
  const least = await owner('GET', '/api/gql?s=SELECT%20-9223372036854775808,-0.0,-0')
  assert.match(least.text, /\[\[-9223372036854775808,-0,0\]\]/)
  const ofState = "SELECT id, sample, NULL AS n FROM SAMPLE WHERE id = 'state' ORDER BY time"
  const csv = async (query: string, accept?: string, sql = ofState) => {
    const url = `${service.url}/api/gql?s=${encodeURIComponent(sql)}${query}`
    const session = await signIn(service, service.ownerEmail, service.ownerPassword)
    const headers = { cookie: session, ...(accept === undefined ? {} : { accept }) }
    const answer = await fetch(url, { headers })
    return { type: answer.headers.get('content-type') ?? '', text: await answer.text() }
  }
  const zero =
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'boiler', 'zero', 7, -0.0"
  assert.equal((await owner('POST', '/api/gql', { sql: zero })).status, 200)
  const ofZero = "SELECT sample FROM SAMPLE WHERE id = 'zero'"
  const asJson = await owner('GET', `/api/gql?s=${encodeURIComponent(ofZero)}`)
  assert.match(asJson.text, /"rows":\[\[-0\]\]/)
  assert.equal((await csv('&format=csv', undefined, ofZero)).text, 'sample\r\n-0\r\n')
  const whole = await csv('&format=csv')
  assert.equal(
    whole.text,
    'id,sample,n\r\nstate,off,\r\nstate,on,\r\nstate,"broken, ""badly""",\r\n',
  )
  assert.match(whole.type, /^text\/csv/)
  assert.equal((await csv('&h=0', 'text/csv')).text.split('\r\n')[0], 'state,off,')
})

test('more samples than a run may be handed are refused with the condition that is missing', async () => {
  const refusedAs = async (sql: string, pattern: RegExp): Promise<void> => {
    const { status, body } = await owner('GET', `/api/gql?s=${encodeURIComponent(sql)}`)
    assert.equal(status, 422, body.message)
    assert.equal(body.code, 'sql_error')
    assert.match(body.message, pattern)
    assert.ok(body.line >= 1 && body.pointer.includes('^'))
  }
  const minutes = Array.from({ length: 6_000 }, (_, at) => [START + at * 60_000, at])
  await put('pump', 'long', minutes)
  await refusedAs(
    'SELECT sample * 2 FROM SAMPLE',
    /more than 5000 samples\. Add a condition on cid and id/,
  )
  await refusedAs("SELECT sample * 2 FROM SAMPLE WHERE id = 'long'", /Add a condition on time/)
  await refusedAs(
    "SELECT sample * 2 FROM SAMPLE WHERE id = 'long' AND time > 5",
    /Narrow the time range, or read a statistic/,
  )
  const [[count]] = await rowsOf("SELECT count(*) FROM SAMPLE WHERE cid = 'pump' AND id = 'long'")
  assert.equal(count, 6_000)
  await refusedAs("SELECT sample FROM SAMPLE(cycleId = 'dya')", /Cannot find cycle "dya"/)
  await refusedAs(
    "SELECT sample FROM SAMPLE(cycleId = 'day', stat = 'maxx')",
    /Cannot find statistic "maxx"/,
  )
  await refusedAs('SELECT sample FROM SAMPLE(Range(last = 0))', /integer of at least 1/)
})

test('conditions on templates leave the components that were made from them, and hand over no others', async () => {
  const template = { id: 'sensor', stream: [{ id: 'rh', valueType: 'DOUBLE' }] }
  const saved = await owner('PUT', '/api/component_template', { component_template: template })
  assert.equal(saved.status, 200, saved.text)
  const sql =
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (COMP_TMPL_ID = 'sensor') SELECT 'made1', 'rh', 5, 48 UNION ALL SELECT 'made2', 'rh', 6, 52"
  assert.equal((await owner('POST', '/api/gql', { sql })).status, 200)
  const body = Array.from({ length: 5_001 }, (_, at) => {
    return { compId: 'plain', streamId: 'rh', time: START + at, data: at }
  })
  assert.equal((await owner('PUT', '/api/feed', body)).status, 200)
  assert.deepEqual(
    await rowsOf("SELECT cid, sample * 2 FROM SAMPLE WHERE template = 'sensor' ORDER BY cid"),
    [
      ['made1', 96],
      ['made2', 104],
    ],
  )
  assert.deepEqual(
    await rowsOf(
      "SELECT template, count(*), max(sample) FROM SAMPLE WHERE id = 'rh' AND template IN ('sensor', 'other') GROUP BY template",
    ),
    [['sensor', 2, 52]],
  )
  assert.deepEqual(
    await rowsOf(
      "SELECT s.cid FROM STREAM s JOIN COMPONENT c USING (cuid) WHERE c.template = 'sensor' ORDER BY s.cid",
    ),
    [['made1'], ['made2']],
  )
  assert.deepEqual(
    await rowsOf(
      "SELECT cid, template FROM COMPONENT WHERE cid IN ('plain', 'made1') ORDER BY cid",
    ),
    [
      ['made1', 'sensor'],
      ['plain', null],
    ],
  )
  const [[uid]] = await rowsOf("SELECT cuid FROM COMPONENT WHERE cid = 'made1'")
  const renamed = await owner('POST', '/api/component', { component: { uid, name: 'Cellar' } })
  assert.equal(renamed.status, 200, renamed.text)
  assert.equal((await owner('GET', `/api/component/${uid}`)).body.component.template, 'sensor')
})

test('sums of LONGs beyond 2^53 have all their digits, from sums that the store knows too', async () => {
  await make({ id: 'meter', stream: ['many', 'few'].map((id) => ({ id, valueType: 'LONG' })) })
  const many = Array.from({ length: 6_000 }, (_, at) => [START + at * 60_000, 9e12 + 1 + 7 * at])
  const few = [0, 1, 2, 3].map((at) => [START + at, Number.MAX_SAFE_INTEGER - at])
  await put('meter', 'many', many)
  await put('meter', 'few', few)
  const sumOf = (samples: number[][]) =>
    samples.reduce((sum, [, value]) => sum + BigInt(value), 0n).toString()
  const check = async (where: string, group: string, expected: string): Promise<void> => {
    const sql = `SELECT sum(sample), count(*) AS n FROM SAMPLE WHERE cid = 'meter'${where}${group}`
    const { status, text } = await owner('GET', `/api/gql?s=${encodeURIComponent(sql)}`)
    assert.equal(status, 200, text)
    assert.equal(/"rows":\[\[(-?\d+),/.exec(text)?.[1], expected, sql)
  }
  for (const id of ['many', 'few']) {
    await check(` AND id = '${id}'`, '', sumOf(id === 'many' ? many : few))
    await check(` AND id = '${id}'`, ' GROUP BY cid', sumOf(id === 'many' ? many : few))
  }
  await check('', '', sumOf([...many, ...few]))
  const late = many.filter(([time]) => time >= START + 86_400_000)
  await check(` AND id = 'many' AND time >= ${START + DAY}`, '', sumOf(late))
  await check(
    " AND id = 'many'",
    ` GROUP BY time - time % ${DAY} ORDER BY n`,
    sumOf(many.slice(5_760)),
  )
  await check(" AND id = 'few'", ' GROUP BY time - time % 1000', sumOf(few))
})

test('errors and bad parameters are reported, with their place', async () => {
  const check = async (query: string, code: string, pattern: RegExp): Promise<void> => {
    const { status, body } = await owner('GET', `/api/gql?${query}`)
    assert.deepEqual([status, body.code], [400, code], body.message)
    assert.match(body.message, pattern)
  }
  await check(
    's=SELECT%20nme%20FROM%20STREAM',
    'bad_sql',
    /Line 1, column 8: Unknown column "nme".*name/,
  )
  await check(
    `s=${encodeURIComponent("INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE) SELECT 'c', 's', 1")}`,
    'bad_sql',
    /no INSERT/,
  )
  await check('', 'bad_input', /"s" is missing/)
  await check('s=SELECT%201&tz=Nowhere/Land', 'bad_input', /"tz"/)
  await check('s=SELECT%201&c=0', 'bad_input', /"c"/)
  await check('s=SELECT%201&format=xml', 'bad_input', /"format"/)
})

test('POST runs INSERT as a put does, and a dry run returns what it would store', async () => {
  const sql =
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'made', 's', 5, 1.5; SELECT 2 AS two"
  const dry = await owner('POST', '/api/gql', { sql, dryRun: true })
  assert.equal(dry.status, 200, dry.text)
  assert.deepEqual(dry.body.samples, [{ cid: 'made', id: 's', time: 5, sample: 1.5 }])
  assert.deepEqual(await rowsOf("SELECT cid FROM STREAM WHERE cid = 'made'"), [])
  const run = await owner('POST', '/api/gql', { sql })
  assert.deepEqual([run.status, run.body.sampleCount, run.body.rows], [200, 1, [[2]]], run.text)
  assert.deepEqual(await rowsOf("SELECT sample FROM SAMPLE WHERE cid = 'made'"), [[1.5]])
  const again =
    "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'copy', id, time, sample + 1 FROM SAMPLE WHERE cid = 'made'"
  assert.equal((await owner('POST', '/api/gql', { sql: again })).status, 200)
  assert.deepEqual(await rowsOf("SELECT time, sample FROM SAMPLE WHERE cid = 'copy'"), [[5, 2.5]])
  for (const body of [
    {},
    { sql: 5 },
    { sql: 'SELECT 1', dryRun: 'yes' },
    { sql: 'SELECT 1', dryrun: true },
  ]) {
    assert.equal((await owner('POST', '/api/gql', body)).status, 400)
  }
})
