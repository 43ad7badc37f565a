import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openSampleStore } from '../../../src/store/embedded/index.ts'
import { childEnv } from '../../support/child-env.ts'
import { startChildService } from '../../support/child-service.ts'
import { COMMAND_FILE, SERVICE_FILE } from '../../support/program.ts'
import { startService } from '../../support/service.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { type SharedRun, sharedProcess } from '../../support/shared-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const FEED_KEY = '11111111-2222-3333-4444-555555555555'
const settings = { WEIR_FEED_KEY: FEED_KEY, WEIR_OWNER_PASSWORD: 'correct horse battery' }

/** Starts the service, which must be refused, or runs a command. */
async function run(
  dataDir: string,
  main: SharedRun['main'],
  ...words: string[]
): Promise<{ code: number | null; text: string }> {
  const settings = { WEIR_DATA_DIR: dataDir, WEIR_PORT: '0' }
  const { code, out, err } = await sharedProcess.run({ main, words, settings })
  return { code, text: out + err }
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
  const first = await startServiceOn(dataDir, settings)
  await put(first.url, 1)
  await first.close()
  // Afterwards samples.db alone holds the sample.
  const store = await openSampleStore({ folder: dataDir })
  await store.sealAll()
  await store.close()
  // A log of samples.db is left beside it.
  await (await startChildService(dataDir, settings)).kill()
  renameSync(file, `${file}.away`)
  for (const state of ['missing', 'empty']) {
    if (state === 'empty') writeFileSync(file, '')
    const refused = await run(dataDir, SERVICE_FILE)
    assert.equal(refused.code, 65, state)
    assert.match(refused.text, /^Cannot start: samples\.db in .* is missing or empty/)
    assert.match(refused.text, /restore it from the backup .* with "weir folder accept-loss"/)
    assert.equal((await run(dataDir, COMMAND_FILE, 'org', 'list')).code, 65)
  }
  renameSync(`${file}.away`, file)
  const restored = await startServiceOn(dataDir, settings)
  assert.deepEqual(await get(restored.url), [{ time: 1, data: 1 }])
  assert.equal((await run(dataDir, COMMAND_FILE, 'folder', 'accept-loss')).code, 75)
  await restored.close()
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
  const accepted = await run(dataDir, COMMAND_FILE, 'folder', 'accept-loss')
  assert.deepEqual([accepted.code, accepted.text.split('\n')[0]], [0, 'name  samples.db'])
  assert.equal((await run(dataDir, COMMAND_FILE, 'folder', 'accept-loss')).text, '(none)\n')
  const after = await startServiceOn(dataDir, settings)
  await put(after.url, 2)
  assert.match(JSON.stringify(await get(after.url)), /"time":2/)
  await after.close()
})

test('damage, a downgrade and too few file handles are reported in one sentence, with a fitting exit code', async () => {
  const dataDir = temporaryFolder()
  await (await startService({ settings: { WEIR_DATA_DIR: dataDir } })).close()
  const file = join(dataDir, 'catalog.db')
  const sentence = async (code: number, text: RegExp): Promise<void> => {
    const refused = await run(dataDir, SERVICE_FILE)
    assert.equal(refused.code, code, refused.text)
    assert.match(refused.text, text)
    assert.doesNotMatch(refused.text, /\n {4}at /)
  }
  const change = (sql: string): void => {
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
  }
  const limited = spawnSync(
    'sh',
    ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, SERVICE_FILE],
    {
      env: { ...childEnv, WEIR_DATA_DIR: dataDir, WEIR_PORT: '0' },
      encoding: 'utf8',
    },
  )
  assert.equal(limited.status, 71, limited.stderr)
  assert.match(
    limited.stderr,
    /^Cannot start: this process can open 64 files but needs at least \d+/,
  )
  change('PRAGMA user_version = 99')
  await sentence(65, /^Cannot start: catalog\.db has format 99 .* later Weir/)
  change('PRAGMA user_version = 2')
  await sentence(65, /^Cannot start: catalog\.db has format 2 .* start commit \w+ of Weir once/)
  change('PRAGMA user_version = 9')
  await sentence(65, /^Cannot start: catalog\.db in .* is damaged/)
  change('PRAGMA user_version = 11; UPDATE scope SET crc = crc + 1')
  await sentence(65, /^Cannot start: catalog\.db in .* is damaged .*does not check/)
  change('UPDATE scope SET crc = crc - 1')
  change(`UPDATE document SET revision = revision + 1 WHERE kind = 'organization'`)
  await sentence(65, /^Cannot start: The catalog is damaged: organization .* does not check/m)
  change(`UPDATE document SET revision = revision - 1 WHERE kind = 'organization'`)
  writeFileSync(join(dataDir, 'secret.key'), 'short\n')
  await sentence(65, /^Cannot start: .*secret\.key must hold 64 hex digits/m)
})
