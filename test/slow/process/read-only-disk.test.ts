import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { childEnv } from '../../support/child-env.ts'
import { startChildService } from '../../support/child-service.ts'
import { fingerprint } from '../../support/old-folder.ts'

const preload = new URL('../../support/read-only-disk.ts', import.meta.url).href

/** Starts the service, or runs a command, where a path is on a read-only disk. */
function runReadOnly(dataDir: string, readOnly: string, ...words: string[]) {
  const env = { ...childEnv, WEIR_DATA_DIR: dataDir, WEIR_PORT: '0', WEIR_TEST_READ_ONLY: readOnly }
  const args = ['--import', preload, ...words]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

function refuses(dataDir: string, readOnly: string, ...words: string[]): void {
  const { status, stdout, stderr } = runReadOnly(dataDir, readOnly, ...words)
  assert.equal(status, 74, stderr)
  assert.match(stderr, /^Cannot [^\n]+ is on a read-only disk: mount it for writing[^\n]+\n$/)
  assert.ok(stderr.includes(readOnly), stderr)
  assert.equal(stdout, '')
}

test('a start on a read-only disk exits with 74 and one sentence, and changes nothing', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'weir-read-only-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const missing = join(root, 'missing')
  refuses(missing, root, 'src/main.ts')
  refuses(join(missing, 'deep'), root, 'src/main.ts')
  assert.equal(existsSync(missing), false)
  const empty = join(root, 'empty')
  mkdirSync(empty, { mode: 0o700 })
  refuses(empty, empty, 'src/main.ts')
  assert.deepEqual(fingerprint(empty), {})
  const dataDir = join(root, 'data')
  const service = await startChildService(dataDir, {})
  assert.equal(await service.stop(), 0)
  const before = fingerprint(dataDir)
  refuses(dataDir, dataDir, 'src/main.ts')
  // Parts may be links to other disks.
  const parts = ['lock', 'catalog.db', 'samples.db', 'progress', 'reserve', 'journal', 'files']
  for (const name of parts) refuses(dataDir, join(dataDir, name), 'src/main.ts')
  writeFileSync(join(dataDir, 'payloads.db'), '')
  refuses(dataDir, join(dataDir, 'payloads.db'), 'src/main.ts')
  rmSync(join(dataDir, 'payloads.db'))
  refuses(dataDir, dataDir, 'src/weir.ts', 'org', 'list')
  assert.deepEqual(fingerprint(dataDir), before)
})
