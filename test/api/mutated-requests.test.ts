import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { caller, signIn } from '../support/caller.ts'
import { Random, testSeeds } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let session: string
before(async () => {
  service = await startService()
  session = await signIn(service, service.ownerEmail, service.ownerPassword)
})
after(() => service.close())

const ROUNDS = 400

function requests(): string[] {
  const json = (method: string, path: string, body: unknown) => {
    const text = JSON.stringify(body)
    const length = Buffer.byteLength(text)
    const type = 'Content-Type: application/json'
    return `${method} ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${session}\r\n${type}\r\nContent-Length: ${length}\r\n\r\n${text}`
  }
  const key = `api_key=${service.feedKey}`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: org=1;${key}\r\n\r\n`
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET'] }]
  return [
    json('PUT', '/api/api_key', { api_key: { name: 'k', capabilities, ipAddresses: ['::1'] } }),
    json('PUT', '/api/component', { component: { id: 'c', name: 'c', stream: [{ id: 's' }] } }),
    json('PUT', '/api/feed', [{ compId: 'c', streamId: 's', data: 1.5, time: 1_700_000_000_000 }]),
    json('PUT', '/api/unit', { unit: { id: 'u', name: 'u', symbol: 'C' } }),
    json('PUT', '/api/cycle', { cycle: { id: 'y', sizeType: 'DAY', count: 1 } }),
    json('POST', '/api/comp/c/property', [{ component: { name: 'n' } }]),
    `PUT /api/feed?compId=c&s=1,2&time=1,2&rsid=s&${key} HTTP/1.1\r\nHost: x\r\n\r\n`,
    get('/api/comp/c/feed?sd=0&ed=9999999999999&limit=5&retUnit'),
    get('/api/comp/c/cycle/day/stat/max/feed?sd=0&ed=86400000&retIntvlSd'),
    get('/api/comp/c/stream/s/last_value?retFData'),
    get('/api/comp/c/property?name&description'),
    get('/api/audit?start=1&limit=2'),
  ]
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

test('requests with changed bytes are answered or refused, never a 500, and the service goes on', async () => {
  const random = new Random(testSeeds(1)[0])
  const below = (end: number) => random.integer(0, end)
  const templates = requests().map((text): Buffer => Buffer.from(text))
  const pieces = ['%', '%ff', '\0', '"', '{', '[', '\r\n', ',,', '-1', '1e999', '&', 'é', 'null']
  const mutate = (bytes: Buffer): Buffer => {
    const at = below(bytes.length + 1)
    const piece = Buffer.from(random.pick(pieces))
    switch (below(4)) {
      case 0:
        return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
      case 1:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(8))])
      case 2:
        return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + piece.length)])
      default:
        return bytes.subarray(0, at)
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    let bytes = random.pick(templates)
    for (let count = below(3); count >= 0; count -= 1) bytes = mutate(bytes)
    const answer = await exchange(bytes)
    for (const [, status] of answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      assert.notEqual(
        status,
        '500',
        `seed ${random.seed}, round ${round}: ${JSON.stringify(bytes.toString('latin1'))}`,
      )
    }
  }
  const owner = caller(service, session)
  assert.equal((await owner('GET', '/api/organization')).status, 200)
  assert.equal(service.app.server.traffic.inFlight, 0)
})
