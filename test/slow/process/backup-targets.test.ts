/** Targets to which no backup can be written, and places to which none can be restored. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openApp } from '../../../src/app.ts'
import { createLog, readConfig } from '../../../src/base/index.ts'
import { runWeir } from '../../support/weir-command.ts'

const home = mkdtempSync(join(tmpdir(), 'weir-targets-'))
const [data, backup] = [join(home, 'data'), join(home, 'backup')]
before(async () => {
  const log = createLog({ level: 'silent' })
  const app = await openApp(readConfig({ WEIR_DATA_DIR: data, WEIR_PORT: '0' }), { log })
  await app.close()
  assert.equal((await runWeir(data, 'backup', backup)).code, 0)
})
after(() => rmSync(home, { recursive: true, force: true }))

test('a file in the place of a folder is named in one sentence, and stays', async () => {
  const file = join(home, 'note')
  writeFileSync(file, 'mine')
  const commands = [
    ['backup', file],
    ['backup', join(file, 'below')],
    ['backup', join(file, 'below.tar')],
    ['restore', backup, '--to', file],
    ['restore', backup, '--to', join(file, 'below')],
  ]
  for (const words of commands) {
    const { code, err } = await runWeir(data, ...words)
    assert.equal(code, 1, words.join(' '))
    assert.match(err, /^.*note.* is a file or lies below one: name a folder\n$/)
    assert.equal(readFileSync(file, 'utf8'), 'mine')
  }
})

test('a target without a name is a wrong command line', async () => {
  for (const words of [
    ['backup', ''],
    ['restore', ''],
  ])
    assert.equal((await runWeir(data, ...words)).code, 64, words[0])
})

test('a read-only target exits with 74', async (t) => {
  const disk = mkdtempSync(join(tmpdir(), 'weir-targets-disk-'))
  t.after(() => {
    spawnSync('umount', ['-l', disk])
    rmdirSync(disk)
  })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=2m', 'tmpfs', disk])
  if (mounted.status !== 0) return t.skip('no file system can be mounted here')
  for (const words of [
    ['backup', join(disk, 'backup')],
    ['backup', join(disk, 'deep/down/backup.tar')],
    ['restore', backup, '--to', join(disk, 'data')],
  ]) {
    const { code, err } = await runWeir(data, ...words)
    assert.match(
      err,
      /^(?:Backup failed\. The incomplete backup was|Restore failed\. The incomplete data folder was) removed: .* read-only (?:file system|disk).*\n$/,
    )
    assert.equal(code, 74)
  }
})
