/** What programs have sent, as line-writers.test.ts and metric-writers.test.ts of test/programs recorded it, sent again. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sendRaw } from '../../support/raw-http.ts'
import { type Recording, withKey } from '../../support/recording-proxy.ts'
import { startService } from '../../support/service.ts'
import { type StoredSamples, storedSamples } from '../../support/stored-samples.ts'

/** Programs whose points get the time of their arrival. */
const LEAVES_TIMES_OUT = /^python|^node-red 1/

const recordings = ['line-writers', 'metric-writers'].flatMap((name) =>
  readFileSync(`test/fixtures/${name}.jsonl`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording),
)

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
