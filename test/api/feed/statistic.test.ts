import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { BUILT_IN_CYCLES } from '../../../src/time/index.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const HOUR = 3_600_000
const ms = (text: string): number => Date.parse(text)
const service = serviceOfFile()
let session = ''

before(async () => {
  const login = await call('POST', '/api/login', {
    email: service.ownerEmail,
    password: service.ownerPassword,
  })
  session = (login.body as { sessionUid: string }).sessionUid
})

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly text: string
}

async function call(method: string, path: string, json?: unknown): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    ...(json === undefined
      ? {}
      : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) }
}

async function get(path: string, query = ''): Promise<Answer> {
  const joint = query === '' ? '' : `&${query}`
  return call('GET', `/api/comp/${path}?api_key=${service.feedKey}${joint}`)
}

type Shown = Record<string, unknown>

async function rows(path: string, query = ''): Promise<Shown[]> {
  const { status, body, text } = await get(path, query)
  assert.equal(status, 200, text)
  return body as Shown[]
}

async function put(samples: readonly [string, string, string, number | string][]): Promise<void> {
  const body = samples.map(([compId, streamId, time, data]) => {
    return { compId, streamId, data, time: ms(time) }
  })
  const answer = await call('PUT', `/api/feed?api_key=${service.feedKey}`, body)
  assert.equal(answer.status, 200, answer.text)
}

/** A call of the signed-in owner. */
function admin(method: string, path: string, json: unknown): Promise<Answer> {
  return call(method, `/api/${path}?session=${session}&org=${service.orgUid}`, json)
}

async function insert(noun: string, record: Shown): Promise<{ uid: string }> {
  const { status, body, text } = await admin('PUT', noun, { [noun]: record })
  assert.equal(status, 200, text)
  return (body as Record<string, { uid: string }>)[noun]
}

function component(id: string, timeZoneId: string, streams: readonly Shown[]) {
  const stream = streams.map((one) => ({ name: one.id, ...one }))
  return insert('component', { id, name: id, timeZoneId, stream })
}

test('the contract example: hourly maxima, latest first, compact, keys in their order', async () => {
  await put([
    ['boiler', 'temp', '2024-05-01T10:05Z', 20.5],
    ['boiler', 'temp', '2024-05-01T10:55Z', 22],
    ['boiler', 'temp', '2024-05-01T12:00Z', 19],
  ])
  const plain = await get('boiler/stream/temp/cycle/hour/stat/max/feed')
  assert.equal(
    plain.text,
    `[{"time":${ms('2024-05-01T13:00Z')},"data":19},{"time":${ms('2024-05-01T11:00Z')},"data":22}]`,
  )
  const flags = 'retCompId&retStreamId&retFData&retUnit&retIntvlSd&limit=1'
  const full = await get('boiler/stream/temp/cycle/hour/stat/max/feed', flags)
  assert.equal(
    full.text,
    `[{"compId":"boiler","streamId":"temp","time":${ms('2024-05-01T13:00Z')},"data":19,` +
      `"fData":"19","unit":"","sdTime":${ms('2024-05-01T12:00Z')}}]`,
  )
})

test('the thirteen statistics of a 25-hour day in New York', async () => {
  await component('ny', 'America/New_York', [{ id: 'a', valueType: 'DOUBLE' }])
  await put([
    ['ny', 'a', '2024-11-03T04:00Z', 4],
    ['ny', 'a', '2024-11-03T05:30Z', 1],
    ['ny', 'a', '2024-11-03T06:30Z', 1],
    ['ny', 'a', '2024-11-04T04:59:59.999Z', 2],
    ['ny', 'a', '2024-11-04T05:00Z', 100],
  ])
  const expected: Record<string, number> = {
    first: 4,
    last: 2,
    min: 1,
    max: 4,
    avg: 2,
    sum: 8,
    minoccurrence: ms('2024-11-03T05:30Z'),
    maxoccurrence: ms('2024-11-03T04:00Z'),
    gapcount: 0,
    nongapcount: 4,
    intvlcount: 4,
    milliseccount: 25 * HOUR,
    nongapmilliseccount: 25 * HOUR,
  }
  const range = `sd=${ms('2024-11-03T04:00Z')}&ed=${ms('2024-11-04T05:00Z')}&retIntvlSd`
  for (const [statistic, data] of Object.entries(expected)) {
    const [day, ...rest] = await rows(`ny/stream/a/cycle/day/stat/${statistic}/feed`, range)
    const sdTime = ms('2024-11-03T04:00Z')
    assert.deepEqual(day, { time: sdTime + 25 * HOUR, data, sdTime }, statistic)
    assert.deepEqual(rest, [], statistic)
  }
})

test('an interval stream: gaps, the start of an interval decides, a unit shows', async () => {
  const unit = await insert('unit', { id: 'kwh', symbol: ' kWh', numberFormat: '0.0' })
  await component('meter', 'UTC', [
    {
      id: 'energy',
      streamType: 'intvl_stream',
      valueType: 'DOUBLE',
      baseCycle: { id: 'hour' },
      unit: { uid: unit.uid },
    },
  ])
  await put([
    ['meter', 'energy', '2024-06-02T00:00Z', 5], // The last hour of 1 June.
    ['meter', 'energy', '2024-06-02T01:00Z', 1],
    ['meter', 'energy', '2024-06-04T00:30Z', 2], // Kept at the end of its hour, 01:00.
  ])
  const path = 'meter/stream/energy/cycle/day/stat'
  const days = await rows(`${path}/sum/feed`, 'retFData&retUnit')
  assert.deepEqual(days, [
    { time: ms('2024-06-05T00:00Z'), data: 2, fData: '2.0 kWh', unit: ' kWh' },
    { time: ms('2024-06-04T00:00Z'), data: null, fData: '', unit: ' kWh' },
    { time: ms('2024-06-03T00:00Z'), data: 1, fData: '1.0 kWh', unit: ' kWh' },
    { time: ms('2024-06-02T00:00Z'), data: 5, fData: '5.0 kWh', unit: ' kWh' },
  ])
  const data = async (statistic: string) =>
    (await rows(`${path}/${statistic}/feed`)).map((row) => row.data)
  assert.deepEqual(await data('nongapcount'), [1, 0, 1, 1])
  assert.deepEqual(await data('gapcount'), [23, 24, 23, 23])
  assert.deepEqual(await data('intvlcount'), [24, 24, 24, 24])
  assert.deepEqual(await data('nongapmilliseccount'), [HOUR, 0, HOUR, HOUR])
  const [count] = await rows(`${path}/nongapcount/feed`, 'retUnit&retFData&limit=1')
  assert.deepEqual([count.unit, count.fData], ['', '1'])
  const before = `sd=${ms('2024-06-01T00:00Z')}&ed=${ms('2024-06-04T00:00Z')}`
  const [last, ...rest] = await rows(`${path}/sum/last_value`, before)
  assert.deepEqual([last.time, last.data, rest], [ms('2024-06-03T00:00Z'), 1, []])
})

test('texts, booleans and point streams', async () => {
  await component('kinds', 'UTC', [
    { id: 'state', valueType: 'STRING' },
    { id: 'on', valueType: 'BOOLEAN' },
    { id: 'point', streamType: 'point_stream', valueType: 'DOUBLE' },
    { id: 'silent', valueType: 'DOUBLE' },
  ])
  await put([
    ['kinds', 'state', '2024-05-01T10:00Z', 'open'],
    ['kinds', 'state', '2024-05-01T11:00Z', 'shut'],
    ['kinds', 'on', '2024-05-01T10:00Z', 'true'],
    ['kinds', 'on', '2024-05-01T11:00Z', 'false'],
  ])
  await put([['kinds', 'point', '2024-05-01T10:00Z', 1]])
  await put([['kinds', 'point', '2024-05-01T09:00Z', 7]])
  const data = async (streamId: string, statistic: string) =>
    (await rows(`kinds/stream/${streamId}/cycle/day/stat/${statistic}/feed`)).map((row) => row.data)
  assert.deepEqual(await data('state', 'first'), ['open'])
  assert.deepEqual(await data('state', 'last'), ['shut'])
  assert.deepEqual(await data('state', 'nongapcount'), [2])
  assert.deepEqual(await data('state', 'avg'), [null])
  assert.deepEqual(await data('on', 'avg'), [0.5])
  assert.deepEqual(await data('on', 'sum'), [1])
  assert.deepEqual(await data('on', 'first'), [1])
  assert.deepEqual(await data('point', 'sum'), [7])
  assert.deepEqual(await data('silent', 'sum'), [])
  const all = await rows('kinds/cycle/day/stat/nongapcount/last_value', 'retStreamId')
  const counts = all.map((row) => [row.streamId, row.data])
  assert.deepEqual(counts.slice(0, 2), [
    ['state', 2],
    ['on', 2],
  ])
  assert.equal(counts.length, 3)
})

test('limit counts over the streams of a component, the first stream first', async () => {
  const streams = ['x', 'y'].map((id) => ({ id, valueType: 'DOUBLE' }))
  await component('pair', 'UTC', streams)
  for (const day of ['01', '02', '03']) {
    await put([
      ['pair', 'x', `2024-05-${day}T12:00Z`, Number(day)],
      ['pair', 'y', `2024-05-${day}T12:00Z`, 10 * Number(day)],
    ])
  }
  const asked = async (query: string) =>
    (await rows('pair/cycle/day/stat/sum/feed', query)).map((row) => row.data)
  assert.deepEqual(await asked(''), [3, 2, 1, 30, 20, 10])
  assert.deepEqual(await asked('limit=4'), [3, 2, 1, 30])
  assert.deepEqual(await asked('limit=5000'), [3, 2, 1, 30, 20, 10])
  assert.deepEqual(await asked(`ed=${ms('2024-05-03T00:00Z')}&limit=1`), [2])
  assert.deepEqual(
    await asked(`sd=${ms('2024-05-02T05:00Z')}&ed=${ms('2024-05-02T06:00Z')}`),
    [2, 20],
  )
  assert.deepEqual(await asked(`sd=${ms('2024-05-02T05:00Z')}&ed=${ms('2024-05-02T05:00Z')}`), [])
})

test('own cycles: a blank zone is the component’s, and changing that changes the statistics', async () => {
  const { uid } = await component('moving', 'UTC', [{ id: 's', valueType: 'DOUBLE' }])
  await insert('cycle', {
    id: 'shift',
    name: 'Shift',
    sizeType: 'HOUR',
    count: 8,
    referenceDate: '2024-01-01T06:00',
  })
  await insert('cycle', {
    id: 'billing',
    name: 'Billing',
    sizeType: 'CUSTOM',
    intervals: [
      { from: '2024-05-01', until: '2024-05-20' },
      { from: '2024-05-25', until: '2024-06-20' },
    ],
  })
  await put([
    ['moving', 's', '2024-05-01T03:00Z', 1],
    ['moving', 's', '2024-05-22T12:00Z', 2],
    ['moving', 's', '2024-05-25T12:00Z', 4],
  ])
  const asked = async (cycle: string) =>
    (await rows(`moving/stream/s/cycle/${cycle}/stat/sum/feed`, 'retIntvlSd')).map((row) => [
      new Date(row.sdTime as number).toISOString().slice(0, 16),
      row.data,
    ])
  assert.deepEqual(await asked('billing'), [
    ['2024-05-25T00:00', 4],
    ['2024-05-01T00:00', 1],
  ])
  assert.deepEqual((await asked('shift')).at(-1), ['2024-04-30T22:00', 1])
  assert.deepEqual((await asked('day')).at(-1), ['2024-05-01T00:00', 1])
  const change = { component: { timeZoneId: 'America/New_York' } }
  assert.equal((await admin('POST', `component/${uid}`, change)).status, 200)
  assert.deepEqual((await asked('day')).at(-1), ['2024-04-30T04:00', 1])
  assert.deepEqual(await asked('billing'), [['2024-05-25T04:00', 4]])
})

test('statistics follow overwrites, late samples and deletes, and survive a restart', async () => {
  await put([
    ['live', 's', '2024-05-01T10:00Z', 1],
    ['live', 's', '2024-05-01T11:00Z', 2],
    ['live', 's', '2024-05-02T11:00Z', 4],
  ])
  const sums = async () =>
    (await rows('live/stream/s/cycle/day/stat/sum/feed')).map((row) => row.data)
  assert.deepEqual(await sums(), [4, 3])
  await put([
    ['live', 's', '2024-05-01T10:00Z', 10],
    ['live', 's', '2024-04-01T10:00Z', 7],
  ])
  assert.deepEqual(await sums(), [4, 12, 7])
  await service.restart()
  assert.deepEqual(await sums(), [4, 12, 7])
  const range = `sd=${ms('2024-05-01T11:00Z')}&ed=${ms('2024-05-03T00:00Z')}`
  const path = `/api/comp/live/stream/s/feed?session=${session}&org=${service.orgUid}&${range}`
  assert.equal((await call('DELETE', path)).status, 200)
  assert.deepEqual(await sums(), [10, 7])
})

test('bad input is refused with what to change', async () => {
  await put([['bad', 's', '2024-05-01T10:00Z', 1]])
  const check = async (path: string, query: string, status: number, message: RegExp) => {
    const answer = await get(path, query)
    const { success, message: text } = answer.body as { success: boolean; message: string }
    assert.deepEqual([answer.status, success], [status, false], `${path}?${query}`)
    assert.match(text, message)
  }
  const day = 'bad/stream/s/cycle/day/stat'
  const known = [...BUILT_IN_CYCLES.keys()].join(', ')
  const unknownCycle = new RegExp(`Cannot find cycle "fortnight". Cycles are ${known}`)
  await check('bad/stream/s/cycle/fortnight/stat/max/feed', '', 404, unknownCycle)
  await check('bad/cycle/fortnight/stat/max/last_value', '', 404, unknownCycle)
  await check(
    `${day}/median/feed`,
    '',
    404,
    /Cannot find statistic "median". Statistics are first, last/,
  )
  await check('nowhere/cycle/day/stat/max/feed', '', 404, /Cannot find component "nowhere"/)
  await check('bad/stream/t/cycle/day/stat/max/feed', '', 404, /Cannot find stream "t"/)
  await check(`${day}/max/feed`, 'sd=1', 400, /"sd" also needs "ed"/)
  await check(`${day}/max/feed`, 'sd=2&ed=1', 400, /must not be after/)
  for (const limit of ['0', '-1', 'x', '1.5']) {
    await check(`${day}/max/feed`, `limit=${limit}`, 400, /Parameter "limit"/)
  }
  const without = await call('GET', `/api/comp/${day}/max/feed`)
  assert.equal(without.status, 401)
})

test('a cycle that cannot be one is refused, and nothing is stored', async () => {
  const check = async (change: Shown, message: RegExp) => {
    const record = { id: 'odd', name: 'Odd', sizeType: 'DAY', count: 1, ...change }
    const { status, body } = await admin('PUT', 'cycle', { cycle: record })
    assert.equal(status, 400, JSON.stringify(change))
    assert.match((body as { message: string }).message, message)
  }
  await check({ referenceDate: '2023-02-30' }, /referenceDate: "2023-02-30" is not a local/)
  await check({ count: 0 }, /count/)
  await check({ count: -2 }, /count/)
  await check({ timeZoneId: 'Mars/Olympus' }, /Mars\/Olympus/)
  const intervals = [
    { from: '2024-01-01', until: '2024-02-01' },
    { from: '2024-01-31', until: '2024-03-01' },
  ]
  await check({ sizeType: 'CUSTOM', intervals }, /overlap/)
  await put([['bad', 's', '2024-05-01T10:00Z', 1]])
  assert.equal((await get('bad/stream/s/cycle/odd/stat/max/feed')).status, 404)
})

test('a key without GET on the feed is refused', async () => {
  await put([['bad', 's', '2024-05-01T10:00Z', 1]])
  const capabilities = [{ resource: 'component/*/feed', methods: ['PUT'] }]
  const owned = `/api/api_key?session=${session}&org=${service.orgUid}`
  const made = await call('PUT', owned, { api_key: { name: 'writer', capabilities } })
  const key = (made.body as { api_key: { secretKey: string } }).api_key.secretKey
  const path = '/api/comp/bad/stream/s/cycle/day/stat/max'
  for (const end of ['feed', 'last_value']) {
    const answer = await call('GET', `${path}/${end}?api_key=${key}`)
    assert.equal(answer.status, 403, answer.text)
  }
})

test('the four statistic paths are described in /openapi.json', async () => {
  const { body } = await call('GET', '/openapi.json')
  const { paths } = body as { paths: Record<string, unknown> }
  for (const stream of ['', '/stream/{streamId}']) {
    for (const end of ['feed', 'last_value']) {
      const path = `/api/comp/{compId}${stream}/cycle/{cycleId}/stat/{statId}/${end}`
      assert.ok(paths[path] !== undefined, path)
    }
  }
})

test('a base interval that begins in 1899 is in its month, whatever range is asked', async () => {
  await component('old', 'America/New_York', [
    { id: 'm', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: { id: 'month' } },
  ])
  await put([['old', 'm', '1900-01-01T04:00Z', 5]])
  const [time, sdTime] = [ms('1900-01-01T05:00Z'), ms('1899-12-01T05:00Z')]
  const december = [{ time, data: 5, sdTime }]
  const path = 'old/stream/m/cycle/month/stat/avg'
  assert.deepEqual(await rows(`${path}/feed`, 'retIntvlSd'), december)
  assert.deepEqual(await rows(`${path}/last_value`, 'retIntvlSd'), december)
  const inside = `sd=${ms('1899-12-10')}&ed=${ms('1899-12-11')}&retIntvlSd`
  assert.deepEqual(await rows(`${path}/feed`, inside), december)
  const before = `sd=${Number.MIN_SAFE_INTEGER}&ed=${ms('1899-12-01')}`
  assert.deepEqual(await rows(`${path}/feed`, before), [])
  const year = await rows('old/stream/m/cycle/year/stat/sum/feed', 'retIntvlSd')
  assert.deepEqual(year, [{ time, data: 5, sdTime: ms('1899-01-01T05:00Z') }])
})
