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
import { after, before, test } from 'node:test'
import { lockFolder, openPayloadStore } from '../../../src/store/embedded/index.ts'
import { payloadOf } from '../../contract/payload-store-contract.ts'
import { childEnv } from '../../support/child-env.ts'
import { COMMAND_FILE, SERVICE_FILE } from '../../support/program.ts'
import { startService } from '../../support/service.ts'
import { SharedProcess, type SharedRun, sharedProcess } from '../../support/shared-process.ts'
import type { CommandOutcome } from '../../support/weir-command.ts'

/** The user "nobody". */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const root = mkdtempSync(join(tmpdir(), 'weir-forbidden-'))
const whole = join(root, 'whole')
chmodSync(root, 0o755)

/** What a stopped service has left, with samples and a payload. */
before(async () => {
  const key = '1'.repeat(32)
  const service = await startService({ settings: { WEIR_DATA_DIR: whole, WEIR_FEED_KEY: key } })
  const put = await fetch(`${service.url}/api/feed?compId=c&s=1&api_key=${key}`, { method: 'PUT' })
  assert.equal(put.status, 200, await put.text())
  await service.close()
  const store = await openPayloadStore({ folder: whole })
  await store.put(payloadOf(1)).landed
  await store.close()
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

const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
/** That user has compiled sources of its own: Node keeps them apart. */
const cache = mkdtempSync(join(root, 'cache-'))
chmodSync(cache, 0o777)
const shared = new SharedProcess({ ...user, env: { NODE_COMPILE_CACHE: cache } })

const settingsOf = (folder: string) => ({ WEIR_DATA_DIR: folder, WEIR_PORT: '0' })

function run(folder: string, main: SharedRun['main'], ...words: string[]) {
  return shared.run({ main, words, settings: settingsOf(folder) })
}

function runAlone(folder: string, ...words: string[]): SpawnSyncReturns<string> {
  const env = { ...childEnv, NODE_COMPILE_CACHE: cache, ...settingsOf(folder) }
  return spawnSync(process.execPath, words, { ...user, env, encoding: 'utf8', timeout: 60_000 })
}

/** Where the sources themselves are not for that user, nothing can be reported. */
const hasSources =
  runAlone('', '-e', `require('node:fs').readFileSync('${SERVICE_FILE}')`).status === 0
const skip = !hasSources && 'another user cannot read the sources here'

function checkStart({ code, err }: Omit<CommandOutcome, 'out'>, part: string): void {
  assert.equal(code, 77, err)
  assert.match(err, /^Cannot start: (\S+) cannot be read and written by .*chown -R/)
  assert.equal(/^Cannot start: (\S+)/.exec(err)?.[1], part)
}

for (const name of ['catalog.db', 'payloads.db', 'journal', 'imports']) {
  test(`a start names ${name} and whom it should be for, and ends with 77`, { skip }, async () => {
    const { folder, part } = forbid(name)
    // The first one leaves compiled sources to all others.
    if (name === 'catalog.db') {
      const { status, stderr } = runAlone(folder, SERVICE_FILE)
      checkStart({ code: status, err: stderr }, part)
    } else checkStart(await run(folder, SERVICE_FILE), part)
  })
}

test('accept-loss gives up nothing that is only forbidden', { skip }, async () => {
  const { folder, part } = forbid('journal')
  const { code, err } = await run(folder, COMMAND_FILE, 'folder', 'accept-loss')
  assert.equal(code, 77, err)
  assert.match(err, /cannot be read and written by/)
  if (isRoot) chownSync(part, NOBODY, NOBODY)
  else chmodSync(part, 0o700)
  const again = await run(folder, COMMAND_FILE, 'key', 'list')
  assert.equal(again.code, 0, again.err)
})

const start = (folder: string) =>
  sharedProcess.run({ main: SERVICE_FILE, words: [], settings: settingsOf(folder) })

test('a part in whose place something else is is named by a start, which ends with 65', async () => {
  const folder = join(mkdtempSync(join(root, 'strange-')), 'data')
  cpSync(whole, folder, { recursive: true })
  const kinds = {
    file: ['journal', 'quarantine', 'files/incoming', 'imports'],
    folder: [
      'catalog.db',
      'catalog.db-wal',
      'samples.db',
      'payloads.db',
      'secret.key',
      'lock',
      'progress',
      'reserve',
      'reserve-start',
      'journal/mark',
      'files/mark',
    ],
  }
  const output = (name: string, is: string, belongs: string) =>
    `${join(folder, name)} is a ${is}, where a ${belongs} belongs: take it away, and put back what was there`
  for (const [is, names] of Object.entries(kinds)) {
    for (const name of names) {
      const [part, aside] = [join(folder, name), join(root, 'aside')]
      const wasThere = existsSync(part)
      if (wasThere) renameSync(part, aside)
      if (is === 'file') writeFileSync(part, 'strange')
      else mkdirSync(part)
      const message = output(name, is, is === 'file' ? 'folder' : 'file')
      assert.throws(() => lockFolder(folder), { name: 'FolderDamaged', message })
      rmSync(part, { recursive: true })
      if (wasThere) renameSync(aside, part)
    }
  }
  rmSync(join(folder, 'secret.key'))
  mkdirSync(join(folder, 'secret.key'))
  const { code, err } = await start(folder)
  assert.deepEqual([code, err], [65, `Cannot start: ${output('secret.key', 'folder', 'file')}\n`])
})

test('a start that fails late says why, also where payloads were opened', async () => {
  const folder = join(mkdtempSync(join(root, 'late-')), 'data')
  cpSync(whole, folder, { recursive: true })
  mkdirSync(join(folder, 'weir.sock'))
  const { code, err } = await start(folder)
  assert.equal(code, 1, err)
  assert.match(err, /^Cannot start: .*weir\.sock/)
})
