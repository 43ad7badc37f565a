/** Calls that are read from the socket without Node's HTTP server behave as if it had read them. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const NOW = 1_700_000_000_000

const service = serviceOfFile({ clock: new ManualClock(NOW) })
let key = ''
before(async () => {
  key = `api_key=${service.feedKey}`
})

/** A request; `extra` headers decide who reads it. */
function request(line: string, extra: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return `${[`${line} HTTP/1.1`, 'Host: x', ...extra, ...length].join('\r\n')}\r\n\r\n${body}`
}

/** Makes Node's server read a request, and nothing else. */
const GENERAL = 'TE: trailers'

/** Sends pieces one after the other, each when the one before has left; all answers until the end. */
async function converse(pieces: ReadonlyArray<string | Buffer>): Promise<string> {
  const parts: Buffer[] = []
  const socket = connect(service.port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('data', (part) => parts.push(Buffer.from(part)))
  const isClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
  await isClosed
  return Buffer.concat(parts).toString('utf8')
}

/** Answers without what differs from call to call. */
function comparable(text: string): string {
  return text
    .replaceAll(/X-Request-Id: [^\r]*\r\n/g, '')
    .replaceAll(/Date: [^\r]*\r\n/g, '')
    .replaceAll(/Connection: [^\r]*\r\n/g, '')
    .replaceAll(/Keep-Alive: [^\r]*\r\n/g, '')
}

const sample = (data: unknown, time: number) =>
  JSON.stringify([{ compId: 'front', streamId: 's', time, data }])

/** Calls of every kind that are read at the front, good and bad. */
function calls(): ReadonlyArray<readonly [line: string, extra: readonly string[], body: string]> {
  return [
    [`PUT /api/feed?${key}`, ['Content-Type: application/json'], sample(1.5, 1)],
    [`PUT /api/feed?compId=front&s=2&time=2&rsid=s&${key}`, [], ''],
    [`PUT /api/feed?compId=front&texts=%C3%A9%E2%82%AC&time=2&rsid=texts&${key}`, [], ''],
    [`GET /api/feed?compId=front&s=3&time=3&asPut&${key}`, [], ''],
    [`GET /api/feed?compId=front&s=3&time=3&${key}`, [], ''],
    ['PUT /api/feed', [`Cookie: api_key=${service.feedKey}`], sample(4, 4)],
    ['PUT /api/feed', [], sample(4, 4)],
    ['PUT /api/feed?api_key=wrong', [], sample(4, 4)],
    ['PUT /api/feed', ['Authorization: Bearer nothing'], sample(4, 4)],
    [`PUT /api/feed?${key}`, ['Origin: https://o.example', 'X-Request-Id: mine'], sample(5, 5)],
    [`PUT /api/feed?${key}`, [], '[{"compId":"front","streamId":"s","time":1,"data":'],
    [`PUT /api/feed?${key}`, [], sample('text', 1)],
    [`PUT /api/feed?time=1&timeEl=2&compId=c&${key}`, [], ''],
    [`GET /api/comp/front/feed?${key}`, [], ''],
    [`GET /api/comp/front/stream/s/feed?limit=1&${key}`, [], ''],
    [`GET /api/comp/front/stream/s/feed?limit=0&${key}`, [], ''],
    [`GET /api/comp/front/last_value?${key}`, ['Accept: application/json'], ''],
    [`GET /api/comp/front/stream/s/cycle/hour/stat/max/feed?${key}`, [], ''],
    [`GET /api/comp/nobody/last_value?${key}`, [], ''],
    [`GET /api/comp/%ff/last_value?${key}`, [], ''],
    [`GET /api/comp//feed?${key}`, [], ''],
  ]
}

test('a call is answered alike, byte for byte, whichever reader reads it', async () => {
  for (const [line, extra, body] of calls()) {
    const front = await converse([request(line, extra, body)])
    const general = await converse([request(line, [...extra, GENERAL], body)])
    assert.equal(comparable(front), comparable(general), line)
    assert.match(front, /^HTTP\/1\.1 \d{3} [A-Za-z ]+\r\n/)
  }
})

test('a kept connection is announced, with the same headers in the same order', async () => {
  const line = `GET /api/comp/front/last_value?${key}`
  const namesOf = (text: string) => [...text.matchAll(/^([\w-]+): /gm)].map((match) => match[1])
  const closing = request(line, ['Connection: close'])
  const front = await sendRaw(service.port, request(line) + closing)
  const general = await sendRaw(service.port, request(line, [GENERAL]) + closing)
  assert.deepEqual(namesOf(front.text), namesOf(general.text))
  assert.equal(front.headers.connection, 'keep-alive')
  assert.equal(front.headers['keep-alive'], general.headers['keep-alive'])
  assert.ok(Math.abs(Date.parse(front.headers.date) - Date.now()) < 60_000)
})

test('requests of all kinds on one connection, cut anywhere, get their answers in order', async () => {
  for (const seed of testSeeds(6)) {
    const random = new Random(seed)
    const sent: string[] = []
    const values: number[] = []
    for (let at = 0; at < 12; at++) {
      const time = 10_000 + at
      const value = random.integer(0, 1_000_000)
      values.push(value)
      const big = random.next() < 0.2 ? ' '.repeat(random.integer(0, 150_000)) : ''
      const isGeneral = random.next() < 0.3
      sent.push(
        request(`PUT /api/feed?${key}`, isGeneral ? [GENERAL] : [], sample(value, time) + big),
        request(`GET /api/comp/front/stream/s/feed?sd=${time}&ed=${time + 1}&${key}`),
      )
    }
    const bytes = Buffer.from(sent.join(''))
    const pieces: Buffer[] = []
    for (let from = 0; from < bytes.length; ) {
      const length = random.next() < 0.5 ? random.integer(1, 300) : random.integer(1, 100_000)
      pieces.push(bytes.subarray(from, from + length))
      from += length
    }
    const text = await converse(pieces)
    const found = [...text.matchAll(/\[\{"time":\d+,"data":(\d+)\}\]/g)].map(([, data]) => +data)
    assert.deepEqual(found, values, `seed ${seed}`)
    assert.equal(text.split('HTTP/1.1 200 OK\r\n').length - 1, sent.length, `seed ${seed}`)
  }
})

test('a connection can turn to any other call, and uploads follow puts', async () => {
  const put = (time: number) => request(`PUT /api/feed?${key}`, [], sample(time, time))
  const text = await converse([
    put(20_001),
    put(20_002),
    request('GET /healthz'),
    put(20_003),
    `${request(`PUT /api/feed?${key}`, ['Transfer-Encoding: chunked'])}0\r\n\r\n`,
    put(20_004),
  ])
  assert.equal(text.split('HTTP/1.1 200 OK\r\n').length - 1, 5)
  assert.equal(text.split('HTTP/1.1 400 Bad Request\r\n').length - 1, 1)
  const stored = await fetch(`${service.url}/api/comp/front/stream/s/feed?sd=20001&ed=20005&${key}`)
  assert.equal(((await stored.json()) as unknown[]).length, 4)
})

test('a body that never ends stores nothing and is answered when the client stops sending', async () => {
  const whole = request(`PUT /api/feed?${key}`, [], sample(1, 30_000))
  const answer = await sendRaw(service.port, whole.slice(0, -5), { isEnding: true })
  assert.equal(answer.status, 400)
  assert.equal(JSON.parse(answer.body).code, 'bad_input')
  const stored = await fetch(`${service.url}/api/comp/front/stream/s/feed?sd=30000&ed=30001&${key}`)
  assert.deepEqual(await stored.json(), [])
})

test('a client that has closed its side still reads its answer', async () => {
  const answer = await sendRaw(service.port, request(`PUT /api/feed?${key}`, [], sample(1, 1)), {
    isEnding: true,
  })
  assert.equal(answer.status, 200)
})

test('puts that arrive at once keep their own bodies, also while their key is still looked up', async (t) => {
  const own = await startService()
  t.after(() => own.close())
  await own.restart()
  const line = `PUT /api/feed?api_key=${own.feedKey}`
  const count = 40
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      sendRaw(own.port, request(line, [], sample(1_000 + at, at)), { isEnding: true }),
    ),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const path = `/api/comp/front/stream/s/feed?sd=0&ed=${count}&api_key=${own.feedKey}`
  const stored = (await (await fetch(`${own.url}${path}`)).json()) as { data: number }[]
  const expected = Array.from({ length: count }, (_, at) => 999 + count - at)
  assert.deepEqual(
    stored.map(({ data }) => data),
    expected,
  )
})

async function open(): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1')
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return socket
}

test('bodies of clients that go away free what they held', async () => {
  const head = request(`PUT /api/feed?${key}`, [], 'x'.repeat(200_000)).slice(0, 90_000)
  // Three times as many as the memory for bodies in pieces can hold at once.
  for (let round = 0; round < 12; round++) {
    const sockets = await Promise.all(Array.from({ length: 64 }, open))
    for (const socket of sockets) {
      await new Promise<void>((resolve) => socket.write(head, () => resolve()))
    }
    for (const socket of sockets) socket.destroy()
  }
  const big = sample(7, 31_000) + ' '.repeat(150_000)
  const text = await converse([request(`PUT /api/feed?${key}`, [], big)])
  assert.match(text, /^HTTP\/1\.1 200 OK/)
})

test('more bodies in pieces than the front has memory for are taken all the same', async () => {
  const big = sample(8, 32_000) + ' '.repeat(200_000)
  const whole = request(`PUT /api/feed?${key}`, [], big)
  const sockets = await Promise.all(Array.from({ length: 300 }, open))
  const statuses = await Promise.all(
    sockets.map(async (socket) => {
      await new Promise<void>((resolve) => socket.write(whole.slice(0, 70_000), () => resolve()))
      return socket
    }),
  ).then((begun) =>
    Promise.all(
      begun.map((socket) => {
        const status = new Promise<string>((resolve) =>
          socket.once('data', (part) => resolve(part.toString('latin1', 9, 12))),
        )
        socket.write(whole.slice(70_000))
        return status
      }),
    ),
  )
  for (const socket of sockets) socket.destroy()
  assert.deepEqual(new Set(statuses), new Set(['200']))
})

test('a kept connection checks the key for each call', async (t) => {
  const own = await startService()
  t.after(() => own.close())
  const owner = caller(own, await signIn(own, own.ownerEmail, own.ownerPassword))
  const capabilities = [{ resource: 'component', methods: ['GET', 'PUT'] }]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const { uid, secretKey: secret } = made.body.api_key
  const socket = connect(own.port, '127.0.0.1')
  t.after(() => socket.destroy())
  const put = (secret: string): Promise<string> => {
    const answered = Promise.withResolvers<string>()
    socket.once('data', (part) => answered.resolve(part.toString('latin1', 9, 12)))
    socket.write(request(`PUT /api/feed?api_key=${secret}`, [], sample(1, 1)))
    return answered.promise
  }
  assert.deepEqual([await put(secret), await put(secret)], ['200', '200'])
  // Of the same length: only its bytes distinguish these headers from the previous ones.
  assert.equal(await put(secret.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))), '401')
  assert.equal(await put(secret), '200')
  const wrong = `${secret}&derMaxS=some`
  assert.deepEqual([await put(wrong), await put(wrong), await put(secret)], ['400', '400', '200'])
  assert.equal((await owner('DELETE', `/api/api_key/${uid}`)).status, 200)
  assert.equal(await put(secret), '401')
})

test('close() ends idle connections and refuses calls that come while it waits', async () => {
  const own = await startService()
  const socket = connect(own.port, '127.0.0.1')
  const line = `PUT /api/feed?api_key=${own.feedKey}`
  const answered = new Promise<string>((resolve) =>
    socket.once('data', (part) => resolve(part.toString('latin1'))),
  )
  socket.write(request(line, [], sample(1, 1)))
  assert.match(await answered, /^HTTP\/1\.1 200 OK/)
  const isClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  await own.close()
  await isClosed
})

test('close() lets a put finish whose body is still arriving, whichever reader reads it', async (t) => {
  for (const extra of [[], [GENERAL]]) {
    const own = await startService()
    t.after(() => own.close())
    const whole = request(`PUT /api/feed?api_key=${own.feedKey}`, extra, sample(1, 1).padEnd(2_000))
    const [finishing, leaving] = [0, 1].map(() => connect(own.port, '127.0.0.1'))
    const answered = new Promise<string>((resolve) =>
      finishing.once('data', (part) => resolve(part.toString('latin1'))),
    )
    for (const socket of [finishing, leaving]) socket.write(whole.slice(0, 1_000))
    const { traffic } = own.app.server
    while (traffic.inFlight < 2) await new Promise(setImmediate)
    const restarted = own.restart()
    leaving.destroy()
    while (traffic.inFlight > 1) await new Promise(setImmediate)
    finishing.write(whole.slice(1_000))
    assert.match(await answered, /^HTTP\/1\.1 200 OK/)
    await restarted
    const read = request(`GET /api/comp/front/feed?api_key=${own.feedKey}`)
    const { body } = await sendRaw(own.port, read, { isEnding: true })
    assert.equal(body, '[{"time":1,"data":1}]')
  }
})

test('the largest body that is set counts for every call, whichever reader reads it', async (t) => {
  const own = await startService({ settings: { WEIR_BODY_BYTES_MAX: '1000' } })
  t.after(() => own.close())
  const line = `PUT /api/feed?api_key=${own.feedKey}`
  for (const extra of [[], [GENERAL]]) {
    for (const [bytes, status] of [
      [1_000, 200],
      [1_001, 413],
    ]) {
      const whole = request(line, extra, sample(1, 1).padEnd(bytes, ' '))
      assert.equal((await sendRaw(own.port, whole, { isEnding: true })).status, status, `${bytes}`)
    }
  }
})
