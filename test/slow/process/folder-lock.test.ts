import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FolderInUse, lockFolder } from '../../../src/store/embedded/folder/folder-lock.ts'
import { openKeyFile } from '../../../src/store/embedded/folder/key-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const home = temporaryFolder()

test('lockFolder() keeps others out until it is released', () => {
  const folder = join(home, 'a', 'b')
  const lock = lockFolder(folder)
  assert.throws(() => lockFolder(folder), FolderInUse)
  lock.release()
  lockFolder(folder).release()
  assert.equal(statSync(folder).mode & 0o777, 0o700)
})

test('lockFolder() gives the folder of a process that was killed', async () => {
  const folder = join(home, 'killed')
  const script = `import { lockFolder } from '${import.meta.resolve('../../../src/store/embedded/folder/folder-lock.ts')}'
    lockFolder(${JSON.stringify(folder)})
    globalThis.gc()
    console.log('held')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  assert.throws(() => lockFolder(folder), FolderInUse)
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
  lockFolder(folder).release()
})

test('openKeyFile() makes a key once, for its user alone, and refuses one that is broken', () => {
  const key = openKeyFile(home)
  assert.equal(key.byteLength, 32)
  assert.deepEqual(openKeyFile(home), key)
  const file = join(home, 'secret.key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  writeFileSync(file, 'half a key')
  assert.throws(() => openKeyFile(home), /must hold 64 hex digits/)
})

test('openKeyFile() gives a key of an earlier version its checksum, and refuses a changed digit', () => {
  const home = temporaryFolder()
  const file = join(home, 'secret.key')
  const digits = 'ab'.repeat(32)
  writeFileSync(file, `${digits}\n`)
  assert.equal(Buffer.from(openKeyFile(home)).toString('hex'), digits)
  const [kept, check] = readFileSync(file, 'utf8').split('\n')
  assert.equal(kept, digits)
  assert.match(check, /^[0-9a-f]{8}$/)
  assert.equal(Buffer.from(openKeyFile(home)).toString('hex'), digits)
  writeFileSync(file, `${digits.replace(/b$/, 'c')}\n${check}\n`)
  assert.throws(() => openKeyFile(home), /secret\.key does not check/)
})
