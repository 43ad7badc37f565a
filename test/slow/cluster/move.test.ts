import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ClusterPlace } from '../../../src/assembly/open-cluster-stores.ts'
import { lockFolder, openSampleStore } from '../../../src/store/embedded/index.ts'
import { answersOn, type MovedFolder, makeMovedFolder } from '../../support/moved-folder.ts'
import { batch } from '../../support/samples.ts'
import { startService } from '../../support/service.ts'
import { startServiceOn } from '../../support/service-on.ts'
import {
  clusterServiceSettings,
  clusterSkip,
  dropTestCluster,
  testClusterPlace,
} from '../../support/test-cluster.ts'
import { type CommandOutcome, runWeirWith, startWeir } from '../../support/weir-command.ts'

const skip = clusterSkip()
const folders = mkdtempSync(join(tmpdir(), 'weir-move-'))
let moved: MovedFolder
let cluster: ClusterPlace
let settings: Record<string, string>

before(async () => {
  if (skip) return
  cluster = await testClusterPlace('move')
  const { WEIR_STORE: _, ...places } = clusterServiceSettings(cluster)
  settings = { ...places, WEIR_CASSANDRA_DATACENTER: cluster.cassandra.dataCentre }
  moved = await makeMovedFolder(join(folders, 'source'))
})

after(async () => {
  rmSync(folders, { recursive: true, force: true })
  if (skip === false) await dropTestCluster(cluster)
})

/** Runs `weir move`. Returns its JSON output. */
async function move(folder: string, to: string, more: Record<string, string> = {}) {
  const given = { ...settings, ...more, WEIR_DATA_DIR: folder }
  return resultOf(await runWeirWith(given, 'move', '--to', to, '--json'))
}

function resultOf({ code, out, err }: CommandOutcome) {
  if (out === '') return { code, message: err, result: undefined }
  const { message, result } = JSON.parse(out)
  return { code, message, result }
}

/** Kills a move when it reports its first samples. */
async function killMove(folder: string, to: string): Promise<void> {
  const { child, done } = startWeir(folder, ['move', '--to', to], settings)
  child.stderr?.on('data', (part: Buffer) => {
    if (part.toString().includes('moving samples')) child.kill('SIGKILL')
  })
  const { code, err } = await done
  // On a machine that lets this process wait, it may end before the kill.
  assert.ok(code === null || code === 0, err)
  assert.match(err, /moving samples: \d+ of \d+ streams of \d+, \d+ a second/)
}

test('a folder moves to a cluster over a kill, and back over another, and services answer alike', {
  skip,
}, async () => {
  await killMove(moved.folder, 'cluster')
  const there = await move(moved.folder, 'cluster', {})
  assert.equal(there.code, 0, there.message)
  const {
    from: _from,
    to: _to,
    copied: _copied,
    samplesPerSecond: _rate,
    key,
    ...counts
  } = there.result
  assert.match(key, /secret\.key/)
  assert.ok(counts.samples > 9_000 && counts.files >= 3 && counts.payloads >= 4)
  assert.equal(counts.differing, 0)
  const back = join(folders, 'back')
  await killMove(back, 'folder')
  const returned = await move(back, 'folder')
  assert.equal(returned.code, 0, returned.message)
  assert.deepEqual({ ...returned.result, ...counts }, returned.result)
  const otherKey = join(folders, 'other-key')
  mkdirSync(otherKey, { mode: 0o700 })
  writeFileSync(join(otherKey, 'secret.key'), 'cd'.repeat(32), { mode: 0o600 })
  assert.match((await move(otherKey, 'folder')).message, /encrypted with different keys/)
  const again = await move(moved.folder, 'cluster')
  assert.deepEqual([again.code, again.result.copied], [0, 0])
  const process = join(folders, 'process')
  mkdirSync(process)
  for (const folder of [back, process]) {
    copyFileSync(join(moved.folder, 'secret.key'), join(folder, 'secret.key'))
  }
  const kept = join(folders, 'kept')
  cpSync(moved.folder, kept, { recursive: true })
  const wanted = await answersOn({ ...moved, folder: kept })
  assert.deepEqual(await answersOn({ ...moved, folder: back }), wanted)
  const changed = join(folders, 'changed')
  cpSync(moved.folder, changed, { recursive: true })
  const store = await openSampleStore({ folder: changed })
  await store.append(batch([[1, Date.UTC(2026, 0, 20), 5]]))
  await store.close()
  const differing = await move(changed, 'cluster')
  assert.deepEqual([differing.code, differing.result.differing], [65, 1])
  assert.equal(differing.result.differences.length, 1)
  const onCluster = { ...settings, WEIR_STORE: 'cluster' }
  assert.deepEqual(await answersOn({ ...moved, folder: process }, onCluster), wanted)
})

test('weir move refuses what is in use or holds other data, and changes nothing', {
  skip,
}, async () => {
  const refused = async (folder: string, to: string, why: RegExp) => {
    const { code, message, result } = await move(folder, to)
    assert.deepEqual([code === 0, result], [false, undefined])
    assert.match(message, why)
  }
  const lock = lockFolder(moved.folder)
  await refused(moved.folder, 'cluster', /is used by another Weir process/)
  lock.release()
  const other = await startService()
  await refused(other.dataDir, 'cluster', /is used by another Weir process/)
  await other.app.close()
  await refused(other.dataDir, 'cluster', /which contains data moved from the folder/)
  await refused(other.dataDir, 'folder', /already contains data/)
  await refused(join(folders, 'nowhere'), 'cluster', /contains no Weir data/)
  const folder = join(folders, 'process')
  const service = await startServiceOn(folder, { ...settings, WEIR_STORE: 'cluster' })
  await refused(join(folders, 'second'), 'folder', /stop all of them first/)
  await service.close()
  await other.close()
  const away = { WEIR_CASSANDRA_HOSTS: '127.0.0.1:1' }
  const { code, message } = await move(join(folders, 'away'), 'folder', away)
  assert.equal(code, 1)
  assert.match(message, /does not respond/)
})
