/** Answers that nobody reads hold what the memory budget has for them, and give it back. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { comesTrue } from '../../support/settle.ts'

/** In JSON each takes six bytes. */
const TEXT = '\u0001'.repeat(900_000)
const TEXTS = 8

let service: Service
before(async () => {
  // 44 MB are for calls in flight, of which an answer can have 38.
  service = await startService({ settings: { WEIR_MEMORY_MB: '300' } })
  const data = JSON.stringify(TEXT)
  for (let time = 0; time < TEXTS; time++) {
    const answer = await fetch(`${service.url}/api/feed?api_key=${service.feedKey}`, {
      method: 'PUT',
      body: `[{"compId":"c","streamId":"s","time":${time},"data":${data}}]`,
    })
    assert.equal(answer.status, 200)
  }
})
after(() => service.close())

const pathOf = (query: string) => `/api/comp/c/stream/s/feed?${query}&api_key=${service.feedKey}`

async function usedBytes(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^weir_memory_budget_used_bytes (\d+)$/m.exec(text)?.[1])
}

test('an answer is bounded by its bytes in JSON, not by its characters', async () => {
  const refused = await fetch(service.url + pathOf(`limit=${TEXTS}`))
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /Use a smaller \\"limit\\"/)
  await comesTrue(async () => (await usedBytes()) === 0)
})

test('a long response arrives completely, whichever reader served it, and its memory is released', async () => {
  for (const headers of [{}, { 'content-encoding': 'identity' }]) {
    const answer = await fetch(service.url + pathOf('limit=2'), { headers })
    const samples = (await answer.json()) as Array<{ time: number; data: string }>
    assert.deepEqual(
      samples.map(({ time, data }) => [time, data === TEXT]),
      [
        [TEXTS - 1, true],
        [TEXTS - 2, true],
      ],
    )
    await comesTrue(async () => (await usedBytes()) === 0)
  }
})

test('a long answer on a connection that is closed behind it arrives whole', async () => {
  const answer = await fetch(service.url + pathOf('limit=1'), { headers: { connection: 'close' } })
  assert.ok((await answer.text()).length > 6 * TEXT.length)
})

test('an answer that nobody reads is in the budget until its connection is gone', async () => {
  for (const header of ['', 'TE: trailers\r\n']) {
    const socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${pathOf('limit=6')} HTTP/1.1\r\nHost: x\r\n${header}\r\n`)
    await comesTrue(async () => (await usedBytes()) >= 6 * 6 * TEXT.length)
    socket.destroy()
    await comesTrue(async () => (await usedBytes()) === 0)
  }
})
