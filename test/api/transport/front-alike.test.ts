/** Whatever bytes a client sends, in whatever pieces, it gets what Node's server would answer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
/** The same service, where Node's parser reads every request. */
let general: Service
before(async () => {
  const clock = new ManualClock(1_700_000_000_000)
  service = await startService({ clock })
  general = await startService({ clock, isFrontOff: true })
  for (const { url, feedKey } of [service, general]) {
    // Puts go to another component: what is read must not depend on what was sent before.
    const put = `${url}/api/feed?compId=b&s=1&time=1&api_key=${feedKey}`
    assert.equal((await fetch(put, { method: 'PUT' })).status, 200)
  }
})
after(async () => {
  await service.close()
  await general.close()
})

/** A request that the front leaves to Node's server. The front decides again for the next one. */
const GENERAL = 'GET /healthz HTTP/1.1\r\nTE: trailers\r\n\r\n'

/** Sends pieces one after the other, then ends; all that comes back. */
async function converse(
  { port }: Service,
  pieces: readonly Buffer[],
  opening?: string,
): Promise<string> {
  const parts: Buffer[] = []
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (part) => parts.push(Buffer.from(part)))
  const isClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  if (opening !== undefined) {
    socket.write(opening)
    await once(socket, 'data')
    parts.length = 0
  }
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
  await isClosed
  return Buffer.concat(parts).toString('latin1')
}

/** What the answers say, without what differs from call to call. */
function answersIn(text: string): string[] {
  return text
    .replaceAll(/(?:X-Request-Id: [\w]{8}-|Date: |Connection: |Keep-Alive: )[^\r]*\r\n/gi, '')
    .replaceAll(/X-Request-Id: [0-9a-f-]{36}\r\n/gi, '')
    .split(/(?=HTTP\/1\.1 )/)
}

const line = (random: Random, feedKey: string) => {
  const key = `api_key=${feedKey}`
  return random.pick([
    `PUT /api/feed?${key}`,
    `PUT /api/feed?${key}`,
    `PUT /api/feed?compId=a&s=1&time=1&${key}`,
    `GET /api/comp/b/last_value?${key}`,
    `GET /api/comp/b/stream/s/feed?${key}`,
    `GET /api/feed?compId=a&s=1&time=1&asPut=true&${key}`,
    `GET /api/feed?compId=a&s=1&time=1&${key}`,
    `HEAD /api/comp/b/last_value?${key}`,
    `DELETE /api/feed?${key}`,
    `PUT http://x/api/feed?${key}`,
    `PUT /api/feed#?${key}`,
    'PUT /api/feed',
    'GET /api/comp/%zz/last_value',
    'GET /api/comp/a%2Fb/last_value',
    'GET /healthz',
  ])
}

const headers = [
  'Host: h',
  'host:',
  'Host: a\r\nHost: b',
  'X: y',
  'x:\ty \t',
  'X : y',
  ' X: folded',
  ': x',
  'X',

  'Connection: keep-alive',
  'connection: Keep-Alive',
  'Connection: close',
  'Connection: x, close',
  'Connection: upgrade',
  'Upgrade: h2c',
  'Proxy-Connection: close',

  'Expect: 100-continue',
  'Expect: 200-ok',
  'TE: trailers',
  'Trailer: x',
  'Origin: https://o.example',
  'Transfer-Encoding: identity',
  'transfer-encoding:chunked',
  'Transfer-Encoding : chunked',

  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding:\tchunked',
  'Transfer_Encoding: chunked',

  'Content-Encoding: gzip',
  'Content-Encoding: identity',
  'Content-Length: 0',
  'content-length:5',

  'Content-Length: +5',
  'Content-Length: 5, 5',
  'Content-Length: 0x5',
  'Content-Length:',
  'Content_Length: 7',

  'Authorization: Bearer x',
  'Authorization: Basic x',
  'Cookie: api_key=x',
  'Cookie: a\r\nCookie: b',

  'X-Request-Id: mine',
  'X-Request-Id: not valid',
  'X-Request-Id: Connection',
  'X-Forwarded-For: 1.2.3.4',
  'Sec-Fetch-Site: cross-site',
  'X: \u00e9',
  'X: \0',
  'X: \x7f',
  `Long: ${'x'.repeat(17_000)}`,
]

/** Node answers broken bytes at once; requests ahead of them that still run lose their answers. */
const NO_HTTP = '{"success":false,"message":"This is not a valid HTTP request","code":"bad_input"}'

function requestOf(random: Random, feedKey: string): string {
  const chosen = Array.from({ length: random.integer(0, 4) }, () =>
    random.next() < 0.4 ? 'Host: h' : random.pick(headers),
  )
  const first = line(random, feedKey)
  const version = random.next() < 0.05 ? random.pick(['1.0', '1.2', '2.0', '1.1 ']) : '1.1'
  const size = random.next() < 0.1 ? random.integer(10_000, 80_000) : 0
  const body = '[{"compId":"a","streamId":"s","time":1,"data":1}]'.padEnd(size, ' ')
  if (first.startsWith('PUT') && random.next() < 0.8) chosen.push(`Content-Length: ${body.length}`)
  const end = random.next() < 0.03 ? '\n' : '\r\n'
  const head = [`${first} HTTP/${version}`, ...chosen, '', ''].join(end)
  return head + (first.startsWith('PUT') ? body : '') + (random.next() < 0.05 ? '\r\n' : '')
}

function mutated(bytes: Buffer, random: Random): Buffer {
  if (random.next() < 0.6) return bytes
  const at = random.integer(0, Math.min(bytes.length, 600))
  const byte = Buffer.from(
    random.pick(['\r', '\n', ' ', '\t', ':', ',', '0', '\0', '\x7f', '\r\n', 'A']),
  )
  const rest = bytes.subarray(at + random.integer(0, 3))
  return Buffer.concat([bytes.subarray(0, at), random.next() < 0.5 ? byte : Buffer.alloc(0), rest])
}

function cut(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = []
  const isWhole = random.next() < 0.5
  for (let from = 0; from < bytes.length; ) {
    const length = isWhole ? bytes.length : random.integer(1, random.pick([20, 300, 50_000]))
    pieces.push(bytes.subarray(from, from + length))
    from += length
  }
  return pieces
}

/**
 * Answers without the refusal of broken bytes, and whether more may have been lost: Node's server
 * may refuse a body before it has read it, and then closes.
 */
function heardIn(text: string): { heard: readonly string[]; isCut: boolean } {
  const answers = answersIn(text)
  const last = answers.at(-1) ?? ''
  const heard = last.endsWith(NO_HTTP) ? answers.slice(0, -1) : answers
  return { heard, isCut: last.startsWith('HTTP/1.1 4') }
}

/** Keys have one length, so the same seed makes the same requests, changes, and cuts for both services. */
async function hear(asked: Service, seed: number, opening?: string) {
  const random = new Random(seed)
  const requests = Array.from({ length: random.integer(1, 5) }, () =>
    requestOf(random, asked.feedKey),
  )
  const sent = requests.join('')
  const bytes = mutated(Buffer.from(sent, 'latin1'), random)
  return { ...heardIn(await converse(asked, cut(bytes, random), opening)), sent }
}

test('any bytes, in any pieces, are answered as Node alone would', async () => {
  for (const seed of testSeeds(roundsBy({ everyRun: 30, nightly: 80 }))) {
    const expected = await hear(general, seed)
    const shown = `seed ${seed}: ${JSON.stringify(expected.sent.replaceAll(/([ x])\1{50,}/g, '$1…'))}`
    for (const opening of [undefined, GENERAL]) {
      const front = await hear(service, seed, opening)
      const isCut = front.isCut || expected.isCut
      const count = isCut ? Math.min(front.heard.length, expected.heard.length) : undefined
      assert.deepEqual(front.heard.slice(0, count), expected.heard.slice(0, count), shown)
    }
  }
})
