import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
let session: string
before(async () => {
  session = await signIn(service, service.ownerEmail, service.ownerPassword)
})

const ROUNDS = 400

interface Shape {
  readonly method: string
  readonly path: string
  readonly body: string
}

function shapes(): Shape[] {
  const json = (method: string, path: string, body: unknown) => ({
    method,
    path,
    body: JSON.stringify(body),
  })
  const key = `api_key=${service.feedKey}`
  const get = (path: string) => ({ method: 'GET', path, body: '' })
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET'] }]
  return [
    json('PUT', '/api/api_key', { api_key: { name: 'k', capabilities, ipAddresses: ['::1'] } }),
    json('PUT', '/api/component', { component: { id: 'c', name: 'c', stream: [{ id: 's' }] } }),
    json('PUT', '/api/feed', [{ compId: 'c', streamId: 's', data: 1.5, time: 1_700_000_000_000 }]),
    json('PUT', '/api/unit', { unit: { id: 'u', name: 'u', symbol: 'C' } }),
    json('PUT', '/api/cycle', { cycle: { id: 'y', sizeType: 'DAY', count: 1 } }),
    json('POST', '/api/comp/c/property', [{ component: { name: 'n' } }]),
    { method: 'PUT', path: `/api/feed?compId=c&s=1,2&time=1,2&rsid=s&${key}`, body: '' },
    get('/api/comp/c/feed?sd=0&ed=9999999999999&limit=5&retUnit'),
    get('/api/comp/c/cycle/day/stat/max/feed?sd=0&ed=86400000&retIntvlSd'),
    get('/api/comp/c/stream/s/last_value?retFData'),
    get('/api/comp/c/property?name&description'),
    get('/api/component?start=1&limit=2'),
    get('/api/audit?start=1&limit=2'),
  ]
}

function bytesOf({ method, path, body }: Shape): Buffer {
  const type = 'Content-Type: application/json\r\n'
  const length = body === '' ? '' : `${type}Content-Length: ${Buffer.byteLength(body)}\r\n`
  const headers = `Host: x\r\nCookie: org=${service.orgUid};${session}\r\nConnection: close\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers}${length}\r\n${body}`)
}

/** All that comes back after the bytes and the end of the connection were sent. */
function exchange(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    const socket = connect(service.port, '127.0.0.1', () => socket.end(bytes))
    socket.on('data', (part) => parts.push(Buffer.from(part)))
    // A reset is an answer too: what matters is what the service says and that it goes on.
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')))
  })
}

const PIECES = ['%', '%ff', '%00', '"', '{', '[', ',,', '-1', '1e999', '&', 'é', 'null', '/', '{}']

function mutated(text: string, random: Random): string {
  const at = random.integer(0, text.length + 1)
  const piece = random.pick(PIECES)
  const skipped = random.pick([0, 0, 1, piece.length, 8])
  return text.slice(0, at) + (random.next() < 0.7 ? piece : '') + text.slice(at + skipped)
}

/** Mostly the path or the body is changed and the rest stays HTTP; else the bytes themselves. */
function mutatedRequest(shape: Shape, random: Random): Buffer {
  const kind = random.next()
  if (kind < 0.5 && shape.body !== '') {
    return bytesOf({ ...shape, body: mutated(shape.body, random) })
  }
  const path = mutated(shape.path, random).replaceAll(' ', '%20')
  if (kind < 0.85) return bytesOf({ ...shape, path: encodeURI(path).replaceAll('%25', '%') })
  return Buffer.from(mutated(bytesOf(shape).toString('latin1'), random), 'latin1')
}

test('changed requests are answered or refused, never a 500, and the service goes on', async () => {
  const random = new Random(testSeeds(1)[0])
  const all = shapes()
  const seen = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = mutatedRequest(random.pick(all), random)
    const answer = await exchange(bytes)
    assert.match(answer, /^HTTP\/1\.1 \d/, JSON.stringify(bytes.toString('latin1')))
    for (const [, status] of answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      seen.add(status)
      const sent = JSON.stringify(bytes.toString('latin1'))
      assert.notEqual(status, '500', `seed ${random.seed}, round ${round}: ${sent}`)
    }
  }
  for (const status of ['200', '400', '404', '409'])
    assert.ok(seen.has(status), [...seen].join(' '))
  const owner = caller(service, session)
  assert.equal((await owner('GET', '/api/organization')).status, 200)
  assert.equal(service.app.server.traffic.inFlight, 0)
})
