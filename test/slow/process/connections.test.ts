/** Anyone who opens connections without a credential takes none of the handles that the service needs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startChildService } from '../../support/child-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('more connections than handles: puts go on over segment after segment, and after they left', async (t) => {
  const dataDir = temporaryFolder()
  const key = '11111111-2222-3333-4444-555555555555'
  const settings = {
    WEIR_FEED_KEY: key,
    WEIR_RATE_LIMITS: 'off',
    WEIR_LOG_LEVEL: 'info',
    WEIR_OWNER_PASSWORD: 'correct horse battery',
    WEIR_MEMORY_MB: '400',
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
  for (let round = 0; round < 2; round++) await put()
  for (const socket of idle) socket.destroy()
  await put()
  assert.equal(await service.stop(), 0)
})
