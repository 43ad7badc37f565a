/** Whoever opens connections without a credential takes neither the handles nor the others' places. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connectionLimits } from '../../../src/assembly/app-settings.ts'
import { readConfig } from '../../../src/base/index.ts'
import { startChildService } from '../../support/child-service.ts'
import { type Service, startService } from '../../support/service.ts'

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

async function serviceWith(t: TestContext, settings: Record<string, string>): Promise<Service> {
  const service = await startService({ settings })
  t.after(() => service.close())
  return service
}

/** A connection that was let in, which its first answer shows; undefined when it was closed. */
async function letIn(t: TestContext, port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const answered = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
  socket.write(REQUEST)
  return (await answered) ? socket : undefined
}

/** Opens connections until one is let in: the service hears of those that leave a little later. */
async function untilLetIn(t: TestContext, port: number): Promise<Socket> {
  for (;;) {
    const socket = await letIn(t, port)
    if (socket !== undefined) return socket
  }
}

test('connections of one address beyond the limit are closed, until one of them leaves', async (t) => {
  const service = await serviceWith(t, { WEIR_CONNECTIONS_PER_ADDRESS: '3' })
  const sockets: Array<Socket | undefined> = []
  for (let at = 0; at < 5; at++) sockets.push(await letIn(t, service.port))
  assert.deepEqual(
    sockets.map((socket) => socket !== undefined),
    [true, true, true, false, false],
  )
  assert.match(service.logLines.join(''), /connections are refused: there are too many/)
  sockets[0]?.destroy()
  await untilLetIn(t, service.port)
  assert.equal(await letIn(t, service.port), undefined)
})

test('connections of a trusted proxy are not counted by address', async (t) => {
  const service = await serviceWith(t, {
    WEIR_CONNECTIONS_PER_ADDRESS: '3',
    WEIR_TRUSTED_PROXIES: '127.0.0.1',
  })
  for (let at = 0; at < 5; at++) assert.notEqual(await letIn(t, service.port), undefined)
})

test('connections beyond the limit of all are closed, and counted', async (t) => {
  const service = await serviceWith(t, {
    WEIR_CONNECTIONS_MAX: '2',
    WEIR_TRUSTED_PROXIES: '127.0.0.1',
  })
  const first = await letIn(t, service.port)
  assert.ok(first !== undefined)
  assert.notEqual(await letIn(t, service.port), undefined)
  assert.equal(await letIn(t, service.port), undefined)
  first.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let text = ''
  first.on('data', (part) => {
    text += part
  })
  await once(first, 'close')
  assert.match(text, /^weir_connections 2$/m)
  assert.match(text, /^weir_connections_refused_total 1$/m)
})

test('connectionLimits() leaves handles for the service below the limit of open files', () => {
  const check = (setting: string, openFiles: number, expected: readonly [number, number]) => {
    const config = readConfig({ WEIR_CONNECTIONS_MAX: setting })
    const { connectionsMax, perAddressMax } = connectionLimits(config, openFiles)
    assert.deepEqual([connectionsMax, perAddressMax], expected)
  }
  check('20000', 128, [24, 18])
  check('20000', 1_024, [696, 522])
  check('20000', 1_048_576, [20_000, 2_000])
  check('500', 1_024, [500, 375])
})

test('more connections than handles: puts go on over segment after segment, and after they left', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-handles-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const key = '11111111-2222-3333-4444-555555555555'
  const settings = {
    ...{ WEIR_FEED_KEY: key, WEIR_RATE_LIMITS: 'off', WEIR_LOG_LEVEL: 'info' },
    ...{ WEIR_OWNER_PASSWORD: 'correct horse battery', WEIR_MEMORY_MB: '400' },
  }
  const service = await startChildService(dataDir, settings, undefined, 160)
  t.after(() => service.kill())
  // Nine megabytes of text fill a segment of eight.
  const text = 'x'.repeat(100_000)
  let time = 0
  // One connection, opened before the others: a device that was there first.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const put = async () => {
    const samples = Array.from({ length: 90 }, () => {
      time += 1
      return { compId: 'c', streamId: 's', time, data: text }
    })
    const sent = request(`${service.url}/api/feed?api_key=${key}`, { method: 'PUT', agent })
    sent.end(JSON.stringify(samples))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    assert.equal(answer.statusCode, 200)
  }
  await put()
  const idle = Array.from({ length: 300 }, () => connect(service.port, '127.0.0.1'))
  t.after(() => {
    for (const socket of idle) socket.destroy()
  })
  for (const socket of idle) socket.on('error', () => {})
  await Promise.all(
    idle.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])),
  )
  for (let round = 0; round < 3; round++) await put()
  for (const socket of idle) socket.destroy()
  for (let round = 0; round < 2; round++) await put()
  assert.equal(await service.stop(), 0)
})
