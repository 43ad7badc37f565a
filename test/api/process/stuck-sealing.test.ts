/** A samples.db that is taken away under a running service: nothing acknowledged is sealed into another. */
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { EmbeddedSampleStore } from '../../../src/store/embedded/index.ts'
import { startService } from '../../support/service.ts'
import { eventually, settlesTo } from '../../support/settle.ts'

for (const isFirst of [true, false]) {
  const when = isFirst ? 'before anything was sealed' : 'later'
  test(`samples stay in the journal while samples.db is away, ${when}, and are sealed when it is back`, (t) =>
    takeAway(t, isFirst))
}

async function takeAway(t: TestContext, isFirst: boolean): Promise<void> {
  const opened: EmbeddedSampleStore[] = []
  const service = await startService({
    async wrapSamples(store) {
      opened.push(store as EmbeddedSampleStore)
      return store
    },
  })
  t.after(() => service.close())
  const [samples] = opened
  const url = `${service.url}/api/feed?compId=c&s=7&api_key=${service.feedKey}`
  if (!isFirst) await samples.sealAll()
  assert.equal((await fetch(url, { method: 'PUT' })).status, 200)
  const file = join(service.dataDir, 'samples.db')
  renameSync(file, `${file}.away`)
  await assert.rejects(samples.sealAll(), /samples\.db is gone since the start/)
  const ready = async () => await (await fetch(`${service.url}/readyz`)).json()
  const stays = 'samples: cannot be sealed and stay in the journal. See the log for the reason'
  assert.deepEqual(await ready(), { status: 'ready', details: [stays] })
  const lines = service.logLines.filter((line) => line.includes('samples cannot be sealed'))
  assert.equal(lines.length, 1, lines.join(''))
  assert.match(lines[0], /is gone since the start: put back what was there/)
  assert.ok(samples.figures.backlog > 0)
  // It is tried again by itself.
  renameSync(`${file}.away`, file)
  await eventually(() => assert.equal(samples.figures.backlog, 0))
  await settlesTo(ready, { status: 'ready' })
  const path = `${service.url}/api/comp/c/stream/s/last_value?api_key=${service.feedKey}`
  assert.match(await (await fetch(path)).text(), /"data":7\b/)
}
