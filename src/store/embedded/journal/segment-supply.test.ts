import assert from 'node:assert/strict'
import test from 'node:test'
import { realDisk } from '../disk/real-disk.ts'
import { SegmentSupply } from './segment-supply.ts'

const KB = 1024
const MB = 1024 * KB

/** A supply on a disk that only takes note of the lengths that are made; `roomBytes` is the longest it has room for. */
function openSupply(disk = { roomBytes: Number.POSITIVE_INFINITY }) {
  const made: number[] = []
  const supply = new SegmentSupply({
    folder: 'journal',
    segmentBytes: 32 * MB,
    nextNumber: 1,
    disk: {
      ...realDisk,
      async createZeroed(_path, bytes) {
        if (bytes > disk.roomBytes) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        made.push(bytes)
        return -1
      },
      close: () => {},
      unlink: () => {},
    },
  })
  return { supply, made }
}

/** Fills the segment that is ready. */
function fill(supply: SegmentSupply): number {
  const segment = supply.take(0)
  assert.ok(segment !== undefined)
  supply.grow(segment.bytes)
  return segment.number
}

test('segments are short until one was filled, then long', async () => {
  const { supply, made } = openSupply()
  for (let segments = 0; segments < 4; segments++) {
    await supply.prepare(0)
    fill(supply)
  }
  assert.deepEqual(made, [64 * KB, 4 * MB, 32 * MB, 32 * MB])
  assert.equal(supply.lastShort, 1)
})

test('a request beyond a short buffer gets one of the next length, regardless of other requests', async () => {
  const { supply, made } = openSupply()
  await supply.prepare(0)
  await Promise.all([supply.prepare(68 * KB), supply.prepare(105 * KB), supply.prepare(300 * KB)])
  assert.deepEqual(made, [64 * KB, 4 * MB], 'none that is hardly longer')
  const second = fill(supply)
  assert.equal(second, 2)
  assert.equal(supply.lastShort, 1, 'what is as long as others is sealed like others')
})

test('one that was filled counts by its own length: those made ahead are not counted twice', async () => {
  const { supply, made } = openSupply()
  await supply.prepare(0)
  const first = supply.take(0)
  await supply.prepare(68 * KB)
  supply.grow(first?.bytes ?? 0)
  supply.take(0)
  await supply.prepare(0)
  assert.deepEqual(made, [64 * KB, 4 * MB, 4 * MB])
})

test('all short ones that a start begins with may be sealed later, also those made before one was filled', async () => {
  const { supply, made } = openSupply()
  await supply.prepare(0)
  const first = supply.take(0)
  const ahead = supply.prepare(0)
  supply.grow(first?.bytes ?? 0)
  await ahead
  assert.deepEqual(made, [64 * KB, 64 * KB])
  assert.equal(supply.lastShort, 2)
})

test('a disk that is nearly full has shorter ones, down to what was asked for', async () => {
  const disk = { roomBytes: 300 * KB }
  const { supply, made } = openSupply(disk)
  await supply.prepare(68 * KB)
  assert.deepEqual(made, [256 * KB])
  disk.roomBytes = 290 * KB
  await assert.rejects(supply.prepare(299 * KB), { code: 'ENOSPC' })
  assert.equal(supply.isReadyFor(256 * KB), true, 'the shorter one stays')
})
