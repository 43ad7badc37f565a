/** A data folder, or a part of it, that is not for the user of the service, as after a restore by another. */
import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { lockFolder, openPayloadStore } from '../../../src/store/embedded/index.ts'
import { payloadOf } from '../../contract/payload-store-contract.ts'
import { childEnv } from '../../support/child-env.ts'
import { startChildService } from '../../support/child-service.ts'

/** The user "nobody". */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const root = mkdtempSync(join(tmpdir(), 'weir-forbidden-'))
const whole = join(root, 'whole')

/** What a stopped service has left, with samples and a payload. */
before(async () => {
  const service = await startChildService(whole, { WEIR_FEED_KEY: '1'.repeat(32) })
  const key = '1'.repeat(32)
  const put = await fetch(`${service.url}/api/feed?compId=c&s=1&api_key=${key}`, { method: 'PUT' })
  assert.equal(put.status, 200, await put.text())
  await service.stop()
  const store = await openPayloadStore({ folder: whole })
  await store.put(payloadOf(1)).landed
  await store.close()
  chmodSync(root, 0o755)
})
/** Folders that nobody may look into could not be removed either. */
const forbidden: string[] = []
after(() => {
  for (const part of forbidden) chmodSync(part, 0o700)
  rmSync(root, { recursive: true, force: true })
})

/** A copy for the user that `run` runs as, of which a part is not. */
function forbid(name: string): { folder: string; part: string } {
  const folder = join(mkdtempSync(join(root, 'copy-')), 'data')
  chmodSync(join(folder, '..'), 0o755)
  cpSync(whole, folder, { recursive: true })
  const part = join(folder, name)
  forbidden.push(part)
  if (isRoot) {
    assert.equal(spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]).status, 0)
    chownSync(part, 0, 0)
    chmodSync(part, statSync(part).mode & 0o700)
  } else chmodSync(part, 0)
  return { folder, part }
}

function run(folder: string, ...words: string[]): SpawnSyncReturns<string> {
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const env = { ...childEnv, NODE_COMPILE_CACHE: '', WEIR_DATA_DIR: folder, WEIR_PORT: '0' }
  return spawnSync(process.execPath, words, { ...user, env, encoding: 'utf8', timeout: 60_000 })
}

/** Where the sources themselves are not for that user, nothing can be told. */
function skipsWithoutSources(t: TestContext): boolean {
  if (run('', '-e', "require('node:fs').readFileSync('src/main.ts')").status === 0) return false
  t.skip('another user cannot read the sources here')
  return true
}

for (const name of ['catalog.db', 'payloads.db', 'journal', 'imports']) {
  test(`a start names ${name} and whom it should be for, and ends with 77`, (t) => {
    if (skipsWithoutSources(t)) return
    const { folder, part } = forbid(name)
    const { status, stderr } = run(folder, 'src/main.ts')
    assert.equal(status, 77, stderr)
    assert.match(stderr, /^Cannot start: (\S+) cannot be read and written by .*chown -R/)
    assert.equal(/^Cannot start: (\S+)/.exec(stderr)?.[1], part)
  })
}

test('accept-loss gives up nothing that is only forbidden', (t) => {
  if (skipsWithoutSources(t)) return
  const { folder, part } = forbid('journal')
  const { status, stderr } = run(folder, 'src/weir.ts', 'folder', 'accept-loss')
  assert.equal(status, 77, stderr)
  assert.match(stderr, /cannot be read and written by/)
  if (isRoot) chownSync(part, NOBODY, NOBODY)
  else chmodSync(part, 0o700)
  const again = run(folder, 'src/weir.ts', 'key', 'list')
  assert.equal(again.status, 0, again.stderr)
})

test('a part in whose place something else is is named by a start, which ends with 65', () => {
  const folder = join(mkdtempSync(join(root, 'strange-')), 'data')
  cpSync(whole, folder, { recursive: true })
  const kinds = {
    file: ['journal', 'quarantine', 'files/incoming', 'imports'],
    folder: [
      ...['catalog.db', 'catalog.db-wal', 'samples.db', 'payloads.db', 'secret.key', 'lock'],
      ...['progress', 'reserve', 'reserve-start', 'journal/mark', 'files/mark'],
    ],
  }
  const told = (name: string, is: string, belongs: string) =>
    `${join(folder, name)} is a ${is}, where a ${belongs} belongs: take it away, and put back what was there`
  for (const [is, names] of Object.entries(kinds)) {
    for (const name of names) {
      const [part, aside] = [join(folder, name), join(root, 'aside')]
      const wasThere = existsSync(part)
      if (wasThere) renameSync(part, aside)
      if (is === 'file') writeFileSync(part, 'strange')
      else mkdirSync(part)
      const message = told(name, is, is === 'file' ? 'folder' : 'file')
      assert.throws(() => lockFolder(folder), { name: 'FolderDamaged', message })
      rmSync(part, { recursive: true })
      if (wasThere) renameSync(aside, part)
    }
  }
  rmSync(join(folder, 'secret.key'))
  mkdirSync(join(folder, 'secret.key'))
  const env = { ...childEnv, WEIR_DATA_DIR: folder, WEIR_PORT: '0' }
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], { env, encoding: 'utf8' })
  assert.deepEqual(
    [status, stderr],
    [65, `Cannot start: ${told('secret.key', 'folder', 'file')}\n`],
  )
})

test('a start that fails late says why, also where payloads were opened', () => {
  const folder = join(mkdtempSync(join(root, 'late-')), 'data')
  cpSync(whole, folder, { recursive: true })
  mkdirSync(join(folder, 'weir.sock'))
  const env = { ...childEnv, WEIR_DATA_DIR: folder, WEIR_PORT: '0' }
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], { env, encoding: 'utf8' })
  assert.equal(status, 1, stderr)
  assert.match(stderr, /^Cannot start: .*weir\.sock/)
})
