import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Random, testSeeds } from '../../../../test/support/random.ts'
import { ManualClock, MemoryBudget } from '../../../base/index.ts'
import type { Reply, RequestHead } from '../exchange.ts'
import { PaceWatch } from '../pace-watch.ts'
import { type Front, openFront } from './front.ts'
import { SilenceWatch } from './silence-watch.ts'

type Serve = (head: RequestHead, body: Buffer, reply: Reply) => void

interface Started {
  readonly front: Front
  readonly arrivals: PaceWatch
  readonly departures: PaceWatch
  readonly silences: SilenceWatch
  readonly clock: ManualClock
  open(): Promise<Client>
  connections(): Promise<number>
}

const closers: Array<() => void> = []
after(() => {
  for (const close of closers) close()
})

const answerApart: RequestListener = (_req, res) => res.writeHead(299).end()

/** A server with a front; what the front does not serve is answered by `behind`, with 299. */
async function start(
  serve: Serve,
  isServed = () => true,
  behind: RequestListener = answerApart,
): Promise<Started> {
  const server = createServer({ requireHostHeader: false }, behind)
  Object.assign(server, { httpAllowHalfOpen: true })
  const clock = new ManualClock(0)
  const arrivals = new PaceWatch(clock)
  const departures = new PaceWatch(clock)
  const silences = new SilenceWatch(120_000)
  const front = openFront(server, 'connection', {
    budget: new MemoryBudget(1e9),
    keepAliveMs: 75_000,
    silences,
    serve,
    findServe: () => (isServed() ? () => {} : undefined),
    expect: () => true,
    abandon: () => {},
    admit: () => () => {},
    arrivals,
    departures,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  closers.push(() => {
    front.closeAllConnections()
    server.closeAllConnections()
    server.close()
    arrivals.close()
    departures.close()
  })
  return {
    front,
    arrivals,
    departures,
    silences,
    clock,
    open: () => Client.open(port),
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
  }
}

/** A client that writes bytes as they are and reads answers by their length. */
class Client {
  readonly socket: Socket
  readonly isClosed: Promise<void>
  #parts: Buffer[] = []
  #onPart: () => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (part) => {
      this.#parts.push(Buffer.from(part))
      this.#onPart()
    })
    this.isClosed = new Promise((resolve) =>
      socket.once('close', () => {
        resolve()
        this.#onPart()
      }),
    )
  }

  static async open(port: number): Promise<Client> {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
    return new Client(socket)
  }

  write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()))
  }

  /** The next answer's status and body; status 0 when the connection closes before. */
  async answer(): Promise<{ status: number; body: string }> {
    const head = await this.#takeHead()
    const bodyBytes = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0)
    return { status: Number(head.slice(9, 12)), body: await this.#take(bodyBytes) }
  }

  async #takeHead(): Promise<string> {
    for (;;) {
      const end = Buffer.concat(this.#parts).indexOf('\r\n\r\n')
      if (end >= 0) return this.#take(end + 4)
      if (this.socket.destroyed) return ''
      await this.#nextPart()
    }
  }

  async #take(count: number): Promise<string> {
    while (this.#parts.reduce((sum, part) => sum + part.length, 0) < count) {
      if (this.socket.destroyed) return ''
      await this.#nextPart()
    }
    const bytes = Buffer.concat(this.#parts)
    this.#parts = [bytes.subarray(count)]
    return bytes.toString('latin1', 0, count)
  }

  #nextPart(): Promise<void> {
    return new Promise((resolve) => {
      this.#onPart = resolve
    })
  }
}

function reply(to: Reply, body: string | Uint8Array, headers: readonly string[] = []): void {
  if (!to.isOver) to.send(200, [...headers, 'Content-Length', String(body.length)], body)
}

/** Answers the body in a later turn, as a call that stores something does. */
const echo: Serve = (_head, body, to) => {
  const text = body.toString('latin1')
  setImmediate(() => reply(to, text))
}

function put(body: string): string {
  return `PUT /api/feed HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Once another connection was answered twice, the server has read what was sent before. */
async function roundTrips(started: Started): Promise<void> {
  const client = await started.open()
  for (let round = 0; round < 2; round++) {
    await client.write(put('x'))
    await client.answer()
  }
  client.socket.destroy()
}

test('a body in pieces is untouched by a connection that had its memory before', async () => {
  const started = await start(echo)
  const [first, second] = [await started.open(), await started.open()]
  const short = put('a'.repeat(40_000))
  await first.write(short.slice(0, 20_000))
  await roundTrips(started)
  await first.write(short.slice(20_000))
  assert.ok((await first.answer()).body === 'a'.repeat(40_000))
  const long = put('b'.repeat(60_000))
  await second.write(long.slice(0, 55_000))
  await roundTrips(started)
  await first.write(put('c'.repeat(10_000)))
  assert.ok((await first.answer()).body === 'c'.repeat(10_000))
  await second.write(long.slice(55_000))
  assert.ok((await second.answer()).body === 'b'.repeat(60_000), 'bytes of another connection')
})

/** Sends calls with random bodies over one connection, cut and ahead of answers at random. */
async function sendBodies(client: Client, random: Random, shown: string): Promise<void> {
  for (let round = 0; round < 6; round++) {
    const bodies = Array.from({ length: random.integer(1, 4) }, () =>
      // Every byte shows where it belongs.
      String(random.integer(1_000, 9_999)).repeat(
        random.integer(1, random.pick([50, 15_000, 60_000])),
      ),
    )
    const bytes = bodies.map(put).join('')
    for (let from = 0; from < bytes.length; ) {
      const length = random.integer(1, random.pick([2_000, 50_000, 300_000]))
      await client.write(bytes.slice(from, from + length))
      from += length
      if (random.next() < 0.7) await new Promise(setImmediate)
    }
    for (const body of bodies) {
      assert.ok((await client.answer()).body === body, shown)
    }
  }
}

/** As echo, behind the front: a read that ends inside a head hands the connection over. */
const echoBehind: RequestListener = async (req, res) => {
  const body = Buffer.concat(await req.toArray())
  res.writeHead(200, { 'Content-Length': body.length }).end(body)
}

const echoBehind299: RequestListener = async (req, res) => {
  const body = Buffer.concat(await req.toArray())
  res.writeHead(299, { 'Content-Length': body.length }).end(body)
}

test('bodies that arrive over many connections at once are never mixed up', async () => {
  const started = await start(echo, () => true, echoBehind)
  for (const seed of testSeeds(3)) {
    const random = new Random(seed)
    const clients = await Promise.all(Array.from({ length: 8 }, () => started.open()))
    const seeds = clients.map(() => random.integer(0, 2 ** 31))
    await Promise.all(
      clients.map((client, at) => sendBodies(client, new Random(seeds[at]), `seed ${seed}`)),
    )
    for (const { socket } of clients) socket.destroy()
  }
})

test('a request in pieces may fill its memory to the last byte', async () => {
  const started = await start(echo)
  const headBytes = put('x'.repeat(10_000)).length - 10_000
  for (const bytes of [32_768, 65_536, 131_072]) {
    const client = await started.open()
    const body = 'x'.repeat(bytes - headBytes - (bytes > 99_999 ? 1 : 0))
    const request = put(body)
    assert.equal(request.length, bytes)
    await client.write(request.slice(0, 20_000))
    await roundTrips(started)
    await client.write(request.slice(20_000))
    assert.ok((await client.answer()).body === body, String(bytes))
    await client.write(put('next'))
    assert.equal((await client.answer()).body, 'next')
  }
})

test('a connection remembers a short head for the next call, and nothing of a long one', async () => {
  let heads = 0
  const started = await start(echo, () => {
    heads += 1
    return true
  })
  const client = await started.open()
  const timesRead = async (request: string) => {
    heads = 0
    for (let count = 0; count < 3; count++) {
      await client.write(request)
      assert.equal((await client.answer()).status, 200)
    }
    return heads
  }
  assert.equal(await timesRead(put('short')), 1)
  assert.equal(
    await timesRead(put('long').replace('HTTP/1.1', `HTTP/1.1\r\nX: ${'x'.repeat(9_000)}`)),
    3,
  )
})

test('only a header of that name closes the connection', async () => {
  const started = await start((_head, body, to) =>
    reply(to, body.toString(), ['X-Request-Id', 'Connection']),
  )
  const client = await started.open()
  for (const body of ['one', 'two']) {
    await client.write(put(body))
    assert.equal((await client.answer()).body, body)
  }
})

test('a client that reads no answers is served no more calls than the system holds for it', async () => {
  let served = 0
  const big = Buffer.alloc(1024 * 1024, 'x')
  const started = await start((_head, body, to) => {
    if (body.length > 0) return reply(to, body)
    served += 1
    reply(to, big)
  })
  const get = 'GET /api/comp/c/feed HTTP/1.1\r\n\r\n'
  const [single, ahead] = [await started.open(), await started.open()]
  for (const client of [single, ahead]) client.socket.pause()
  for (let count = 0; count < 100; count++) {
    await single.write(get)
    await roundTrips(started)
  }
  assert.ok(served < 60, `${served} answers of a megabyte were made`)
  served = 0
  await ahead.write(get.repeat(100))
  for (let round = 0; round < 50; round++) await roundTrips(started)
  assert.ok(served < 60, `${served} answers of a megabyte were made for calls sent ahead`)
  single.socket.resume()
  for (let count = 0; count < 100; count++) {
    assert.equal((await single.answer()).body.length, big.length)
  }
})

test('a call is over when its answer has left, not before', async () => {
  let isOver = false
  const started = await start((_head, body, to) => {
    if (body.length > 0) return reply(to, body)
    to.onceOver(() => {
      isOver = true
    })
    reply(to, Buffer.alloc(32 * 1024 * 1024))
    assert.ok(to.isOver, 'nothing else can be answered')
  })
  const client = await started.open()
  client.socket.pause()
  await client.write('GET /api/comp/c/feed HTTP/1.1\r\n\r\n')
  for (let round = 0; round < 5; round++) await roundTrips(started)
  assert.equal(isOver, false)
  client.socket.resume()
  assert.equal((await client.answer()).body.length, 32 * 1024 * 1024)
  await roundTrips(started)
  assert.equal(isOver, true)
})

test('a client that stops sending while it reads its answer gets all of it, then the end', async () => {
  const big = Buffer.alloc(32 * 1024 * 1024)
  const started = await start((_head, body, to) => reply(to, body.length > 0 ? body : big))
  const client = await started.open()
  client.socket.pause()
  await client.write('GET /api/comp/c/feed HTTP/1.1\r\n\r\n')
  await roundTrips(started)
  client.socket.end()
  await roundTrips(started)
  client.socket.resume()
  assert.equal((await client.answer()).body.length, big.length)
  await client.isClosed
})

test('nothing is served behind an answer that closes the connection', async () => {
  const seen: string[] = []
  const started = await start((_head, body, to) => {
    seen.push(body.toString())
    reply(to, body, ['Connection', 'close'])
  })
  const client = await started.open()
  await client.write(put('one') + put('two') + put('three'))
  assert.equal((await client.answer()).body, 'one')
  await client.isClosed
  while ((await started.connections()) > 0) await new Promise(setImmediate)
  assert.deepEqual(seen, ['one'])
})

test('a connection that stays silent is closed, unless it is the service that is silent', async () => {
  const replies: Reply[] = []
  const asked = Promise.withResolvers<void>()
  const { open, silences } = await start((_head, _body, reply) => {
    replies.push(reply)
    asked.resolve()
  })
  const waiting = await open()
  await waiting.write('PUT /slow HTTP/1.1\r\nContent-Length: 1\r\n\r\na')
  await asked.promise
  const silent = await open()
  for (let look = 0; look <= 4; look += 1) silences.look()
  await silent.isClosed
  replies[0].send(200, ['Content-Length', '2'], 'ok')
  assert.deepEqual(await waiting.answer(), { status: 200, body: 'ok' })
  for (let look = 0; look <= 4; look += 1) silences.look()
  await waiting.isClosed
})

test('closeAllConnections() closes those that are read here and those that come after it', async () => {
  const started = await start(echo)
  const [idle, half] = [await started.open(), await started.open()]
  await idle.write(put('x'))
  await idle.answer()
  await half.write(put('x'.repeat(40_000)).slice(0, 30_000))
  await roundTrips(started)
  started.front.closeAllConnections()
  await Promise.all([idle.isClosed, half.isClosed])
  await (await started.open()).isClosed
  while ((await started.connections()) > 0) await new Promise(setImmediate)
})

test('a body that arrives byte by byte is a 408, and bytes that arrive later are not served', async () => {
  let served = 0
  const { open, arrivals, clock } = await start((_head, _body, to) => {
    served += 1
    reply(to, '')
  })
  const client = await open()
  const whole = put('x'.repeat(1_000))
  await client.write(whole.slice(0, -10))
  while (arrivals.count === 0) await new Promise((resolve) => setImmediate(resolve))
  for (let check = 0; check < 14; check++) {
    clock.advance(5_000)
    arrivals.check()
  }
  assert.equal((await client.answer()).status, 408)
  await client.write(whole.slice(-10))
  client.socket.end()
  await client.isClosed
  assert.equal(served, 0)
  assert.equal(arrivals.count, 0)
})

test('an answer that is hardly read is given up, and one that is read in time is not', async () => {
  let over = 0
  const started = await start((_head, _body, to) => {
    to.onceOver(() => {
      over += 1
    })
    reply(to, Buffer.alloc(32 * 1024 * 1024))
  })
  const { departures, clock } = started
  for (const isRead of [true, false]) {
    const client = await started.open()
    client.socket.pause()
    await client.write('GET /api/comp/c/feed HTTP/1.1\r\n\r\n')
    while (departures.count === 0) await new Promise((resolve) => setImmediate(resolve))
    if (isRead) {
      client.socket.resume()
      assert.equal((await client.answer()).status, 200)
      while (departures.count > 0) await new Promise((resolve) => setImmediate(resolve))
    }
    for (let check = 0; check < 14; check++) {
      clock.advance(5_000)
      departures.check()
    }
    while (over === 0) await new Promise((resolve) => setImmediate(resolve))
    over = 0
    assert.equal(departures.count, 0)
    client.socket.resume()
    if (isRead) client.socket.end()
    await client.isClosed
  }
})

test('requests sent ahead to the front take turns with what others send', async () => {
  const served: string[] = []
  let other: Client | undefined
  const { open } = await start(({ url = '' }, _body, reply) => {
    served.push(url)
    if (served.length === 1) void other?.write('PUT /other HTTP/1.1\r\n\r\n')
    reply.send(200, ['Content-Length', '0'], '')
  })
  other = await open()
  const ahead = await open()
  await ahead.write('PUT /ahead HTTP/1.1\r\n\r\n'.repeat(1_000))
  for (let at = 0; at < 1_000; at++) assert.equal((await ahead.answer()).status, 200)
  assert.equal((await other.answer()).status, 200)
  assert.ok(served.indexOf('/other') < 500, `served as number ${served.indexOf('/other')}`)
})

test('a client that has closed its side receives 102, then the response', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<[Socket, Reply]>()
  const { open } = await start(({ socket }, _body, reply) => ask([socket, reply]))
  const client = await open()
  await client.write('GET /x HTTP/1.1\r\n\r\n')
  const [socket, reply] = await asked
  reply.sendProcessing()
  const ended = once(socket, 'end')
  client.socket.end()
  await ended
  reply.sendProcessing()
  reply.send(200, ['Content-Length', '2'], 'ok')
  reply.sendProcessing()
  assert.deepEqual(await client.answer(), { status: 102, body: '' })
  assert.deepEqual(await client.answer(), { status: 200, body: 'ok' })
  assert.equal((await client.answer()).status, 0)
})

test('a client that is gone is noticed when 102 is sent', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<Reply>()
  const { open } = await start((_head, _body, reply) => ask(reply))
  const client = await open()
  await client.write('GET /x HTTP/1.1\r\n\r\n')
  const reply = await asked
  client.socket.destroy()
  while (!reply.isOver) {
    reply.sendProcessing()
    await new Promise((resolve) => setImmediate(resolve))
  }
})

test('each request is judged by itself, whatever was sent before it on the connection', async () => {
  const started = await start(echo, () => true, echoBehind299)
  const chunked = (body: string) =>
    `PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const bodies = Array.from({ length: 12 }, (_, at) => String(at).repeat(at % 4 < 2 ? 1 : 40_000))
  const requests = bodies.map((body, at) => (at % 2 === 0 ? put(body) : chunked(body)))
  const [atOnce, oneByOne] = [await started.open(), await started.open()]
  await atOnce.write(requests.join(''))
  for (const [at, body] of bodies.entries()) {
    await oneByOne.write(requests[at].slice(0, 30_000))
    await roundTrips(started)
    await oneByOne.write(requests[at].slice(30_000))
    for (const client of [atOnce, oneByOne]) {
      const answer = await client.answer()
      assert.equal(answer.status, at % 2 === 0 ? 200 : 299, `request ${at}`)
      assert.ok(answer.body === body, `request ${at}`)
    }
  }
})
