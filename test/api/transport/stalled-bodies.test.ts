/** Bodies that stop, crawl or inflate hold little, for a bounded time, and not what others need. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Principal } from '../../../src/access/index.ts'
import type { Caller, Identity } from '../../../src/auth/index.ts'
import { createLog, ManualClock, MemoryBudget } from '../../../src/base/index.ts'
import {
  buildServer,
  Gate,
  type HttpOperation,
  httpOperation,
  json,
  type WeirServer,
} from '../../../src/http/index.ts'
import { startService } from '../../support/service.ts'

const CLOCK = new ManualClock(1_700_000_000_000)

interface Started {
  readonly server: WeirServer
  readonly port: number
  readonly budget: MemoryBudget
}

function echo(path: string, callers: 'anyone' | 'uncounted'): HttpOperation {
  const run = ({ body }: { body: unknown }) => ({ body: body ?? null })
  return httpOperation({ methods: ['PUT'], path, callers, input: json(), run })
}

/** A server with an echo for unauthenticated clients and one for authenticated callers. */
async function start(t: TestContext): Promise<Started> {
  const budget = new MemoryBudget(8_000_000)
  const principal = { orgUid: 'org' } as Principal
  const caller = { principal, place: 'header' } as Caller
  const gate = new Gate({
    admission: { changes: 0, admitNow: () => ({ caller, refusal: undefined, limit: undefined }) },
  } as unknown as Pick<Identity, 'admission'>)
  const server = buildServer({
    clock: CLOCK,
    log: createLog({ level: 'silent' }),
    trustedProxies: [],
    readiness: [],
    budget,
    gate,
    operations: () => [
      echo('/api/echo', 'anyone'),
      echo('/api/known', 'uncounted'),
      httpOperation({
        methods: ['GET'],
        path: '/api/long',
        callers: 'uncounted',
        run: () => 'x'.repeat(32_000_000),
      }),
    ],
  })
  t.after(() => server.close(0))
  return { server, budget, port: await server.listen({ host: '127.0.0.1', port: 0 }) }
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve))

/** A connection that has sent these bytes, and all that came back. */
function sending(t: TestContext, port: number, bytes: string | Buffer) {
  const socket: Socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  const isClosed = new Promise<string>((resolve) =>
    socket.once('close', () => resolve(Buffer.concat(parts).toString())),
  )
  socket.write(bytes)
  return { socket, isClosed }
}

function head(path: string, length: number, more = ''): string {
  const type = 'Content-Type: application/json\r\n'
  return `PUT ${path} HTTP/1.1\r\nHost: x\r\n${type}${more}Content-Length: ${length}\r\n\r\n`
}

test('a compressed body that stops arriving holds its received bytes and no decoder', async (t) => {
  const { port, budget } = await start(t)
  const body = gzipSync(JSON.stringify({ text: 'x'.repeat(10_000) }))
  const beginning = Buffer.concat([
    Buffer.from(head('/api/echo', body.length, 'Content-Encoding: gzip\r\n')),
    body.subarray(0, 20),
  ])
  const stalled = Array.from({ length: 40 }, () => sending(t, port, beginning))
  while (budget.figures.usedBytes < 40 * 20) await nextIteration()
  assert.equal(budget.figures.usedBytes, 40 * 20)
  const { socket, isClosed } = stalled[0]
  socket.end(body.subarray(20))
  const answer = await isClosed
  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.match(answer, /"x{10000}"/)
  for (const { socket } of stalled) socket.destroy()
  while (budget.figures.usedBytes > 0) await nextIteration()
})

test('unauthenticated clients get half of the memory for small calls, and are refused beyond it', async (t) => {
  const { port, budget } = await start(t)
  const long = 'x'.repeat(budget.unauthenticatedBytesMax)
  const put = (path: string, text: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(text),
    })
  // An answer is given back when it has left, which its reader may see first.
  const isGivenBack = async () => {
    while (budget.figures.usedBytes > 0) await nextIteration()
  }
  const refused = await put('/api/echo', long)
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.equal(((await refused.json()) as { code: string }).code, 'overloaded')
  assert.equal((await put('/api/echo', 'short')).status, 200)
  const echoed = await put('/api/known', long)
  assert.equal(echoed.status, 200)
  await echoed.arrayBuffer()
  await isGivenBack()
  assert.equal(budget.addUnauthenticated(budget.unauthenticatedBytesMax), true)
  assert.equal((await put('/api/echo', 'short')).status, 503)
  assert.equal((await put('/api/known', 'short')).status, 200)
  budget.endUnauthenticated(budget.unauthenticatedBytesMax)
})

test('the body of a known caller waits for memory, and gives it back', async (t) => {
  const { port, budget } = await start(t)
  assert.equal(budget.addSmall(budget.smallBytesMax), true)
  const answered = sending(t, port, `${head('/api/known', 7)}{"a":1}`)
  while (budget.figures.waiting === 0) await nextIteration()
  answered.socket.end()
  budget.endSmall(budget.smallBytesMax)
  assert.match(await answered.isClosed, /\{"body":\{"a":1\}\}$/)
  while (budget.figures.usedBytes > 0) await nextIteration()
})

test('a body that comes byte by byte is a 408 and its connection is closed', async (t) => {
  const { server, port } = await start(t)
  const { isClosed } = sending(t, port, `${head('/api/echo', 1_000)}[`)
  while (server.arrivals.count === 0) await nextIteration()
  for (let check = 0; check < 14; check++) {
    CLOCK.advance(5_000)
    server.arrivals.check()
  }
  const text = await isClosed
  assert.match(text, /^HTTP\/1\.1 408 /)
  assert.match(text, /"code":"request_timeout"/)
  assert.equal(server.arrivals.count, 0)
})

test('an answer that is not read is given up behind Node, too', async (t) => {
  const { server, port } = await start(t)
  const { socket, isClosed } = sending(t, port, '')
  socket.pause()
  socket.write('GET /api/long HTTP/1.1\r\nHost: x\r\n\r\n')
  while (server.departures.count === 0) await nextIteration()
  while (server.departures.count > 0) {
    CLOCK.advance(5_000)
    server.departures.check()
    await nextIteration()
  }
  socket.resume()
  assert.ok((await isClosed).length < 32_000_000)
})

test('POST /api/login takes 16 KB at most, inflated too', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  const { ownerEmail: email, ownerPassword: password } = service
  const signIn = async (padding: number, isGzipped: boolean) => {
    const text = JSON.stringify({ email, password }) + ' '.repeat(padding)
    const answer = await fetch(`${service.url}/api/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
      },
      body: isGzipped ? gzipSync(text) : text,
    })
    return answer.status
  }
  assert.equal(await signIn(10_000, false), 200)
  assert.equal(await signIn(10_000, true), 200)
  assert.equal(await signIn(17_000, false), 413)
  assert.equal(await signIn(17_000, true), 413)
})
