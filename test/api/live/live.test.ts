import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { type LiveClient, type LiveEvent, openLiveClient } from '../../support/live-client.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
let feed: FeedClient
let owner: Call
let cookie = ''
const open: LiveClient[] = []
before(async () => {
  service = await startService({ settings: { WEIR_LIVE: 'perSecond=50' } })
  feed = new FeedClient(service)
  cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, cookie)
})
after(async () => {
  for (const client of open) client.close()
  await service.close()
})

async function connect(query: string, headers?: Record<string, string>): Promise<LiveClient> {
  const client = await openLiveClient(service, query, headers)
  open.push(client)
  return client
}

async function put(compId: string, samples: Record<string, [number, unknown][]>): Promise<void> {
  const rows = Object.entries(samples).flatMap(([streamId, list]) =>
    list.map(([time, data]) => ({ compId, streamId, time, data })),
  )
  const { status, text } = await feed.putJson(rows)
  assert.equal(status, 200, text)
}

test('GET /api/live sends last values first, then samples as they come', async () => {
  await put('a', { s1: [[1_000, 1.5]], s2: [[1_000, 'on']] })
  const client = await connect('comp=a')
  assert.equal(client.status, 200)
  assert.match(client.response.headers['content-type'] ?? '', /^text\/event-stream/)
  assert.equal(client.response.headers['x-accel-buffering'], 'no')
  assert.equal(client.response.headers['cache-control'], 'no-store')
  assert.equal(client.response.headers['transfer-encoding'], undefined)
  const first = await client.next('sample')
  const { compUid, streamUid, ...reported } = first.data
  assert.match(`${compUid} ${streamUid}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/)
  assert.deepEqual(reported, { compId: 'a', streamId: 's1', time: 1_000, data: 1.5 })
  assert.deepEqual(await client.sample(), [1_000, 'on'])
  await put('a', { s1: [[2_000, 2]] })
  assert.deepEqual(await client.sample(), [2_000, 2])
  await put('a', {
    s1: [
      [3_000, 3],
      [4_000, -0.5],
    ],
  })
  assert.deepEqual(await client.sample(), [3_000, 3])
  assert.deepEqual(await client.sample(), [4_000, -0.5])
})

test('GET /api/live follows streams of several components, by ID and by UID', async () => {
  await put('b', { x: [[1, 1]], y: [[1, 1]] })
  await put('c', { x: [[1, 1]], y: [[1, 1]] })
  const { body } = await owner('GET', '/api/component?limit=1000')
  const b = body.component.find(({ id }: { id: string }) => id === 'b')
  const streams = (await owner('GET', `/api/component/${b.uid}/stream`)).body.stream
  const y = streams.find(({ id }: { id: string }) => id === 'y').uid
  const client = await connect(`compUid=${b.uid}&streamUid=${y}&comp=c&stream=x`)
  for (const name of ['b/y', 'c/x']) {
    const { data } = await client.next('sample')
    assert.equal(`${data.compId}/${data.streamId}`, name)
  }
  await put('b', { x: [[2, 2]], y: [[2, 2]] })
  await put('c', { x: [[2, 2]], y: [[2, 2]] })
  const seen = [await client.next('sample'), await client.next('sample')]
  assert.deepEqual(seen.map(({ data }) => `${data.compId}/${data.streamId}`).sort(), ['b/y', 'c/x'])
})

test('GET /api/live shows values as the feed does, formatted when asked', async () => {
  const unit = await owner('PUT', '/api/unit', {
    unit: { id: 'deg', name: 'deg', symbol: ' °C', symbolLocation: 'AFTER', numberFormat: '0.0' },
  })
  const stream = [
    { id: 't', valueType: 'DOUBLE', unit: { uid: unit.body.unit.uid } },
    { id: 'ok', valueType: 'BOOLEAN' },
    { id: 'd', valueType: 'BIG_DECIMAL' },
  ]
  await owner('PUT', '/api/component', { component: { id: 'shown', stream } })
  await put('shown', { t: [[1, 20.25]], ok: [[1, true]], d: [[1, '12345678901234567890.5']] })
  const plain = await connect('comp=shown')
  const seen = [await plain.sample(), await plain.sample(), await plain.sample()]
  assert.deepEqual(seen, [
    [1, 20.25],
    [1, true],
    [1, '12345678901234567890.5'],
  ])
  const formatted = await connect('comp=shown&stream=t&retFData')
  assert.equal((await formatted.next('sample')).data.fData, '20.3 °C')
  await owner('PUT', '/api/component', {
    component: { id: 'files', stream: [{ id: 'f', valueType: 'FILE' }] },
  })
  await feed.call('PUT', '/comp/files/stream/f/feed/file/a.txt?time=5', { body: 'x' })
  const files = await connect('comp=files')
  assert.deepEqual(await files.sample(), [5, '/api/comp/files/stream/f/feed/file/5/a.txt'])
})

test('GET /api/live sends samples that are replaced, late or deleted', async () => {
  await put('d', { s: [[10, 1]] })
  const client = await connect('comp=d&stream=s')
  assert.deepEqual(await client.sample(), [10, 1])
  await put('d', { s: [[10, 7]] })
  const replaced = await client.next('change')
  assert.deepEqual([replaced.data.sd, replaced.data.ed], [10, 11])
  assert.deepEqual(await client.sample(), [10, 7])
  await put('d', { s: [[4, 4]] })
  const late = await client.next('change')
  assert.deepEqual([late.data.sd, late.data.ed], [4, 5])
  assert.deepEqual(await client.sample(), [10, 7])
  const { status } = await owner('DELETE', '/api/comp/d/stream/s/feed?sd=10&ed=20')
  assert.equal(status, 200)
  const deleted = await client.next('change')
  assert.deepEqual([deleted.data.sd, deleted.data.ed], [10, 20])
  assert.deepEqual(await client.sample(), [4, 4])
  await put('d', { s: [[30, 30]] })
  assert.deepEqual(await client.sample(), [30, 30])
})

test('GET /api/live sends the sd and ed of changes of an interval stream for GET feed', async () => {
  const stream = [{ id: 'i', streamType: 'intvl_stream', valueType: 'DOUBLE', baseCycle: 'hour' }]
  await owner('PUT', '/api/component', { component: { id: 'intvl', stream } })
  const end = (at: number) => 1_700_002_800_000 + at * 3_600_000
  const hours = (from: number, count: number) =>
    Array.from({ length: count }, (_, at): [number, number] => [end(from + at), at])
  const checkShown = async ({ data: { sd, ed } }: LiveEvent, time: number): Promise<void> => {
    const shown = await feed.get('intvl', 'i', `sd=${sd}&ed=${ed}`)
    assert.ok(shown.map(([shownTime]) => shownTime).includes(time), `${sd} to ${ed}`)
    assert.ok(sd <= time && time < ed, `${sd} to ${ed}, by the time of the sample`)
  }
  await put('intvl', { i: hours(0, 10) })
  const client = await connect('comp=intvl')
  assert.deepEqual(await client.sample(), [end(9), 9])
  await put('intvl', { i: [[end(4) - 5, 44]] })
  await checkShown(await client.next('change'), end(4))
  await owner('DELETE', `/api/comp/intvl/stream/i/feed?sd=${end(2)}&ed=${end(2) + 1}`)
  await checkShown(await client.next('change'), end(3))
  await put('intvl', { i: hours(10, 150) })
  await checkShown(await client.next('gap'), end(10))
  assert.deepEqual(await client.sample(), [end(60), 50])
})

test('GET /api/live sends every sample of a point stream, and of no change', async () => {
  const stream = [{ id: 'p', streamType: 'point_stream', valueType: 'DOUBLE' }]
  await owner('PUT', '/api/component', { component: { id: 'pt', stream } })
  await feed.put('compId=pt&p=1')
  const client = await connect('comp=pt')
  assert.equal((await client.sample())[1], 1)
  await feed.put('compId=pt&p=2')
  const event = await client.until(() => true)
  assert.deepEqual([event.event, event.data.data], ['sample', 2])
})

test('GET /api/live of a burst sends a gap and the newest samples, with "last" the last alone', async () => {
  await put('burst', { s: [[1, 0]] })
  const all = await connect('comp=burst&stream=s')
  const last = await connect('comp=burst&stream=s&last')
  await Promise.all([all.ready(), last.ready()])
  const rows = Array.from({ length: 5_000 }, (_, at): [number, number] => [at + 2, at])
  await put('burst', { s: rows })
  const gap = await all.next('gap')
  assert.deepEqual([gap.data.sd, gap.data.ed], [2, 5_001 - 99])
  for (let time = 5_001 - 99; time <= 5_001; time += 1) {
    assert.deepEqual(await all.sample(), [time, time - 2])
  }
  const one = await last.until(({ event, data }) => event !== 'sample' || data.time > 1)
  assert.deepEqual([one.event, one.data.time], ['sample', 5_001])
})

test('GET /api/live cuts long texts and says so', async () => {
  await put('long', { s: [[1, 'ä'.repeat(100_000)]] })
  const client = await connect('comp=long')
  const { data } = await client.next('sample')
  assert.equal(data.data, 'ä'.repeat(4_096))
  assert.equal(data.isCut, true)
})

test('GET /api/live finds what is made after it was opened', async () => {
  const client = await connect('comp=later&comp=soon&stream=x')
  const missing = [await client.next('missing'), await client.next('missing')]
  assert.deepEqual(
    missing.map(({ data }) => data),
    [{ compId: 'later' }, { compId: 'soon' }],
  )
  await put('later', { s: [[5, 50]] })
  assert.deepEqual(await client.sample(), [5, 50])
  await put('later', { another: [[6, 60]] })
  assert.deepEqual(await client.sample(), [6, 60])
  await put('soon', { y: [[7, 70]] })
  assert.deepEqual((await client.next('missing')).data, { compId: 'soon', streamId: 'x' })
  await put('soon', { x: [[8, 80]] })
  assert.deepEqual(await client.sample(), [8, 80])
})

test('GET /api/live sends all samples of streams created after it was opened', async () => {
  const client = await connect('comp=whole&comp=part&stream=x&comp=late&stream=y&last=0')
  for (const _ of ['whole', 'part', 'late']) await client.next('missing')
  const last = await connect('comp=whole&last')
  await last.next('missing')
  const three: [number, unknown][] = [[1, 10], [2, 20], [3, 30]] // biome-ignore format: short
  await put('whole', { s: three })
  for (const sample of three) assert.deepEqual(await client.sample(), sample)
  assert.deepEqual(await last.sample(), [3, 30])
  await put('whole', { t: three })
  for (const sample of three) assert.deepEqual(await client.sample(), sample)
  await put('part', { x: three, unheard: three })
  for (const sample of three) assert.deepEqual(await client.sample(), sample)
  await put('late', { y: Array.from({ length: 120 }, (_, at) => [at + 1, at]) })
  const { data } = await client.next('gap')
  assert.deepEqual([data.compId, data.streamId, data.ed], ['late', 'y', 21])
  assert.deepEqual(await client.sample(), [21, 20])
})

test('GET /api/live sends only the last value of an older stream that gets the followed name', async () => {
  await put('former', { s: [[1, 10], [2, 20]] }) // biome-ignore format: short
  const client = await connect('comp=renamed')
  await client.next('missing')
  const { body } = await owner('GET', '/api/component?id=former')
  const [{ uid }] = body.component
  const renamed = { component: { id: 'renamed' } }
  assert.equal((await owner('POST', `/api/component/${uid}`, renamed)).status, 200)
  assert.deepEqual(await client.sample(), [2, 20])
})

test('GET /api/live says that what it follows was deleted, and goes on', async () => {
  await put('gone', { s: [[1, 1]] })
  await put('stays', { s: [[1, 1]] })
  const { body } = await owner('GET', '/api/component?limit=1000')
  const { uid } = body.component.find(({ id }: { id: string }) => id === 'gone')
  const client = await connect('comp=gone&stream=s&comp=stays')
  await client.ready()
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  assert.deepEqual((await client.next('missing')).data, { compId: 'gone' })
  await put('stays', { s: [[2, 2]] })
  assert.deepEqual(await client.sample(), [2, 2])
})

test('GET /api/live with "catalog" sends changed components and folders', async () => {
  const client = await connect('catalog', { Cookie: cookie })
  await client.ready()
  const made = await owner('PUT', '/api/component', { component: { id: 'tree' } })
  const { uid } = made.body.component
  const isAbout = ({ event, data }: { event: string; data: { components: string[] } }) =>
    event === 'catalog' && data.components.includes(uid)
  await client.until(isAbout)
  await put('tree', { s: [[1, 1]] })
  await client.until(isAbout)
  await owner('PUT', '/api/component_folder', { component_folder: { path: '/Components/F' } })
  await client.until(({ event, data }) => event === 'catalog' && data.hasFolders)
  const runningUser = (await owner('GET', '/api/alert/new')).body.alert.runningUser
  const labels = { site: 'north' }
  const alert = { name: 'A', condition: 'value > 1', labels, runningUser }
  assert.equal((await owner('PUT', '/api/alert', { alert })).status, 200)
  const news = await client.until(({ event, data }) => event === 'catalog' && data.hasAlerts)
  assert.equal(news.data.hasFolders, false)
  await owner('DELETE', `/api/component/${uid}`)
  const { data } = await client.until(isAbout)
  assert.equal(data.isMore, false)
})

test('GET /api/live refuses what it cannot follow', async () => {
  for (const [query, problem] of [
    ['', /Set "comp"/],
    ['stream=x', /needs its "comp"/],
    ['comp=', /compId|comp/],
    [`comp=${'x'.repeat(600)}`, /512/],
    [Array.from({ length: 2_001 }, (_, at) => `comp=${at}`).join('&'), /2000/],
  ] as const) {
    const client = await connect(query)
    const text = await client.ended()
    assert.equal(client.status, 400, text)
    assert.match(JSON.parse(text).message, problem)
  }
  const none = await connect('comp=a', {})
  assert.equal(none.status, 401)
})

test('GET /api/live follows at most 1,000 streams', async () => {
  const names = (from: number, count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at): [string, [number, number][]] => [
        `s${from + at}`,
        [[1, 1]],
      ]),
    )
  await put('wide', names(0, 1_000))
  const client = await connect('comp=wide')
  assert.equal(client.status, 200)
  for (let at = 0; at < 1_000; at += 1) await client.next('sample')
  await put('wide', names(1_000, 1))
  const { data } = await client.next('end')
  assert.equal(data.code, 'bad_input')
  await client.ended()
  assert.equal((await connect('comp=wide')).status, 400)
})

test('GET /api/live counts what is named and not there among its 1,000 streams', async () => {
  await put('there', { s: [[1, 1]] })
  const none = (count: number) =>
    Array.from({ length: count }, (_, at) => `&stream=n${at}`).join('')
  const comps = (count: number) => Array.from({ length: count }, (_, at) => `comp=n${at}`).join('&')
  for (const [query, status] of [
    [`comp=there${none(1_000)}`, 200],
    [`comp=there${none(1_001)}`, 400],
    [`comp=nowhere${none(1_001)}`, 400],
    [`comp=nowhere${none(600)}&comp=there${none(401)}`, 400],
    [comps(1_000), 200],
    [comps(1_001), 400],
    [`${comps(1_000)}&comp=there`, 400],
  ] as const) {
    const client = await connect(query)
    assert.equal(client.status, status, query.slice(0, 40))
    if (status === 400) assert.match(JSON.parse(await client.ended()).message, /1000 streams/)
  }
})
