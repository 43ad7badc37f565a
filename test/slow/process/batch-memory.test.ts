import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ChildService } from '../../support/child-service.ts'
import { putBody, startReportedMb } from '../../support/million-puts.ts'

const KEY = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const MB = 1024 * 1024
/** So long a call waits for memory. */
const WAIT_MS = 20_000

let service: ChildService
let url: string
before(async () => {
  service = await startReportedMb(400, KEY)
  url = `${service.url}/api/feed?api_key=${KEY}`
})
after(() => service?.kill())

async function lastValue(compId: string): Promise<string> {
  const path = `/api/comp/${compId}/stream/s/last_value?api_key=${KEY}`
  return await (await fetch(`${service.url}${path}`)).text()
}

/** One sample in the batch form, with `bytes` blanks after `beginning`. */
function batchOf(compId: string, bytes: number, beginning: string): Buffer {
  const stream = { streamId: 's', time: [1_700_000_000_000], data: [7] }
  const text = JSON.stringify({ feed: { component: [{ componentId: compId, stream: [stream] }] } })
  const rest = text.slice(beginning.trimStart().length)
  return Buffer.concat([Buffer.from(beginning), Buffer.alloc(bytes, ' '), Buffer.from(rest)])
}

test('a batch that leaves no memory to the thread that reads it is a 413, and the service goes on', async () => {
  // From 62 MB on a thread would have less than it needs to start; from 72 on the body itself is too long.
  for (const megabytes of [63, 71.5, 73]) {
    for (const beginning of ['{', ' ']) {
      const body = batchOf('long', Math.floor(megabytes * MB), beginning)
      assert.equal((await putBody(url, body)).status, 413, `${megabytes} MB`)
    }
  }
  const packed = gzipSync(batchOf('long', 71.5 * MB, '{'), { level: 1 })
  const answer = await fetch(url, {
    method: 'PUT',
    body: packed,
    headers: { 'Content-Encoding': 'gzip' },
  })
  assert.ok([400, 413].includes(answer.status), await answer.text())
  assert.equal((await putBody(url, batchOf('short', 2 * MB, '{'))).status, 200)
  assert.match(await lastValue('short'), /7/)
})

test('batches of some megabytes wait for each other, however many come at once', async () => {
  const components = Array.from({ length: 8 }, (_, at) => `c${at}`)
  const put = async (compId: string): Promise<void> => {
    const body = batchOf(compId, 10 * MB, '{')
    for (;;) {
      const sentAt = performance.now()
      const { status } = await putBody(url, body)
      if (status === 200) return
      // On a machine that stands still each may have to wait for as long as calls do.
      assert.equal(status, 503)
      assert.ok(performance.now() - sentAt >= WAIT_MS, 'it has had its time to wait')
    }
  }
  await Promise.all(components.map(put))
  for (const compId of components) assert.match(await lastValue(compId), /7/)
})
