/** Connections without a credential use up neither file handles nor the places of others. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connectionLimits } from '../../../src/assembly/app-settings.ts'
import { readConfig } from '../../../src/base/index.ts'
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
  assert.match(service.logLines.join(''), /rejecting connections: too many/)
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
