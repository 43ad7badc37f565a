import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { openCountingJournal } from '../../../../test/support/counting-journal.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { NO_ROOM, type StreamHandle } from '../../ports/sample-port.ts'
import type { Disk } from '../disk/disk.ts'
import { realDisk } from '../disk/real-disk.ts'
import { replaySegment } from '../head/replay.ts'
import { Journal } from './journal.ts'
import { JournalWriter } from './journal-writer.ts'
import { sizeRecord } from './record.ts'
import { segmentName } from './segment.ts'

const HANDLE = 1 as StreamHandle

function record(time: number) {
  const batch = { count: 1, handles: Uint32Array.of(HANDLE), removals: [] }
  const columns = { times: Float64Array.of(time), numbers: Float64Array.of(time) }
  return sizeRecord({ kind: 'samples', batch: { ...batch, ...columns } })
}

/** A journal whose writer answers, and whose second segment fails, when the test says so. */
function openGated() {
  const folder = temporaryFolder()
  const failing = Promise.withResolvers<never>()
  failing.promise.catch(() => {})
  const disk: Disk = {
    ...realDisk,
    createZeroed: (path, bytes) =>
      path.endsWith(segmentName(1)) ? realDisk.createZeroed(path, bytes) : failing.promise,
  }
  const writer = new JournalWriter(disk)
  const ordered = Promise.withResolvers<() => void>()
  const durable: number[] = []
  const journal = new Journal({
    folder,
    disk,
    segmentBytes: 4096,
    nextSegment: 1,
    nextSequence: 1,
    roomRetryMs: 5,
    startWriter: (events) => ({
      post: (command) => writer.follow(command),
      order: (order) => ordered.resolve(() => events.onReply(writer.write(order))),
      close: async () => writer.close(),
    }),
    onDurable({ records }) {
      durable.push(...records.flatMap(({ batch }) => [...batch.times]))
      return undefined
    },
  })
  return { folder, journal, durable, ordered: ordered.promise, fail: failing.reject }
}

test('append() under way settles with its sync when the next segment cannot be made', async () => {
  const { folder, journal, durable, ordered, fail } = openGated()
  const underWay = journal.append(record(10))
  const reply = await ordered
  const waiting = assert.rejects(journal.append(record(20)), { code: 'read_only' })
  fail(Object.assign(new Error('EIO: as the test asked'), { code: 'EIO' }))
  await waiting
  assert.match(journal.readOnlyReason ?? '', /cannot prepare/)
  const closed = journal.close()
  reply()
  await underWay
  await closed
  // What a restart shows is what was acknowledged and what reads had seen before.
  const { generation } = replaySegment(realDisk, join(folder, segmentName(1)), 1)
  assert.deepEqual(generation.lastOf(HANDLE), { time: 10, value: 10 })
  assert.deepEqual(durable, [10])
})

test('segments are short until they are filled, and grow to their usual length', async () => {
  const folder = temporaryFolder()
  const lengths: number[] = []
  const disk: Disk = {
    ...realDisk,
    createZeroed(path, bytes) {
      lengths.push(bytes / 1024)
      return realDisk.createZeroed(path, bytes)
    },
  }
  const writer = new JournalWriter(disk)
  const segments = new Set<number>()
  const journal = new Journal({
    folder,
    disk,
    segmentBytes: 8 * 1024 * 1024,
    nextSegment: 1,
    nextSequence: 1,
    roomRetryMs: 5,
    startWriter: (events) => ({
      post: (command) => writer.follow(command),
      order: (order) => setImmediate(() => events.onReply(writer.write(order))),
      close: async () => writer.close(),
    }),
    onDurable({ segment }) {
      segments.add(segment)
      return undefined
    },
  })
  await journal.append(record(1))
  // One that goes before it is filled says nothing of how much is put.
  journal.rotate()
  await journal.append(record(2))
  const long = sizeRecord({
    kind: 'samples',
    batch: {
      count: 2_000,
      handles: new Uint32Array(2_000).fill(HANDLE),
      removals: [],
      times: Float64Array.from({ length: 2_000 }, (_, index) => index),
      numbers: new Float64Array(2_000),
    },
  })
  while (segments.size < 5) await journal.append(long)
  await journal.close()
  assert.deepEqual(lengths, [64, 64, 64, 4096, 4096, 8192])
})

test('short records of one turn share a frame, the first too', async () => {
  const { journal, frames } = openCountingJournal()
  await Promise.all([
    journal.append(record(1)),
    journal.append(record(2)),
    journal.append(record(3)),
  ])
  assert.deepEqual(frames, [[1, 2, 3]])
  const appended = journal.append(record(4))
  await Promise.all([appended, journal.close()])
  assert.deepEqual(frames, [[1, 2, 3], [4]])
})

test('a journal that fails before the turn of a record has ended refuses it, and orders nothing', async () => {
  const failing = Promise.withResolvers<never>()
  failing.promise.catch(() => {})
  const disk = { ...realDisk, createZeroed: () => failing.promise }
  const { journal, frames } = openCountingJournal(disk)
  failing.reject(Object.assign(new Error('EIO: as the test asked'), { code: 'EIO' }))
  await assert.rejects(journal.append(record(1)), { code: 'read_only' })
  await assert.rejects(journal.append(record(2)), { code: 'read_only' })
  await journal.close()
  assert.deepEqual(frames, [])
})

test('keepRoom() refuses what a full disk has no room for, until it has', async () => {
  let isFull = false
  const disk: Disk = {
    ...realDisk,
    freeBytes: () => 2 ** 40,
    async createZeroed(path, bytes) {
      if (isFull) throw Object.assign(new Error('ENOSPC: as the test asked'), { code: 'ENOSPC' })
      return await realDisk.createZeroed(path, bytes)
    },
  }
  const { journal, frames } = openCountingJournal(disk)
  await journal.keepRoom(100)
  isFull = true
  await journal.append(record(1))
  assert.equal(journal.keepRoom(100), NO_ROOM, 'there is room behind what was written')
  assert.equal(journal.readOnlyReason, undefined)
  const refused = { code: 'read_only', message: /Cannot store/ }
  await assert.rejects(async () => await journal.keepRoom(64 * 1024), refused)
  await assert.rejects(async () => await journal.keepRoom(100), refused)
  await assert.rejects(journal.append(record(2)), refused)
  isFull = false
  while (journal.readOnlyReason !== undefined) await nextImmediate()
  isFull = true
  await assert.rejects(
    async () => await journal.keepRoom(8 * 1024 * 1024),
    refused,
    'the next is short',
  )
  isFull = false
  while (journal.readOnlyReason !== undefined) await nextImmediate()
  await journal.keepRoom(64 * 1024)
  assert.equal(journal.keepRoom(64 * 1024), NO_ROOM, 'there is a segment long enough')
  await journal.append(record(3))
  await journal.close()
  await assert.rejects(journal.append(record(4)), refused)
  assert.deepEqual(frames, [[1], [3]])
})

test('a journal that begins on a full disk says so before anything is put, and takes puts once there is room', async () => {
  let isFull = true
  let tries = 0
  const tried = Promise.withResolvers<void>()
  const disk: Disk = {
    ...realDisk,
    async createZeroed(path, bytes) {
      if (!isFull) return await realDisk.createZeroed(path, bytes)
      tries += 1
      // Two shorter ones are tried behind the first.
      if (tries === 3) tried.resolve()
      throw Object.assign(new Error('ENOSPC: as the test asked'), { code: 'ENOSPC' })
    },
  }
  const { journal, frames } = openCountingJournal(disk)
  await tried.promise
  await nextImmediate()
  assert.equal(journal.readOnlyReason, 'the disk is full')
  isFull = false
  while (journal.readOnlyReason !== undefined) await nextImmediate()
  await journal.append(record(1))
  await journal.close()
  assert.deepEqual(frames, [[1]])
})
