import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { Capabilities, keyPrincipal, type Method } from '../../../src/access/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { FeedClient, pathOf } from '../../support/feed-client.ts'
import { startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const NOW = 1_700_000_000_000

const service = serviceOfFile({ clock: new ManualClock(NOW) })
const client = new FeedClient(service)

/** The secret of a fresh key with one capability. */
async function keyFor(resource: string, ...methods: Method[]): Promise<string> {
  const { secret } = await service.app.identity.keys.insert(service.orgUid, {
    name: resource,
    description: '',
    ipAddresses: [],
    capabilities: [{ resource, methods }],
  })
  return secret
}

function administrator() {
  const methods: Method[] = ['GET', 'PUT', 'POST', 'DELETE']
  const capabilities = new Capabilities([{ resource: '*', methods }])
  return keyPrincipal({ orgUid: service.orgUid, keyUid: 'k', capabilities })
}

test('PUT of the JSON form spans components and streams, and creates what is missing', async () => {
  const { status, text, headers } = await client.putJson([
    { compId: 'j1', streamId: 'a', data: 1.5, time: 1_000 },
    { compId: 'j2', streamId: 'x', data: 'on', time: 1_000 },
    { compId: 'j1', streamId: 'a', data: '2.5', time: 1.001e3 },
    { compId: 'j1', streamId: 'b', data: true },
  ])
  assert.deepEqual([status, text], [200, ''])
  assert.deepEqual([headers.get('content-type'), headers.get('content-length')], [null, '0'])
  assert.deepEqual(await client.get('j1', 'a'), [[1_001, 2.5], [1_000, 1.5]]) // biome-ignore format: short
  assert.deepEqual(await client.get('j1', 'b'), [[NOW, 'true']])
  assert.deepEqual(await client.get('j2'), [[1_000, 'on']])
  const component = service.app.catalog.index.resolveComponent(service.orgUid, 'j1')
  const record = await service.app.catalog.components.get(administrator(), component?.uid ?? '')
  assert.equal(record.name, 'j1')
  assert.equal(record.timeZoneId, 'UTC')
  assert.deepEqual(
    record.stream?.map(({ id, streamType, valueType }) => [id, streamType, valueType]),
    [
      ['a', 'rdm_stream', 'DOUBLE'],
      ['b', 'rdm_stream', 'STRING'],
    ],
  )
})

test('PUT of the batch form with a UID and no streams makes none', async () => {
  const { components, index } = service.app.catalog
  await components.insert(administrator(), { id: 'bare' })
  const componentUid = index.resolveComponent(service.orgUid, 'bare')?.uid
  const { status } = await client.putJson({ feed: { component: [{ componentUid, stream: [] }] } })
  assert.equal(status, 200)
  assert.deepEqual(index.resolveComponent(service.orgUid, 'bare')?.streams, [])
})

test('PUT of the batch form makes a stream of an empty list without a type', async () => {
  const stream = [
    { streamId: 'later', data: [] },
    { streamId: 'n', data: [1] },
  ]
  for (const list of [stream.slice(0, 1), stream]) {
    const componentId = `empty ${list.length}`
    const { status } = await client.putJson({
      feed: { component: [{ componentId, stream: list }] },
    })
    assert.equal(status, 200)
    const text = await client.putJson([{ compId: componentId, streamId: 'later', data: 'on' }])
    assert.equal(text.status, 200, text.text)
    assert.deepEqual(await client.get(componentId, 'later'), [[NOW, 'on']])
  }
})

test('PUT of the batch form addresses by ID and UID, with times shared or per stream', async () => {
  await client.put('compId=b1&a=1&time=1')
  const { index } = service.app.catalog
  const componentUid = index.resolveComponent(service.orgUid, 'b1')?.uid
  const streamUid = index.streamUid(index.resolve(service.orgUid, 'b1', 'a'))
  const { status, text } = await client.putJson({
    feed: {
      component: [
        {
          componentUid,
          time: [2, 3],
          stream: [
            { streamUid, data: [2, 3] },
            { streamId: 'n', time: [9], data: ['x'] },
          ],
        },
        {
          componentId: 'b2',
          defaults: { name: 'Second' },
          stream: [{ streamId: 'a', data: [7] }],
        },
      ],
    },
  })
  assert.deepEqual([status, text], [200, ''])
  assert.deepEqual(await client.get('b1', 'a'), [[3, 3], [2, 2], [1, 1]]) // biome-ignore format: short
  assert.deepEqual(await client.get('b1', 'n'), [[9, 'x']])
  assert.deepEqual(await client.get('b2', 'a'), [[NOW, 7]])
  const uid = index.resolveComponent(service.orgUid, 'b2')?.uid ?? ''
  const second = await service.app.catalog.components.get(administrator(), uid)
  assert.equal(second.name, 'Second')
})

test('PUT of the URL form carries whole lists, and JSON reaches streams with reserved names', async () => {
  const values = Array.from({ length: 40_000 }, (_, index) => index % 100)
  const { status } = await client.put(`compId=list&a=${values.join(',')}&freq=10`)
  assert.equal(status, 200)
  assert.deepEqual(await client.get('list', 'a', 'limit=2'), [[NOW, 99], [NOW - 10, 98]]) // biome-ignore format: short
  const first = NOW - 39_999 * 10
  assert.deepEqual(await client.get('list', 'a', `sd=0&ed=${first + 1}`), [[first, 0]])
  const names = ['time', 'data', 'api_key', 'rsid', 'compId']
  await client.putJson(
    names.map((streamId) => ({ compId: 'reserved', streamId, data: 1, time: 1 })),
    'compName=Reserved+names',
  )
  assert.equal((await client.put('compId=reserved&data=2&time=2')).status, 200)
  assert.deepEqual(await client.get('reserved', 'time'), [[2, 2], [1, 1]]) // biome-ignore format: short
  assert.deepEqual(await client.get('reserved', 'api_key'), [[1, 1]])
  const uid = service.app.catalog.index.resolveComponent(service.orgUid, 'reserved')?.uid ?? ''
  const { name } = await service.app.catalog.components.get(administrator(), uid)
  assert.equal(name, 'Reserved names')
})

test('PUT of several components refuses one name for those it would create', async () => {
  const samples = (ids: readonly string[], time: number) =>
    ids.map((compId) => ({ compId, streamId: 'a', data: 1, time }))
  const { status, text } = await client.putJson(samples(['one', 'two'], 1), 'compName=Both')
  assert.equal(status, 400)
  assert.match(text, /compName.*\\"one\\" and \\"two\\"/)
  const { index } = service.app.catalog
  assert.equal(index.resolveComponent(service.orgUid, 'one'), undefined)
  assert.equal((await client.putJson(samples(['one'], 1), 'compName=First')).status, 200)
  // Of two components one is there: the name is that of the other.
  assert.equal((await client.putJson(samples(['one', 'two'], 2), 'compName=Second')).status, 200)
  const uid = index.resolveComponent(service.orgUid, 'two')?.uid ?? ''
  assert.equal((await service.app.catalog.components.get(administrator(), uid)).name, 'Second')
  // What is there already is not named, and the name not looked at.
  assert.equal((await client.putJson(samples(['one', 'two'], 3), 'compName=Third')).status, 200)
})

test('PUT takes bodies in every encoding', async () => {
  const encoders = {
    gzip: gzipSync,
    deflate: deflateSync,
    Deflate: deflateRawSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  }
  let time = 0
  for (const [encoding, encode] of Object.entries(encoders)) {
    time += 1
    const body = encode(JSON.stringify([{ compId: 'e', streamId: 'a', data: time, time }]))
    const headers = { 'content-encoding': encoding }
    const { status } = await client.call('PUT', '/feed', { headers, body: Buffer.from(body) })
    assert.equal(status, 200, encoding)
    assert.deepEqual((await client.get('e', 'a'))[0], [time, time], encoding)
  }
})

test('PUT of a long body is taken in slices, and all of it is there', async () => {
  const count = 50_000
  const samples = Array.from({ length: count }, (_, time) => ({
    compId: 'long',
    streamId: `s${time % 3}`,
    data: time / 4,
    time,
  }))
  assert.equal((await client.putJson(samples)).status, 200)
  const expected = [[49_998, 12_499.5], [49_995, 12_498.75]] // biome-ignore format: short
  assert.deepEqual(await client.get('long', 's0', 'limit=2'), expected)
  const summary = await service.app.samples.fold(
    service.app.catalog.index.resolve(service.orgUid, 'long', 's1') as never,
    Float64Array.of(0, count),
  )
  assert.equal(summary.count[0], 16_667)
})

test('GET /feed counts as the PUT with asPut only', async () => {
  const plain = await client.call('GET', '/feed?compId=ap&a=1&time=1')
  assert.equal(plain.status, 405)
  assert.equal(plain.headers.get('allow'), 'PUT')
  assert.equal((await client.call('GET', '/feed?compId=ap&a=1&time=1&asPut=false')).status, 405)
  assert.deepEqual(await client.get('ap'), [])
  const put = await client.call('GET', '/feed?compId=ap&a=1&time=1&asPut&rsid=a')
  assert.deepEqual([put.status, put.text], [200, '{"a":1}'])
  assert.deepEqual(await client.get('ap'), [[1, 1]])
  const readKey = await keyFor('component/*/feed', 'GET')
  const forbidden = await client.call('GET', `/feed?compId=ap&a=2&asPut&api_key=${readKey}`)
  assert.equal(forbidden.status, 403)
  assert.equal((await client.call('POST', '/feed?compId=ap&a=2')).status, 405)
})

test('GET with asPut is refused to pages of other sites when only a cookie lets it in', async () => {
  const { url, feedKey } = service
  const cookie = `api_key=${feedKey}`
  const call = async (headers: Record<string, string>, query = '') => {
    const answer = await fetch(`${url}/api/feed?compId=site&a=1&asPut${query}`, { headers })
    await answer.text()
    return answer.status
  }
  assert.equal(await call({ cookie, 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await call({ cookie, origin: 'https://evil.example' }), 403)
  assert.equal(await call({ cookie, origin: 'null' }), 403)
  assert.deepEqual(await client.get('site'), [])
  assert.equal(await call({ cookie }), 200)
  assert.equal(await call({ cookie, 'sec-fetch-site': 'same-origin' }), 200)
  assert.equal(await call({ cookie, origin: url }), 200)
  const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  assert.equal(await call(evil, `&api_key=${feedKey}`), 200)
  assert.equal((await client.get('site')).length, 4)
})

test('a key without the method, or for one component, is held to it', async () => {
  await client.put('compId=r1&a=1&time=1')
  await client.put('compId=r2&a=1&time=1')
  const { index } = service.app.catalog
  const uid = index.resolveComponent(service.orgUid, 'r1')?.uid ?? ''
  const readKey = await keyFor('component/*/feed', 'GET')
  const putKey = await keyFor('component/*/feed', 'PUT')
  const oneKey = await keyFor(`component/${uid}/feed`, 'GET', 'PUT')
  const status = async (method: string, path: string, key: string, body?: string) =>
    (await client.call(method, `${path}${path.includes('?') ? '&' : '?'}api_key=${key}`, { body }))
      .status
  assert.equal(await status('PUT', '/feed?compId=r1&a=2', readKey), 403)
  assert.equal(await status('GET', '/comp/r1/feed', putKey), 403)
  assert.equal(await status('PUT', '/feed?compId=r1&a=2&rsid=a', putKey), 403)
  assert.equal(await status('GET', '/comp/r2/last_value', oneKey), 403)
  const both = JSON.stringify([
    { compId: 'r1', streamId: 'a', data: 2, time: 2 },
    { compId: 'r2', streamId: 'a', data: 2, time: 2 },
  ])
  assert.equal(await status('PUT', '/feed', oneKey, both), 403)
  assert.equal(await status('PUT', '/feed?compId=r3&a=2', oneKey), 403)
  assert.equal(await status('DELETE', `${pathOf('r1', 'a')}/feed?sd=0&ed=9`, oneKey), 403)
  assert.deepEqual(await client.get('r1'), [[1, 1]])
  assert.deepEqual(await client.get('r2'), [[1, 1]])
  assert.deepEqual(await client.get('r3'), [])
  assert.equal(await status('PUT', '/feed?compId=r1&a=2&time=2', oneKey), 200)
  assert.equal(await status('GET', '/comp/r1/feed', oneKey), 200)
})

test('a key that may put nowhere is refused before its body is read', async () => {
  const readKey = await keyFor('component/*/feed', 'GET')
  const socket = connect(service.port, '127.0.0.1')
  // The rest of the body never comes: an answer proves that nobody waited for it.
  const head = `PUT /api/feed?api_key=${readKey} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n[`
  socket.write(head)
  let answer = ''
  for await (const piece of socket.setEncoding('utf8')) {
    answer += piece
    if (answer.includes('"success":false')) break
  }
  assert.match(answer, /^HTTP\/1\.1 403 /)
  assert.match(answer, /does not allow PUT on component\/\*\/feed/)
})

test('a call creates as many streams as WEIR_CREATE_MAX says, and none when it names more', async (t) => {
  const small = await startService({ settings: { WEIR_CREATE_MAX: '3' } })
  t.after(() => small.close())
  const device = new FeedClient(small)
  const lists = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ streamId: `s${at}`, data: [1] }))
  const samples = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ compId: `n${at}`, streamId: 's', data: 1 }))
  const batch = (count: number) => ({
    feed: { component: [{ componentId: 'b', stream: lists(count) }] },
  })
  for (const [body, isTaken] of [
    [samples(4), false],
    [batch(4), false],
    [samples(3), true],
    [batch(3), true],
    [[...samples(3), { compId: 'n9', streamId: 's', data: 1 }], true],
  ] as const) {
    const { status, text } = await device.putJson(body)
    assert.equal(status, isTaken ? 200 : 400, text)
    if (!isTaken) assert.match(text, /more than 3 streams in one request. Split the request/)
  }
  assert.equal(small.app.catalog.index.streamCount, 7)
})

test('DELETE removes exactly its range', async () => {
  await client.put('compId=d&a=1,2,3,4&b=1,2,3,4&time=1,2,3,4')
  const key = await keyFor('component/*/feed', 'DELETE')
  const path = `${pathOf('d', 'a')}/feed`
  const { status, text } = await client.call('DELETE', `${path}?sd=2&ed=4&api_key=${key}`)
  assert.deepEqual([status, text], [200, '{"success":true,"message":""}'])
  assert.deepEqual(await client.get('d', 'a'), [[4, 4], [1, 1]]) // biome-ignore format: short
  assert.equal((await client.get('d', 'b')).length, 4)
  assert.equal((await client.call('DELETE', `${path}?sd=2&api_key=${key}`)).status, 400)
  assert.equal((await client.call('DELETE', `${path}?sd=0&ed=9`)).status, 403)
  assert.equal((await client.get('d', 'a')).length, 2)
})

test('puts count against the rate limit and say how they stand, reads do not', async (t) => {
  const limited = await startService({ settings: { WEIR_RATE_LIMITS: 'feed=2/1h' } })
  t.after(() => limited.close())
  const other = new FeedClient(limited)
  const first = await other.put('compId=l&a=1&time=1')
  assert.equal(first.headers.get('ratelimit-limit'), '2')
  assert.equal((await other.call('GET', '/feed?compId=l&a=2&time=2&asPut')).status, 200)
  const third = await other.put('compId=l&a=3&time=3')
  assert.equal(third.status, 429)
  assert.ok(Number(third.headers.get('retry-after')) > 0)
  assert.equal((await other.get('l')).length, 2)
  const read = await other.call('GET', '/comp/l/last_value')
  assert.equal(read.status, 200)
  assert.equal(read.headers.get('ratelimit-limit'), null)
})

test('samples, types and definitions are there after a restart', async () => {
  await client.put('compId=again&a=1&b=x&time=1')
  await service.restart()
  assert.deepEqual(await client.get('again'), [[1, 1], [1, 'x']]) // biome-ignore format: short
  assert.equal((await client.put('compId=again&a=x')).status, 400)
})

test("the front and Node's parser answer alike", async () => {
  await client.put('compId=same&a=1,2&time=1,2')
  const send = async (more: Record<string, string>, [method, path, body]: string[]) => {
    const joint = path.includes('?') ? '&' : '?'
    const address = `${service.url}/api${path}${joint}api_key=${service.feedKey}`
    const headers = { 'content-type': 'some/thing', ...more }
    const answer = await fetch(address, { method, body: body === '' ? undefined : body, headers })
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  const sample = '[{"compId":"same","streamId":"a","data":3,"time":3}]'
  const asked = [
    '/comp/same/feed?retStreamId',
    '/comp/same/stream/a/feed?limit=1',
    '/comp/same/last_value',
    '/comp/same/stream/a/last_value',
    '/comp/same/stream/nope/last_value',
    '/comp/%20/feed',
    '/comp/same/feed?limit=0',
    '/feed',
    '/feed?asPut&compId=same&a=3&time=3&rsid=a',
  ].map((path) => ['GET', path, ''])
  asked.push(['PUT', '/feed?compId=same&a=x', ''], ['PUT', '/feed?compId=same&a=3&time=3', ''])
  asked.push(['PUT', '/feed', sample], ['PUT', '/feed', '[{}]'], ['PUT', '/feed', '{'])
  for (const call of asked) {
    // What the front does not understand in full goes through Node's parser.
    assert.deepEqual(await send({ TE: 'trailers' }, call), await send({}, call), call.join(' '))
  }
})

test('HEAD of a read has the headers of its GET, and an unusual spelling of a path is the same path', async () => {
  await client.put('compId=head&a=1&time=1')
  const ask = async (method: string, path: string) => {
    const address = `${service.url}/api/${path}?api_key=${service.feedKey}`
    const answer = await fetch(address, { method })
    const own = ['connection', 'date', 'keep-alive', 'x-request-id']
    const headers = [...answer.headers].filter(([name]) => !own.includes(name))
    return { status: answer.status, headers, text: await answer.text() }
  }
  for (const end of ['feed', 'last_value', 'cycle/day/stat/avg/feed', 'cycle/no/stat/avg/feed']) {
    for (const path of [`comp/head/${end}`, `comp/head/stream/a/${end}`]) {
      const got = await ask('GET', path)
      assert.deepEqual(await ask('HEAD', path), { ...got, text: '' }, path)
      assert.deepEqual(await ask('GET', path.replace('comp', 'c%6fmp')), got, path)
    }
  }
  const put = await ask('PUT', 'f%65ed')
  assert.deepEqual(put, await ask('PUT', 'feed'))
  assert.match(put.text, /compId/)
})

test('the API description covers every feed call', async () => {
  const answer = await fetch(`${service.url}/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, object> }
  const calls = Object.entries(paths)
    .filter(([path]) => /\/(feed|last_value)$/.test(path) && !path.includes('/stat/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  assert.deepEqual(calls.sort(), [
    'delete /api/comp/{compId}/stream/{streamId}/feed',
    'delete /api/component/{componentUid}/stream/{uid}/feed',
    'get /api/comp/{compId}/feed',
    'get /api/comp/{compId}/last_value',
    'get /api/comp/{compId}/stream/{streamId}/feed',
    'get /api/comp/{compId}/stream/{streamId}/last_value',
    'get /api/component/{componentUid}/stream/{uid}/feed',
    'get /api/feed',
    'put /api/feed',
  ])
})
