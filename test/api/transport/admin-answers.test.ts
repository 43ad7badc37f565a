/** Long answers of administrative calls are bounded, and hold what the memory budget has for them. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'
import { comesTrue } from '../../support/settle.ts'

/** Of about 1,000,000 bytes of JSON each, so a page can have seven. */
const TEMPLATES = 10
const STREAMS = 100
const LONG_TEXT = 'x'.repeat(9_500)

/** As many bytes, of which JSON makes six each. */
const ESCAPED_TEXT = '\u0001'.repeat(10_000)

let service: Service
let owner: Call
let session: string

before(async () => {
  // 44 MB are for calls in flight, of which an answer can have 38.
  service = await startService({ settings: { WEIR_MEMORY_MB: '300' } })
  session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
  const stream = Array.from({ length: STREAMS }, (_, at) => ({
    id: `s${at}`,
    description: LONG_TEXT,
  }))
  for (let at = 0; at < TEMPLATES; at++) {
    const record = { id: `t${at}`, name: 'T', stream }
    const made = await owner('PUT', '/api/component_template', { component_template: record })
    assert.equal(made.status, 200, made.text.slice(0, 200))
  }
})
after(() => service.close())

async function usedBytes(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^weir_memory_budget_used_bytes (\d+)$/m.exec(text)?.[1])
}

/** A connection that has asked and does not read. */
function askUnread(path: string): Socket {
  const socket = connect(service.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${session}\r\n\r\n`)
  return socket
}

test('a page that is too long is refused, and passes with a smaller limit', async () => {
  const refused = await owner('GET', '/api/component_template')
  assert.equal(refused.status, 400)
  assert.equal(refused.body.code, 'bad_input')
  assert.match(refused.body.message, /8000000 bytes. Use a smaller "limit"/)
  const ids: string[] = []
  for (let start = 0; start < TEMPLATES; start += 5) {
    const page = await owner('GET', `/api/component_template?start=${start}&limit=5`)
    assert.equal(page.status, 200)
    assert.equal(page.body.totalCount, TEMPLATES)
    for (const { id, stream } of page.body.component_template) {
      assert.equal(stream.length, STREAMS)
      ids.push(id)
    }
  }
  assert.equal(new Set(ids).size, TEMPLATES)
})

test('records that are kept from a caller do not count against the page of others', async () => {
  const first = await owner('GET', '/api/component_template?limit=7')
  assert.equal(first.status, 200)
  const hidden: string[] = first.body.component_template.map(({ uid }: { uid: string }) => uid)
  const api_key = {
    name: 'few',
    capabilities: [
      { resource: '*', methods: ['GET'] },
      ...hidden.map((uid) => ({ resource: `component_template/${uid}`, methods: [] })),
    ],
  }
  const made = await owner('PUT', '/api/api_key', { api_key })
  assert.equal(made.status, 200, made.text)
  const few = caller(service, `api_key=${made.body.api_key.secretKey}`)
  const page = await few('GET', '/api/component_template?start=2&limit=1')
  assert.equal(page.status, 200, page.text.slice(0, 200))
  assert.equal(page.body.totalCount, TEMPLATES - hidden.length)
  assert.equal(page.body.component_template.length, 1)
})

test('a long answer that nobody reads is in the budget until it is read or its connection is gone', async () => {
  const path = '/api/component_template?limit=7'
  const expected = (await owner('GET', path)).text.length
  await comesTrue(async () => (await usedBytes()) === 0)
  const gone = askUnread(path)
  await comesTrue(async () => (await usedBytes()) >= expected)
  assert.equal(await usedBytes(), expected)
  gone.destroy()
  await comesTrue(async () => (await usedBytes()) === 0)

  const read = askUnread(path)
  await comesTrue(async () => (await usedBytes()) >= expected)
  let bytes = 0
  read.on('data', (piece) => {
    bytes += piece.length
  })
  read.resume()
  await comesTrue(async () => bytes >= expected && (await usedBytes()) === 0)
  // The connection goes on.
  read.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
  const before = bytes
  await comesTrue(() => bytes > before)
  read.destroy()
})

test('answers that nobody reads stay within the budget; without room it is a 503', async () => {
  const path = '/api/component_template?limit=7'
  const sockets = Array.from({ length: 5 }, () => askUnread(path))
  await comesTrue(async () => (await usedBytes()) >= 30_000_000)
  const refused = await owner('GET', path)
  assert.equal(refused.status, 503)
  assert.equal(refused.body.code, 'overloaded')
  assert.equal(refused.headers.get('retry-after'), '5')
  // Devices and short answers have their own part.
  assert.equal((await owner('GET', '/api/unit')).status, 200)
  assert.ok((await usedBytes()) <= 38_500_000)
  for (const socket of sockets) socket.destroy()
  await comesTrue(async () => (await usedBytes()) === 0)
  assert.equal((await owner('GET', path)).status, 200)
})

test('streams and found components are bounded the same way; a component alone passes', async () => {
  const stream = Array.from({ length: 15 }, (_, at) => ({
    id: `s${at}`,
    description: ESCAPED_TEXT,
  }))
  let uid = ''
  for (let call = 0; call < 10; call++) {
    const part = stream.map(({ id, description }) => ({ id: `${call}_${id}`, description }))
    const made =
      uid === ''
        ? await owner('PUT', '/api/component', { component: { id: 'long', stream: part } })
        : await owner('POST', `/api/component/${uid}`, { component: { stream: part } })
    assert.equal(made.status, 200, made.text.slice(0, 200))
    uid = made.body.component.uid
  }
  const refused = await owner('GET', `/api/component/${uid}/stream`)
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /smaller "limit"/)
  assert.equal((await owner('GET', `/api/component/${uid}/stream?limit=100`)).status, 200)
  const whole = await owner('GET', `/api/component/${uid}`)
  assert.equal(whole.status, 200)
  assert.equal(whole.body.component.stream.length, 150)

  for (let at = 0; at < 140; at++) {
    const component = { id: `found${at}`, name: 'needle', description: ESCAPED_TEXT }
    assert.equal((await owner('PUT', '/api/component', { component })).status, 200)
  }
  for (const query of ['search=needle', 'start=0']) {
    const page = await owner('GET', `/api/component?${query}`)
    assert.equal(page.status, 400, query)
    assert.equal((await owner('GET', `/api/component?${query}&limit=100`)).status, 200, query)
  }
})

test('a list that leaves out what is long does not count it', async () => {
  const panel = { kind: 'text', x: 0, width: 6, height: 2, text: 'x'.repeat(9_000) }
  const panels = Array.from({ length: 10 }, (_, at) => ({ ...panel, y: 2 * at }))
  for (let at = 0; at < 100; at++) {
    const dashboard = { id: `d${at}`, name: 'D', panels }
    const made = await owner('PUT', '/api/dashboard', { dashboard })
    assert.equal(made.status, 200, made.text.slice(0, 200))
  }
  const all = await owner('GET', '/api/dashboard?start=1')
  assert.equal(all.status, 200, all.text.slice(0, 200))
  assert.equal(all.body.totalCount, 100)
  assert.equal(new Set(all.body.dashboard.map(({ uid }: { uid: string }) => uid)).size, 99)
  const some = await owner('GET', '/api/dashboard?start=1&limit=60')
  assert.deepEqual(some.body.dashboard, all.body.dashboard.slice(0, 60))
})
