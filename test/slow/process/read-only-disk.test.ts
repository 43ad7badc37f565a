import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { childEnv } from '../../support/child-env.ts'
import { fingerprint } from '../../support/old-folder.ts'
import { COMMAND_FILE, SERVICE_FILE } from '../../support/program.ts'
import { startService } from '../../support/service.ts'
import { SharedProcess, type SharedRun } from '../../support/shared-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { CommandOutcome } from '../../support/weir-command.ts'

const preload = new URL('../../support/read-only-disk.ts', import.meta.url).href

const shared = new SharedProcess({ execArgv: ['--import', preload] })

function checkRefusal({ code, out, err }: CommandOutcome, readOnly: string): void {
  assert.equal(code, 74, err)
  assert.match(err, /^Cannot [^\n]+ is on a read-only disk: mount it for writing[^\n]+\n$/)
  assert.ok(err.includes(readOnly), err)
  assert.equal(out, '')
}

const settingsOf = (dataDir: string, readOnly: string) => ({
  WEIR_DATA_DIR: dataDir,
  WEIR_PORT: '0',
  WEIR_TEST_READ_ONLY: readOnly,
})

/** Starts the service, or runs a command, where a path is on a read-only disk. */
async function refuses(
  dataDir: string,
  readOnly: string,
  main: SharedRun['main'],
  ...words: string[]
): Promise<void> {
  checkRefusal(await shared.run({ main, words, settings: settingsOf(dataDir, readOnly) }), readOnly)
}

test('a start on a read-only disk exits with 74 and one sentence, and changes nothing', async () => {
  const root = temporaryFolder()
  const missing = join(root, 'missing')
  await refuses(missing, root, SERVICE_FILE)
  await refuses(join(missing, 'deep'), root, SERVICE_FILE)
  assert.equal(existsSync(missing), false)
  const empty = join(root, 'empty')
  mkdirSync(empty, { mode: 0o700 })
  await refuses(empty, empty, SERVICE_FILE)
  assert.deepEqual(fingerprint(empty), {})
  const dataDir = join(root, 'data')
  await (await startService({ settings: { WEIR_DATA_DIR: dataDir } })).close()
  const before = fingerprint(dataDir)
  const alone = spawnSync(process.execPath, ['--import', preload, SERVICE_FILE], {
    env: { ...childEnv, ...settingsOf(dataDir, dataDir) },
    encoding: 'utf8',
  })
  checkRefusal({ code: alone.status, out: alone.stdout, err: alone.stderr }, dataDir)
  // Parts may be links to other disks.
  const parts = ['lock', 'catalog.db', 'samples.db', 'progress', 'reserve', 'journal', 'files']
  for (const name of parts) await refuses(dataDir, join(dataDir, name), SERVICE_FILE)
  writeFileSync(join(dataDir, 'payloads.db'), '')
  await refuses(dataDir, join(dataDir, 'payloads.db'), SERVICE_FILE)
  rmSync(join(dataDir, 'payloads.db'))
  await refuses(dataDir, dataDir, COMMAND_FILE, 'org', 'list')
  assert.deepEqual(fingerprint(dataDir), before)
})
