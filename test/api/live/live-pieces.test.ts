import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { FeedClient } from '../../support/feed-client.ts'
import { openLiveClient } from '../../support/live-client.ts'
import { type Service, startService } from '../../support/service.ts'
import { comesTrue } from '../../support/settle.ts'

/** What may lie in memory for one reader: a piece, and the event by which it is full. */
const UNSENT_BYTES_MAX = 32 * 1024
const TEXT = '漢'.repeat(4_096)

async function start(t: TestContext): Promise<Service> {
  const service = await startService({ settings: { WEIR_LIVE: 'perSecond=50' } })
  t.after(() => service.close())
  return service
}

async function put(service: Service, streams: number, time: number, data: unknown): Promise<void> {
  for (let at = 0; at < streams; at += 100) {
    const rows = Array.from({ length: Math.min(100, streams - at) }, (_, place) => ({
      compId: 'c',
      streamId: `s${at + place}`,
      time,
      data,
    }))
    const { status, text } = await new FeedClient(service).putJson(rows)
    assert.equal(status, 200, text)
  }
}

async function metric(service: Service, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^weir_live_${name} ([\\d.e+]+)$`, 'm').exec(text)?.[1])
}

/** A live connection of which nothing is read. */
async function connectDeaf(t: TestContext, service: Service): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(`GET /api/live?comp=c HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.feedKey}\r\n\r\n`)
  await once(socket, 'connect')
  return socket
}

async function iteration(service: Service): Promise<void> {
  const before = await metric(service, 'turns_total')
  await comesTrue(async () => (await metric(service, 'turns_total')) >= before + 2)
}

/** Puts until the system takes no more for those who do not read; answers the time that was put last. */
async function putUntilFull(service: Service, streams: number): Promise<number> {
  let [time, last] = [1, -1]
  for (let now = 0; now !== last || (await metric(service, 'unsent_bytes')) === 0; ) {
    last = now
    time += 1
    await put(service, streams, time, TEXT)
    await iteration(service)
    now = await metric(service, 'sent_characters_total')
  }
  return time
}

test('GET /api/live holds one piece for each reader that does not read, whatever is put', async (t) => {
  const service = await start(t)
  await put(service, 100, 1, TEXT)
  const sockets = await Promise.all(Array.from({ length: 2 }, () => connectDeaf(t, service)))
  await comesTrue(async () => (await metric(service, 'connections')) >= sockets.length)
  let time = await putUntilFull(service, 100)
  for (let round = 0; round < 3; round += 1) {
    time += 1
    await put(service, 100, time, TEXT)
    await iteration(service)
    const unsent = await metric(service, 'unsent_bytes')
    assert.ok(unsent > 0 && unsent <= sockets.length * UNSENT_BYTES_MAX, `${unsent} bytes`)
  }
  for (const socket of sockets) socket.destroy()
  await comesTrue(async () => (await metric(service, 'connections')) === 0)
  assert.equal(await metric(service, 'unsent_bytes'), 0)
})

test('GET /api/live sends a slow reader everything it is owed, every value complete', async (t) => {
  const service = await start(t)
  const streams = 150
  await put(service, streams, 1, TEXT)
  const socket = await connectDeaf(t, service)
  // Samples stored while a connection opens may be sent twice.
  await comesTrue(async () => (await metric(service, 'sent_total')) !== 0)
  const time = await putUntilFull(service, streams)
  const newest = new Map<string, number>()
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      if (!event.startsWith('event: sample\n')) continue
      const { streamId, data, ...sample } = JSON.parse(event.slice(event.indexOf('{')))
      assert.ok(data === TEXT, streamId)
      assert.ok(sample.time > (newest.get(streamId) ?? 0), 'samples of a stream come in order')
      newest.set(streamId, sample.time)
    }
  })
  const isWhole = () =>
    newest.size === streams && [...newest.values()].every((reported) => reported === time)
  while (!isWhole()) await once(socket, 'data')
})

test('GET /api/live sends many samples of a stream in several pieces, each once', async (t) => {
  const service = await start(t)
  await put(service, 1, 1, TEXT)
  const client = await (await openLiveClient(service, 'comp=c')).ready()
  t.after(() => client.close())
  const rows = Array.from({ length: 12 }, (_, at) => ({
    compId: 'c',
    streamId: 's0',
    time: at + 2,
    data: TEXT,
  }))
  assert.equal((await new FeedClient(service).putJson(rows)).status, 200)
  const times: number[] = []
  while (times.at(-1) !== 13) times.push((await client.sample())[0])
  assert.deepEqual(
    times.filter((time) => time > 1),
    rows.map(({ time }) => time),
  )
})

test('GET /api/live lets others have their turn between many that are opened at once', async (t) => {
  const service = await start(t)
  const streams = 1_000
  await put(service, streams, 1, 7)
  const opening = Array.from({ length: 25 }, () => openLiveClient(service, 'comp=c'))
  let isOver = false
  // Connections opened in the same iteration of the event loop would all be open at the next check.
  const seen = new Set<number>()
  const looking = (async () => {
    while (!isOver) seen.add(await metric(service, 'sent_total'))
  })()
  const clients = await Promise.all(opening)
  t.after(() => {
    for (const client of clients) client.close()
  })
  for (const client of clients) {
    await client.ready()
    assert.equal(client.events.filter(({ event }) => event === 'sample').length, streams)
  }
  isOver = true
  await looking
  assert.ok(seen.size > 6, `looked at ${[...seen]}`)
})
