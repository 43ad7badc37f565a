import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tightenFolder } from './tighten-folder.ts'

const skip = process.geteuid === undefined ? 'no such permissions here' : false

function makeFolder(t: TestContext, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tighten-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'journal'))
  for (const name of ['catalog.db', 'secret.key']) writeFileSync(join(folder, name), 'x')
  const modes = { 'catalog.db': 0o666, 'secret.key': 0o640, journal: 0o775 }
  for (const [name, one] of Object.entries(modes)) chmodSync(join(folder, name), one)
  chmodSync(folder, mode)
  return folder
}

const modeOf = (...path: string[]) => statSync(join(...path)).mode & 0o777

test('tightenFolder() takes an open folder and what is in it away from others', { skip }, (t) => {
  for (const mode of [0o777, 0o755, 0o770, 0o701]) {
    const folder = makeFolder(t, mode)
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

test('tightenFolder() leaves reading by a group alone, but for the key file', { skip }, (t) => {
  const folder = makeFolder(t, 0o750)
  const path = join(folder, 'secret.key')
  assert.deepEqual(tightenFolder(folder), [{ path, mode: '640', isTightened: true }])
  assert.equal(modeOf(folder), 0o750)
  assert.equal(modeOf(path), 0o600)
})

test('tightenFolder() tells of what belongs to another user and does not touch it', {
  skip,
}, (t) => {
  const folder = makeFolder(t, 0o777)
  const found = tightenFolder(folder, statSync(folder).uid + 1)
  assert.deepEqual(found[0], { path: folder, mode: '777', isTightened: false })
  assert.equal(modeOf(folder), 0o777)
})

test('tightenFolder() follows no link out of the folder', { skip }, (t) => {
  const outside = makeFolder(t, 0o755)
  const folder = makeFolder(t, 0o777)
  symlinkSync(outside, join(folder, 'files'))
  tightenFolder(folder)
  assert.equal(modeOf(folder), 0o700)
  assert.equal(modeOf(outside), 0o755)
})

test('tightenFolder() of a folder that is not there yet finds nothing', { skip }, (t) => {
  assert.deepEqual(tightenFolder(join(makeFolder(t, 0o700), 'missing')), [])
})
