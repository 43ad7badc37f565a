import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Random, testSeeds } from '../../../../test/support/random.ts'
import { ManualClock, MemoryBudget } from '../../../base/index.ts'
import { answerClientError } from '../client-error.ts'
import { PaceWatch } from '../pace-watch.ts'
import { openFront } from './front.ts'
import { SilenceWatch } from './silence-watch.ts'

const MB = 1024 * 1024

type Handle = (req: IncomingMessage, res: ServerResponse) => void

interface Started {
  readonly budget: MemoryBudget
  readonly port: number
}

const closers: Array<() => void> = []
after(() => {
  for (const close of closers) close()
})

/** A server with a front that serves GET /api/comp… itself, with its target as the answer. */
async function start(handle: Handle, budgetBytes = 64 * MB): Promise<Started> {
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 262_144 }, handle)
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('checkExpectation', handle)
  server.on('clientError', answerClientError)
  const [arrivals, departures] = [0, 0].map((now) => new PaceWatch(new ManualClock(now)))
  const silences = new SilenceWatch(120_000)
  const budget = new MemoryBudget(budgetBytes)
  const front = openFront(server, 'connection', {
    keepAliveMs: 75_000,
    silences,
    arrivals,
    departures,
    budget,
    findServe: (_method, url) => (url.startsWith('/api/comp') ? () => {} : undefined),
    expect: () => true,
    abandon: () => {},
    admit: () => () => {},
    serve: ({ url = '' }, _body, reply) => {
      const show = () => reply.send(200, ['Content-Length', String(url.length)], url)
      setImmediate(show)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    front.closeAllConnections()
    server.closeAllConnections()
    server.close()
    for (const watch of [arrivals, departures, silences]) watch.close()
  })
  return { budget, port: (server.address() as AddressInfo).port }
}

interface Client {
  readonly socket: Socket
  /** All that came until the connection ended. */
  readonly closed: Promise<string>
}

function open({ port }: Started): Client {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  return { socket, closed }
}

const iteration = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Resolves when nothing is held any more: what has left is given back a moment after its reader has it. */
async function isGivenBack({ budget }: Started): Promise<void> {
  while (budget.figures.usedBytes > 0) await iteration()
}

/** Once another connection was answered twice, the server has read what was sent before. */
async function roundTrips(started: Started): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const { socket, closed } = open(started)
    socket.end('GET /api/comp/other HTTP/1.1\r\n\r\n')
    await closed
  }
}

/** The bodies of answers in their order; statuses other than 200 stand before them. */
function bodiesOf(text: string): string[] {
  const bodies: string[] = []
  for (let at = 0; at < text.length; ) {
    const headEnd = text.indexOf('\r\n\r\n', at) + 4
    const head = text.slice(at, headEnd)
    const status = head.slice(9, 12)
    at = headEnd + Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0)
    const body = text.slice(headEnd, at)
    if (status !== '100') bodies.push(status === '200' ? body : `${status} ${body}`.trim())
  }
  return bodies
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `/x${at}`)
const gets = (urls: readonly string[]) =>
  urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')

function answer(res: ServerResponse, body: string): void {
  res.writeHead(200, { 'Content-Length': body.length }).end(body)
}

test('of requests sent ahead one is made at a time, and the bytes of the others are in the budget', async () => {
  const waiting: Array<{ req: IncomingMessage; res: ServerResponse }> = []
  const started = await start((req, res) => waiting.push({ req, res }))
  const clients = Array.from({ length: 20 }, () => open(started))
  const urls = numbers(400)
  const bytes = gets(urls)
  for (const { socket } of clients) socket.end(bytes)
  while (waiting.length < clients.length) await iteration()
  await roundTrips(started)
  assert.equal(waiting.length, clients.length)
  const { usedBytes } = started.budget.figures
  const most = clients.length * bytes.length
  assert.ok(usedBytes > most / 2 && usedBytes <= most, `${usedBytes} of ${most}`)
  let served = 0
  while (served < clients.length * urls.length) {
    for (const { req, res } of waiting.splice(0)) {
      served += 1
      answer(res, req.url ?? '')
    }
    await iteration()
  }
  for (const { closed } of clients) assert.deepEqual(bodiesOf(await closed), urls)
  await isGivenBack(started)
})

test('the next request has its turn when the answer before it has left', async () => {
  let served = 0
  const big = 'x'.repeat(MB)
  const started = await start((_req, res) => {
    served += 1
    answer(res, big)
  })
  const { socket, closed } = open(started)
  socket.pause()
  socket.end(gets(numbers(100)))
  for (let round = 0; round < 50; round++) await roundTrips(started)
  assert.ok(served < 60, `${served} answers of a megabyte were made`)
  socket.resume()
  assert.equal((await closed).length > 100 * MB, true)
})

interface Sent {
  readonly bytes: string
  readonly answer: string
}

const SNIPPETS = ['\r\n\r\n', '\r\n0\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', '\r\n0', 'abc', '\r', '0']

function randomBody(random: Random): string {
  const length = random.pick([0, 1, 5, 300])
  return Array.from({ length }, () => random.pick(SNIPPETS)).join('')
}

function chunked(body: string, random: Random): string {
  let text = ''
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + random.integer(1, 500))
    at += chunk.length
    const extension = random.pick(['', ';a=b'])
    text += `${random.pick(['', '0'])}${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`
  }
  const trailer = random.pick(['', 'A: b\r\n', 'A: b\r\nC: 0\r\n'])
  return `${text}${random.pick(['0', '00'])}\r\n${trailer}\r\n`
}

function randomRequest(random: Random, at: number): Sent {
  const head = (method: string, headers: readonly string[]) =>
    `${method} /x${at} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`
  const body = randomBody(random)
  const expect = random.next() < 0.2 ? [random.pick(['Expect: 100-continue', 'Expect: x'])] : []
  switch (random.integer(0, 5)) {
    case 0:
      return { bytes: head('GET', expect), answer: `GET /x${at} ` }
    case 1:
      return { bytes: `GET /api/comp/${at} HTTP/1.1\r\n\r\n`, answer: `/api/comp/${at}` }
    case 2: {
      const bytes = `${head('POST', [...expect, 'Transfer-Encoding: chunked'])}${chunked(body, random)}`
      return { bytes, answer: `POST /x${at} ${body}` }
    }
    case 3:
      return {
        bytes: `\r\n${head('GET', ['Upgrade: x', 'Connection: upgrade'])}`,
        answer: `GET /x${at} `,
      }
    default: {
      const bytes = `${head('PUT', [...expect, `Content-Length: ${body.length}`])}${body}`
      return { bytes, answer: `PUT /x${at} ${body}` }
    }
  }
}

/** Sends bytes cut at random. */
async function sendInPieces(socket: Socket, bytes: string, random: Random): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const length = random.integer(1, random.pick([4, 100, 100_000]))
    socket.write(bytes.slice(from, from + length), 'latin1')
    from += length
    if (random.next() < 0.5) await iteration()
  }
  socket.end()
}

test('whatever is sent ahead, however it is cut, is answered in order and one by one', async (t) => {
  const busy = new Set<Socket>()
  const started = await start(async (req, res) => {
    const { socket } = req
    assert.equal(busy.has(socket), false, 'two requests of a connection at once')
    busy.add(socket)
    res.once('finish', () => busy.delete(socket))
    const body = req.method === 'GET' ? '' : Buffer.concat(await req.toArray()).toString('latin1')
    const text = `${req.method} ${req.url} ${body}`
    answer(res, req.url?.startsWith('/api') ? req.url : text)
  })
  for (const seed of testSeeds(4)) {
    t.diagnostic(`seed ${seed}`)
    const random = new Random(seed)
    const connections = Array.from({ length: 12 }, async () => {
      const own = new Random(random.integer(0, 2 ** 31))
      const count = own.pick([1, 5, 60])
      const sent = Array.from({ length: count }, (_, at) => randomRequest(own, at))
      const { socket, closed } = open(started)
      await sendInPieces(socket, sent.map(({ bytes }) => bytes).join(''), own)
      assert.deepEqual(
        bodiesOf(await closed),
        sent.map((one) => one.answer),
        `seed ${seed}`,
      )
    })
    await Promise.all(connections)
    await isGivenBack(started)
  }
})

const slow: Handle = (req, res) => setImmediate(() => answer(res, req.url ?? ''))

test('a malformed request is answered after earlier responses, and ends the connection', async () => {
  const started = await start(slow)
  const { socket, closed } = open(started)
  socket.write(`${gets(['/a', '/b'])}no request\r\n\r\n${gets(['/c'])}`)
  const [a, b, ...others] = bodiesOf(await closed)
  assert.deepEqual([a, b], ['/a', '/b'])
  assert.equal(others.length, 1)
  assert.match(others[0], /^400 /)
})

test('nothing behind a request that asks for the end of the connection is served', async () => {
  const served: string[] = []
  const started = await start((req, res) => {
    served.push(req.url ?? '')
    slow(req, res)
  })
  const { socket, closed } = open(started)
  socket.write(`${gets(['/a'])}GET /b HTTP/1.1\r\nConnection: close\r\n\r\n${gets(['/c', '/d'])}`)
  assert.deepEqual(bodiesOf(await closed), ['/a', '/b'])
  assert.deepEqual(served, ['/a', '/b'])
})

test('without room what was begun is answered, and the connection ends', async () => {
  const held: Array<() => void> = []
  const started = await start((req, res) => held.push(() => answer(res, req.url ?? '')))
  const { budget } = started
  const takenBytes = budget.unauthenticatedBytesMax - 1_000
  budget.addUnauthenticated(takenBytes)
  const { socket, closed } = open(started)
  socket.write(gets(numbers(4_000)))
  while (budget.figures.refused === 0) await iteration()
  assert.equal(budget.figures.usedBytes, takenBytes)
  assert.equal(held.length, 1)
  held[0]()
  const text = await closed
  assert.deepEqual(bodiesOf(text), ['/x0'])
  assert.match(text, /^connection: close\r$/im)
  assert.equal(held.length, 1)
})

test('what is sent ahead to the front is in the budget, and ends the connection without room', async () => {
  const started = await start(slow)
  const { budget } = started
  const urls = Array.from({ length: 1_000 }, (_, at) => `/api/comp/${at}`)
  const first = open(started)
  first.socket.write(gets(urls))
  while (budget.figures.usedBytes === 0) await iteration()
  first.socket.end()
  assert.deepEqual(bodiesOf(await first.closed), urls)
  await isGivenBack(started)
  budget.addUnauthenticated(budget.unauthenticatedBytesMax)
  const second = open(started)
  second.socket.write(gets(urls))
  const text = await second.closed
  assert.deepEqual(bodiesOf(text), urls.slice(0, 1))
  assert.match(text, /^connection: close\r$/im)
  assert.equal(budget.figures.refused, 1)
})

test('requests sent ahead take turns with what others send', async () => {
  const served: string[] = []
  let other: Socket | undefined
  const started = await start((req, res) => {
    const { url = '' } = req
    served.push(url)
    if (url === '/x0') other?.end(gets(['/other']))
    answer(res, url)
  })
  const waiting = open(started)
  other = waiting.socket
  await new Promise<void>((resolve) => waiting.socket.once('connect', resolve))
  const ahead = open(started)
  ahead.socket.end(gets(numbers(1_000)))
  assert.deepEqual(bodiesOf(await ahead.closed), numbers(1_000))
  assert.deepEqual(bodiesOf(await waiting.closed), ['/other'])
  assert.ok(served.indexOf('/other') < 500, `served as number ${served.indexOf('/other')}`)
})

test('what long bodies were read into is given back at once, and nothing of what waits behind them', async (t) => {
  for (const seed of testSeeds(5)) {
    t.diagnostic(`seed ${seed}`)
    const random = new Random(seed)
    const pieces: Array<{ readonly memory: ArrayBufferLike; readonly bytes: number }> = []
    const watched = new WeakSet<Socket>()
    const started = await start((req, res) => {
      const hash = createHash('sha256')
      if (!watched.has(req.socket)) {
        watched.add(req.socket)
        req.socket.on('data', (piece: Buffer) => {
          const isOwn = piece.length === piece.buffer.byteLength
          if (isOwn) pieces.push({ memory: piece.buffer, bytes: piece.length })
        })
      }
      req.on('data', (piece: Buffer) => hash.update(piece))
      req.on('end', () => setImmediate(() => res.end(hash.digest('hex'))))
    })
    const bodies = Array.from({ length: 6 }, () =>
      Buffer.alloc(random.integer(300_000, 2_000_000), `${random.next()} `),
    )
    const { socket, closed } = open(started)
    for (const [at, body] of bodies.entries()) {
      const isLast = at === bodies.length - 1
      const end = isLast ? 'Connection: close\r\n' : ''
      socket.write(`PUT /long HTTP/1.1\r\nContent-Length: ${body.length}\r\n${end}\r\n`)
      socket.write(body)
    }
    const digests = bodies.map((body) => createHash('sha256').update(body).digest('hex'))
    const text = await closed
    for (const digest of digests) assert.ok(text.includes(digest), `${digest}, seed ${seed}`)
    await iteration()
    await iteration()
    const kept = pieces.filter(({ memory }) => memory.byteLength > 0)
    const sum = (of: typeof pieces) => of.reduce((total, { bytes }) => total + bytes, 0)
    assert.ok(pieces.length > 0, 'pieces had memory of their own')
    // Those that held the beginning of the next request wait for it.
    assert.ok(kept.length < bodies.length, `${kept.length} of ${pieces.length}, ${sum(kept)} bytes`)
  }
})
