// Alone: it may turn on the cache of compiled code in its process.
import assert from 'node:assert/strict'
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileAhead, NOBODY } from '../../../src/sql/run/runner-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('compileAhead() keeps the code of runners under their own flags of V8, for user nobody too', async () => {
  if (getCompileCacheDir() === undefined) enableCompileCache(temporaryFolder())
  const folder = (await compileAhead(77)) ?? ''
  assert.notEqual(folder, getCompileCacheDir())
  const files = readdirSync(folder)
  assert.ok(files.length > 50, `${files.length} files`)
  if (process.getuid?.() !== 0) return
  assert.equal(statSync(join(folder, files[0])).mode & 0o777, 0o644)
  assert.equal(readlinkSync(folder.replace(/-0$/, `-${NOBODY}`)), folder)
})
