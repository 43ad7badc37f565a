import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { FeedClient } from '../../support/feed-client.ts'
import { type LiveClient, openLiveClient } from '../../support/live-client.ts'
import { type Service, startService } from '../../support/service.ts'
import { comesTrue } from '../../support/settle.ts'

interface Home {
  readonly service: Service
  put(streamId: string, time: number, data: unknown): Promise<void>
  connect(query: string, headers?: Record<string, string>): Promise<LiveClient>
}

async function start(t: TestContext, live: string): Promise<Home> {
  const service = await startService({ settings: { WEIR_LIVE: live } })
  const feed = new FeedClient(service)
  const open: LiveClient[] = []
  t.after(async () => {
    for (const client of open) client.close()
    await service.close()
  })
  return {
    service,
    put: async (streamId, time, data) => {
      const { status, text } = await feed.putJson([{ compId: 'c', streamId, time, data }])
      assert.equal(status, 200, text)
    },
    connect: async (query, headers = {}) => {
      const more = { 'X-Api-Key': service.feedKey, ...headers }
      const client = await openLiveClient(service, query, more)
      open.push(client)
      return client
    },
  }
}

async function metric(service: Service, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^${name} ([\\d.e+]+)$`, 'm').exec(text)?.[1])
}

test('GET /api/live continues where a client left off, and sends what it missed', async (t) => {
  const { put, connect } = await start(t, 'perSecond=50')
  await put('a', 1, 1)
  await put('b', 1, 1)
  const first = await (await connect('comp=c')).ready()
  await put('a', 2, 2)
  await first.until(({ data }) => data.time === 2)
  const left = first.lastEventId
  first.close()
  await put('a', 3, 3)
  await put('a', 4, 4)
  await put('a', 2, 20)
  for (const header of [true, false]) {
    const again = header
      ? await connect('comp=c', { 'Last-Event-ID': left })
      : await connect(`comp=c&lastEventId=${left}`)
    const [times, changes] = [new Set<number>(), new Set<number>()]
    while (!(times.has(3) && times.has(4) && changes.size > 0)) {
      const { event, data } = await again.until(() => true)
      assert.equal(data.streamId, 'a')
      assert.notEqual(event, 'gap')
      if (event === 'sample') times.add(data.time)
      else if (data.sd <= 2 && data.ed > 2) changes.add(data.sd)
    }
  }
})

test('GET /api/live sends a gap and last values to an unknown client', async (t) => {
  const { service, put, connect } = await start(t, 'perSecond=50')
  await put('a', 1, 1)
  const first = await (await connect('comp=c')).ready()
  const left = first.lastEventId
  await service.restart()
  for (const since of [left, 'x', '0-0', '-', `${left.split('-')[0]}-99999999999999999999`]) {
    const again = await (await connect('comp=c', { 'Last-Event-ID': since })).ready()
    assert.deepEqual(
      again.events.map(({ event, data }) => [event, data.streamId, data.time]),
      [
        ['gap', 'a', undefined],
        ['sample', 'a', 1],
      ],
      since,
    )
  }
})

test('GET /api/live holds no more for a reader that does not read, and goes on with what is newest', async (t) => {
  const { service, put } = await start(t, 'perSecond=50')
  const text = 'x'.repeat(4_000)
  await put('s', 1, text)
  const socket = connect(service.port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write(`GET /api/live?comp=c HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.feedKey}\r\n\r\n`)
  await once(socket, 'readable')
  const sent = () => metric(service, 'weir_live_sent_characters_total')
  // Until the system takes no more of it: puts are sent in rounds, and one brings nothing.
  let time = 1
  const putSome = async () => {
    const rows = Array.from({ length: 100 }, () => {
      time += 1
      return { compId: 'c', streamId: 's', time, data: text }
    })
    const { status } = await new FeedClient(service).putJson(rows)
    assert.equal(status, 200)
  }
  const iterations = () => metric(service, 'weir_live_turns_total')
  const iteration = async () => {
    const before = await iterations()
    await comesTrue(async () => (await iterations()) >= before + 2)
  }
  // The system may find room once more after a pause; it does not for ever.
  let last = -1
  for (let silent = 0; silent < 4; silent += 1) {
    await putSome()
    await iteration()
    const now = await sent()
    assert.ok(now < 100_000_000, 'the reader has been sent all of it')
    if (now !== last) silent = 0
    last = now
  }
  let read = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    read = (read + chunk).slice(-20_000)
  })
  while (!read.includes(`"time":${time},`)) await once(socket, 'data')
})

test('GET /api/live limits connections per user, per address and per organization', async (t) => {
  for (const [live, whose] of [
    ['user=2', /a user or key can have 2/],
    ['address=2', /an address can have 2/],
    ['organization=2', /an organization can have 2/],
    ['total=2', /this service can have 2/],
  ] as const) {
    const { service, put, connect } = await start(t, live)
    await put('a', 1, 1)
    const first = await (await connect('comp=c')).ready()
    await (await connect('comp=c')).ready()
    const third = await connect('comp=c')
    assert.equal(third.status, 429)
    assert.ok(Number(third.response.headers['retry-after']) > 0)
    const { code, message } = JSON.parse(await third.ended())
    assert.equal(code, 'too_many_listeners')
    assert.match(message, whose)
    assert.equal(await metric(service, 'weir_live_connections'), 2)
    assert.equal(await metric(service, 'weir_live_refused_total'), 1)
    first.close()
    await comesTrue(async () => (await metric(service, 'weir_live_connections')) <= 1)
    assert.equal((await connect('comp=c')).status, 200)
  }
})

test('GET /api/live ends at once when the service stops', async (t) => {
  const { service, put, connect: open } = await start(t, 'default')
  await put('a', 1, 1)
  const reading = await (await open('comp=c')).ready()
  const closing = service.app.close()
  const { data } = await reading.next('end')
  assert.equal(data.code, 'shutting_down')
  await reading.ended()
  await closing
  await service.restart()
})

test('GET /api/live forgets who has left, whatever way', async (t) => {
  const { service, put, connect: open } = await start(t, 'perSecond=50')
  await put('a', 1, 1)
  const reading = await (await open('comp=c')).ready()
  const half = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
  half.on('error', () => {})
  half.write(`GET /api/live?comp=c HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.feedKey}\r\n\r\n`)
  await once(half, 'readable')
  assert.equal(await metric(service, 'weir_live_connections'), 2)
  half.end()
  await comesTrue(async () => (await metric(service, 'weir_live_connections')) <= 1)
  reading.close()
  await comesTrue(async () => (await metric(service, 'weir_live_connections')) === 0)
})
