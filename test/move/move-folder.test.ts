import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openFolderSource, takeFolderTarget } from '../../src/assembly/open-move-sides.ts'
import { readConfig } from '../../src/base/index.ts'
import { type MoveReport, type MoveTarget, moveEverything } from '../../src/move/index.ts'
import { answersOn, type MovedFolder, makeMovedFolder } from '../support/moved-folder.ts'
import { startServiceOn } from '../support/service-on.ts'

const folders = mkdtempSync(join(tmpdir(), 'weir-move-'))
let moved: MovedFolder

before(async () => {
  moved = await makeMovedFolder(join(folders, 'source'))
})

after(() => rmSync(folders, { recursive: true, force: true }))

const configOf = (dataDir: string) => readConfig({ WEIR_DATA_DIR: dataDir })

/** Moves a folder to another; `wrap` puts faults before the target. */
async function move(
  from: string,
  to: string,
  wrap: (target: MoveTarget) => MoveTarget = (target) => target,
): Promise<MoveReport> {
  await using opened = new AsyncDisposableStack()
  const source = await openFolderSource(configOf(from), opened)
  const folder = await takeFolderTarget(configOf(to), opened)
  const target = wrap(await folder.open())
  return await moveEverything({ source, target, onMoved: () => {} })
}

/** A target that fails at one of its writes, and at all after it. */
function failingAt(target: MoveTarget, count: number): MoveTarget {
  let left = count
  const failing = <T extends object>(store: T, names: readonly (keyof T)[]): T =>
    new Proxy(store, {
      get(of, name) {
        const value = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        const isWrite = names.includes(name as keyof T)
        return (...given: unknown[]) => {
          if (isWrite && --left < 0) throw new Error('interrupted')
          return Reflect.apply(value, of, given)
        }
      },
    })
  return {
    ...target,
    catalog: failing(target.catalog, ['commit']),
    samples: failing(target.samples, ['append', 'appendSpecials', 'remove', 'watch']),
    blobs: failing(target.blobs, ['put']),
    payloads: failing(target.payloads, ['keepWhole']),
  }
}

test('a folder moves to another, both services answer alike, and nothing is derived twice', async () => {
  const to = join(folders, 'whole')
  const report = await move(moved.folder, to)
  assert.deepEqual(report.differing, [])
  assert.ok(report.samples > 9_000 && report.files >= 3 && report.payloads >= 4)
  assert.ok(report.documents > 100 && report.streams > 10)
  copyFileSync(join(moved.folder, 'secret.key'), join(to, 'secret.key'))
  const again = await move(moved.folder, to)
  assert.deepEqual([again.differing, again.copied.samples], [[], 0])
  const there = await answersOn({ ...moved, folder: to })
  const kept = join(folders, 'kept')
  cpSync(moved.folder, kept, { recursive: true })
  assert.deepEqual(there, await answersOn({ ...moved, folder: kept }))
})

test('a move to where secrets are under another key is refused, and changes nothing', async () => {
  const to = join(folders, 'other-key')
  mkdirSync(to, { mode: 0o700 })
  const keyFile = join(to, 'secret.key')
  writeFileSync(keyFile, 'cd'.repeat(32), { mode: 0o600 })
  await assert.rejects(move(moved.folder, to), {
    code: 'conflict',
    message: /encrypted with different keys.*Copy secret\.key of .* to the folder .*other-key/,
  })
  copyFileSync(join(moved.folder, 'secret.key'), keyFile)
  assert.deepEqual((await move(moved.folder, to)).differing, [])
  rmSync(to, { recursive: true })
})

test('a move that is broken off anywhere goes on when it is begun again', async () => {
  for (const count of [1, 30]) {
    const to = join(folders, `broken-${count}`)
    const wrap = (target: MoveTarget) => failingAt(target, count)
    await assert.rejects(move(moved.folder, to, wrap), /interrupted/)
    await assert.rejects(startServiceOn(to), /Run the same "weir move" command again/)
    const report = await move(moved.folder, to)
    assert.deepEqual(report.differing, [], `broken off at write ${count}`)
    rmSync(to, { recursive: true })
  }
})
