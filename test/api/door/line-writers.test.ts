/** What programs have sent, as test/programs/line-writers.test.ts has recorded it, sent again. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sendRaw } from '../../support/raw-http.ts'
import { type RecordedRequest, withKey } from '../../support/recording-proxy.ts'
import { startService } from '../../support/service.ts'
import { type StoredSamples, storedSamples } from '../../support/stored-samples.ts'

interface Recording {
  readonly program: string
  readonly requests: readonly RecordedRequest[]
  readonly stored: StoredSamples
}

/** Programs whose points get the time of their arrival. */
const LEAVES_TIMES_OUT = /^python|^node-red 1/

const recordings = readFileSync('test/fixtures/line-writers.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording)

for (const { program, requests, stored } of recordings) {
  test(`what ${program} sends is answered and stored as when it was recorded`, async (t) => {
    const service = await startService()
    t.after(() => service.close())
    for (const request of requests) {
      const bytes = withKey(request, service.feedKey)
      const answer = await sendRaw(service.port, bytes, { isEnding: true })
      assert.equal(answer.status, request.status, answer.text)
    }
    const now = await storedSamples(service, 'greenhouse')
    if (LEAVES_TIMES_OUT.test(program)) assert.deepEqual(valuesOf(now), valuesOf(stored))
    else assert.deepEqual(now, stored)
  })
}

function valuesOf(stored: StoredSamples) {
  return Object.entries(stored).map(([id, samples]) => [id, samples.map(([, data]) => data)])
}
