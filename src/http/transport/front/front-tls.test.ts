import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { connect } from 'node:tls'
import { ManualClock, MemoryBudget } from '../../../base/index.ts'
import { PaceWatch } from '../pace-watch.ts'
import { openFront } from './front.ts'
import { SilenceWatch } from './silence-watch.ts'

const cert = readFileSync(resolve('test/fixtures/localhost-cert.pem'))
const key = readFileSync(resolve('test/fixtures/localhost-key.pem'))

/** What a connection may hold unasked. */
const FREE_BYTES = 4 * 1024

test('what is sent ahead over TLS is in the budget with what Node reads of a paused socket', async (t) => {
  const server = createServer({ cert, key })
  const clock = new ManualClock(0)
  const [arrivals, departures] = [new PaceWatch(clock), new PaceWatch(clock)]
  const silences = new SilenceWatch(120_000)
  const budget = new MemoryBudget(32 * 1024 * 1024)
  let served: Socket | undefined
  const front = openFront(server, 'secureConnection', {
    keepAliveMs: 75_000,
    silences,
    arrivals,
    departures,
    budget,
    // Never answered: whatever follows has to wait.
    serve: ({ socket }) => {
      served = socket
    },
    findServe: () => () => {},
    expect: () => true,
    abandon: () => {},
    admit: () => () => {},
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const client = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: cert })
  client.on('error', () => {})
  t.after(() => {
    client.destroy()
    front.closeAllConnections()
    server.close()
    arrivals.close()
    departures.close()
  })
  const call = 'GET /api/comp/c/feed HTTP/1.1\r\nHost: x\r\n\r\n'
  client.write(call.repeat(20_000))
  while (served === undefined || served.readableLength < 16 * 1024) await nextIteration()
  for (let round = 0; round < 100; round += 1) {
    const held: number = served.readableLength
    const { usedBytes } = budget.figures
    assert.ok(usedBytes + FREE_BYTES >= held, `${held} bytes are held, ${usedBytes} counted`)
    await nextIteration()
  }
})
