import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChildService } from '../support/child-service.ts'

const FEED_KEY = '11111111-2222-3333-4444-555555555555'
const settings = { WEIR_FEED_KEY: FEED_KEY, WEIR_OWNER_PASSWORD: 'correct horse battery' }

function run(dataDir: string, ...words: string[]): { code: number | null; text: string } {
  const env = { PATH: process.env.PATH, WEIR_DATA_DIR: dataDir, WEIR_PORT: '0' }
  const done = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
  return { code: done.status, text: done.stdout + done.stderr }
}

async function get(url: string): Promise<unknown> {
  return (await fetch(`${url}/api/comp/c/stream/s/feed?api_key=${FEED_KEY}`)).json()
}

async function put(url: string, value: number): Promise<void> {
  const query = `compId=c&s=${value}&time=${value}&api_key=${FEED_KEY}`
  assert.equal((await fetch(`${url}/api/feed?${query}`, { method: 'PUT' })).status, 200)
}

test('a start without samples.db, or with an empty one, is refused until the loss is accepted', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-lost-'))
  const file = join(dataDir, 'samples.db')
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startChildService(dataDir, settings)
  await put(first.url, 1)
  await first.kill()
  // The journal's sample is sealed after this start, so that samples.db holds it alone.
  await (await startChildService(dataDir, settings)).kill()
  renameSync(file, `${file}.away`)
  for (const state of ['missing', 'empty']) {
    if (state === 'empty') writeFileSync(file, '')
    const refused = run(dataDir, 'src/main.ts')
    assert.equal(refused.code, 65, state)
    assert.match(refused.text, /^Cannot start: samples\.db in .* is missing or empty/)
    assert.match(refused.text, /restore it from the backup .* weir -- folder accept-loss/)
    assert.equal(run(dataDir, 'src/weir.ts', 'org', 'list').code, 65)
  }
  renameSync(`${file}.away`, file)
  const restored = await startChildService(dataDir, settings)
  assert.deepEqual(await get(restored.url), [{ time: 1, data: 1 }])
  assert.equal(run(dataDir, 'src/weir.ts', 'folder', 'accept-loss').code, 75)
  await restored.kill()
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
  const accepted = run(dataDir, 'src/weir.ts', 'folder', 'accept-loss')
  assert.deepEqual([accepted.code, accepted.text.split('\n')[0]], [0, 'name  samples.db'])
  assert.equal(run(dataDir, 'src/weir.ts', 'folder', 'accept-loss').text, '(none)\n')
  const after = await startChildService(dataDir, settings)
  await put(after.url, 2)
  assert.match(JSON.stringify(await get(after.url)), /"time":2/)
  await after.kill()
})
