/** Plain calls over TLS are read at the front too, from an ordinary socket. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { ManualClock } from '../../../src/base/index.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { type Service, startService } from '../../support/service.ts'

const certFile = resolve('test/fixtures/localhost-cert.pem')
const keyFile = resolve('test/fixtures/localhost-key.pem')
const ca = readFileSync(certFile)

let service: Service
let key = ''
before(async () => {
  const settings = { WEIR_TLS_CERT: certFile, WEIR_TLS_KEY: keyFile }
  service = await startService({ clock: new ManualClock(1_700_000_000_000), settings })
  key = `api_key=${service.feedKey}`
})
after(() => service.close())

async function open(): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: service.port, servername: 'localhost', ca })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

function hasClosed(socket: Socket): Promise<void> {
  return new Promise((closed) => socket.once('close', () => closed()))
}

/** Sends pieces. Returns all that is received until `answers` responses are complete. */
async function converse(pieces: readonly (string | Buffer)[], answers: number): Promise<string> {
  const socket = await open()
  let text = ''
  const isDone = new Promise<void>((done) => {
    socket.on('data', (part) => {
      text += part.toString('latin1')
      if (endOf(text, answers) === text.length) done()
    })
    socket.on('close', () => done())
  })
  for (const piece of pieces) {
    await new Promise<void>((written) => socket.write(piece, () => written()))
    await new Promise((iteration) => setImmediate(iteration))
  }
  await isDone
  socket.destroy()
  return text
}

function endOf(text: string, answers: number): number {
  let end = 0
  for (let at = 0; at < answers; at++) {
    const body = text.indexOf('\r\n\r\n', end) + 4
    if (body < 4) return -1
    end = body + Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(end, body))?.[1] ?? 0)
  }
  return end
}

function request(line: string, extra: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  return `${[`${line} HTTP/1.1`, 'Host: x', ...extra, ...length].join('\r\n')}\r\n\r\n${body}`
}

const sample = (data: number, time: number) =>
  JSON.stringify([{ compId: 'tls', streamId: 's', time, data }])

test('a call over TLS is answered alike, whichever reader reads it', async () => {
  const comparable = (text: string) => text.replaceAll(/(?:X-Request-Id|Date): [^\r]*\r\n/g, '')
  const calls: ReadonlyArray<readonly [string, string]> = [
    [`PUT /api/feed?${key}`, sample(1, 1)],
    [`PUT /api/feed?${key}`, '[{'],
    ['PUT /api/feed', sample(1, 1)],
    [`GET /api/comp/tls/stream/s/feed?${key}`, ''],
    [`GET /api/comp/tls/last_value?${key}`, ''],
  ]
  for (const [line, body] of calls) {
    const front = await converse([request(line, [], body)], 1)
    const general = await converse([request(line, ['TE: trailers'], body)], 1)
    assert.equal(comparable(front), comparable(general), line)
  }
})

test('calls over one TLS connection, cut anywhere, get their answers in order', async () => {
  for (const seed of testSeeds(4)) {
    const random = new Random(seed)
    const sent: string[] = []
    const values: number[] = []
    for (let time = 1_000; time < 1_012; time++) {
      const value = random.integer(0, 1_000_000)
      values.push(value)
      const spaces = random.next() < 0.3 ? random.integer(0, 150_000) : 0
      sent.push(
        request(`PUT /api/feed?${key}`, [], sample(value, time) + ' '.repeat(spaces)),
        request(`GET /api/comp/tls/stream/s/feed?sd=${time}&ed=${time + 1}&${key}`),
      )
    }
    // From here on Node's server has the connection.
    sent.push(request('GET /healthz'), request(`GET /api/comp/tls/last_value?${key}`))
    const bytes = Buffer.from(sent.join(''))
    const pieces: Buffer[] = []
    for (let from = 0; from < bytes.length; ) {
      const length = random.next() < 0.5 ? random.integer(1, 300) : random.integer(1, 100_000)
      pieces.push(bytes.subarray(from, from + length))
      from += length
    }
    const text = await converse(pieces, sent.length)
    const found = [...text.matchAll(/\[\{"time":10\d\d,"data":(\d+)\}\]/g)].map(([, data]) => +data)
    assert.deepEqual(found.slice(0, values.length), values, `seed ${seed}`)
    assert.equal(text.split('HTTP/1.1 200 OK\r\n').length - 1, sent.length, `seed ${seed}`)
  }
})

test('a stop closes connections that wait for TLS or for a call', async () => {
  const idle = await open()
  const silent = connectPlain(service.port, '127.0.0.1')
  silent.on('error', () => {})
  await once(silent, 'connect')
  idle.write(request(`GET /api/comp/tls/last_value?${key}`))
  await once(idle, 'data')
  const closed = Promise.all([idle, silent].map(hasClosed))
  await service.restart()
  await closed
  assert.match(await converse([request('GET /healthz')], 1), /^HTTP\/1\.1 200 OK/)
})
