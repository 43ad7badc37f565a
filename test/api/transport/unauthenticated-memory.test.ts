/** Requests sent ahead and long answers hold what the budget has for unauthenticated clients, and no more. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { comesTrue } from '../../support/settle.ts'

let service: Service
before(async () => {
  // 44 MB are for calls in flight, of which unauthenticated clients can have 2.8.
  service = await startService({ settings: { WEIR_MEMORY_MB: '300' } })
})
after(() => service.close())

async function usedBytes(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^weir_memory_budget_used_bytes (\d+)$/m.exec(text)?.[1])
}

/** A connection, and all that came over it until it ended or was taken down. */
function open(): { socket: Socket; closed: Promise<string> } {
  const socket = connect(service.port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  return { socket, closed }
}

const LONG = `GET /api/component HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(200_000)}`

test('a head that has not ended is in the budget, whatever came before it', async () => {
  const body = 'x\r\n\r\n'.repeat(1_000)
  const post = `POST /api/login HTTP/1.1\r\nContent-Type: a/b\r\nContent-Length: 0\r\n\r\n`
  const file = `PUT /api/feed?api_key=${service.feedKey} HTTP/1.1\r\nX: \r\nContent-Length: ${body.length}\r\n\r\n${body}`
  for (const before of ['', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', post, file]) {
    const { socket } = open()
    socket.write(before + LONG)
    await comesTrue(async () => (await usedBytes()) >= 190_000)
    socket.write('\r\n\r\n')
    await comesTrue(async () => (await usedBytes()) === 0)
    socket.write(LONG)
    await comesTrue(async () => (await usedBytes()) >= 190_000)
    socket.destroy()
    await comesTrue(async () => (await usedBytes()) === 0)
  }
})

test('endless request headers are refused when unauthenticated clients use all of their memory', async () => {
  const all = Array.from({ length: 40 }, open)
  for (const { socket } of all) socket.write(LONG)
  await Promise.race(all.map(({ closed }) => closed))
  assert.ok((await usedBytes()) <= 3_000_000)
  const put = `${service.url}/api/feed?compId=c&x=1&api_key=${service.feedKey}`
  assert.equal((await fetch(put, { method: 'PUT' })).status, 200)
  for (const { socket } of all) socket.destroy()
  await comesTrue(async () => (await usedBytes()) === 0)
})

test('thousands of requests sent ahead are answered in order and hold their bytes at most', async () => {
  const { socket, closed } = open()
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5_000))
  socket.end('GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n')
  const statuses = (await closed).match(/HTTP\/1\.1 \d+/g) ?? []
  assert.equal(statuses.length, 5_001)
  assert.equal(statuses.at(-1), 'HTTP/1.1 404')
  await comesTrue(async () => (await usedBytes()) === 0)
})

test('pipelined requests and unread responses of unauthenticated clients stay within their part of the memory', async () => {
  const all = Array.from({ length: 60 }, open)
  const ahead = `GET /alt/${'x'.repeat(100)} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(400)
  for (const { socket } of all) {
    socket.pause()
    socket.write(ahead)
  }
  const put = `${service.url}/api/feed?compId=c&x=1&api_key=${service.feedKey}`
  for (let round = 0; round < 5; round++) {
    assert.ok((await usedBytes()) <= 3_000_000)
    assert.equal((await fetch(put, { method: 'PUT' })).status, 200)
  }
  for (const { socket } of all) socket.destroy()
  await comesTrue(async () => (await usedBytes()) === 0)
})

test('unread long responses of unauthenticated clients count in the budget', async () => {
  const answer = await fetch(`${service.url}/openapi.json`)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.ok(((await answer.json()) as { paths: object }).paths)
  await comesTrue(async () => (await usedBytes()) === 0)
})
