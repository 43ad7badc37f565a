import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { tightenFolder } from './tighten-folder.ts'

const skip = process.geteuid === undefined ? 'no such permissions here' : false

function makeFolder(mode: number): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'journal'))
  for (const name of ['catalog.db', 'secret.key']) writeFileSync(join(folder, name), 'x')
  const modes = { 'catalog.db': 0o666, 'secret.key': 0o640, journal: 0o775 }
  for (const [name, one] of Object.entries(modes)) chmodSync(join(folder, name), one)
  chmodSync(folder, mode)
  return folder
}

const modeOf = (...path: string[]) => statSync(join(...path)).mode & 0o777

test('tightenFolder() takes an open folder and what is in it away from others', { skip }, () => {
  for (const mode of [0o777, 0o755, 0o770, 0o701]) {
    const folder = makeFolder(mode)
    const found = tightenFolder(folder)
    assert.deepEqual(found[0], { path: folder, mode: mode.toString(8), isTightened: true })
    assert.equal(found.length, 4)
    assert.deepEqual(
      [folder, ...['catalog.db', 'secret.key', 'journal'].map((name) => join(folder, name))].map(
        (path) => modeOf(path),
      ),
      [0o700, 0o600, 0o600, 0o700],
    )
    assert.deepEqual(tightenFolder(folder), [])
  }
})

test('tightenFolder() leaves reading by a group alone, but for the key file', { skip }, () => {
  const folder = makeFolder(0o750)
  const path = join(folder, 'secret.key')
  assert.deepEqual(tightenFolder(folder), [{ path, mode: '640', isTightened: true }])
  assert.equal(modeOf(folder), 0o750)
  assert.equal(modeOf(path), 0o600)
})

test('tightenFolder() lists the files of another user and does not touch it', {
  skip,
}, () => {
  const folder = makeFolder(0o777)
  const found = tightenFolder(folder, statSync(folder).uid + 1)
  assert.deepEqual(found[0], { path: folder, mode: '777', isTightened: false })
  assert.equal(modeOf(folder), 0o777)
})

test('tightenFolder() follows no link out of the folder', { skip }, () => {
  const outside = makeFolder(0o755)
  const folder = makeFolder(0o777)
  symlinkSync(outside, join(folder, 'files'))
  tightenFolder(folder)
  assert.equal(modeOf(folder), 0o700)
  assert.equal(modeOf(outside), 0o755)
})

test('tightenFolder() of a folder that is not there yet finds nothing', { skip }, () => {
  assert.deepEqual(tightenFolder(join(makeFolder(0o700), 'missing')), [])
})
