import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { openPayloadStore } from '../../../src/store/embedded/index.ts'
import { payloadOf } from '../../contract/payload-store-contract.ts'
import { eventually } from '../../support/settle.ts'
import { fillDisk, mountDisk } from '../../support/small-disk.ts'

test('put() on a full disk is refused with 503, and kept once there is room', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const store = await openPayloadStore({ folder: disk.folder })
  await store.put(payloadOf(1)).landed
  const filler = fillDisk(disk.folder)
  const body = 'x'.repeat(1_000_000)
  await assert.rejects(store.put(payloadOf(2, { body })).landed, { code: 'read_only', status: 503 })
  rmSync(filler)
  await store.put(payloadOf(3, { body })).landed
  assert.equal((await store.list('c1', { start: 0, limit: 10 })).totalCount, 2)
  await store.close()
})

test('a start on a disk that cannot be written goes on, and payloads are kept once it can', async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const { folder } = disk
  const before = await openPayloadStore({ folder })
  const { uid, landed: stored } = before.put(payloadOf(1))
  await stored
  await before.close()
  const remount = (how: string) =>
    assert.equal(spawnSync('mount', ['-o', `remount,${how}`, folder]).status, 0)
  remount('ro')
  const store = await openPayloadStore({ folder })
  for (const number of [1, 2]) {
    assert.throws(() => store.put(payloadOf(number)), { code: 'read_only', status: 503 })
  }
  remount('rw')
  // One that is refused has the file opened, for those behind it.
  const { uid: kept, landed } = await eventually(async () => store.put(payloadOf(3)))
  await landed
  assert.ok((await store.get('c1', kept)) !== undefined)
  assert.ok((await store.get('c1', uid)) !== undefined)
  await store.close()
})
