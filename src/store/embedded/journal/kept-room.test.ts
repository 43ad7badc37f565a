import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { openCountingJournal } from '../../../../test/support/counting-journal.ts'
import { Random, roundsOf, testSeeds } from '../../../../test/support/random.ts'
import { epochMs } from '../../../base/plain.ts'
import type { KeptRoom, StreamHandle } from '../../ports/sample-port.ts'
import type { Disk } from '../disk/disk.ts'
import { realDisk } from '../disk/real-disk.ts'
import { sizeRecord } from './record.ts'

const HANDLE = 1 as StreamHandle
const REFUSED = { code: 'read_only', status: 503 }

/** A record of `count` samples. */
function samples(count: number) {
  const batch = { count, handles: new Uint32Array(count).fill(HANDLE), removals: [] }
  const columns = { times: new Float64Array(count), numbers: new Float64Array(count) }
  return sizeRecord({ kind: 'samples', batch: { ...batch, ...columns } })
}

function removal() {
  const none = { times: new Float64Array(0), numbers: new Float64Array(0) }
  const removals = [{ handle: HANDLE, from: epochMs(0), until: epochMs(1) }]
  const batch = { count: 0, handles: new Uint32Array(0), removals, ...none }
  return sizeRecord({ kind: 'samples', batch })
}

/** A disk with so much room for segments; those that were filled go when the test says so. */
function smallDisk(roomBytes: number): Disk & { room: number } {
  const disk = {
    ...realDisk,
    room: roomBytes,
    freeBytes: () => 0,
    async createZeroed(path: string, bytes: number) {
      await nextImmediate()
      if (bytes > disk.room) {
        throw Object.assign(new Error('ENOSPC: as the test asked'), { code: 'ENOSPC' })
      }
      disk.room -= bytes
      lengths.set(path, bytes)
      return await realDisk.createZeroed(path, bytes)
    },
    unlink(path: string) {
      disk.room += lengths.get(path) ?? 0
      lengths.delete(path)
      realDisk.unlink(path)
    },
  }
  const lengths = new Map<string, number>()
  return disk
}

test('calls at the same time do not all get the same last room', async () => {
  const { journal } = openCountingJournal(smallDisk(64 * 1024))
  const record = samples(500)
  const asked = await Promise.allSettled(
    Array.from({ length: 8 }, async () => await journal.keepRoom(record.bytes)),
  )
  const rooms = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  assert.equal(rooms.length, 5, 'as many as fit into the only segment there is')
  await assert.rejects(journal.append(record), REFUSED, 'what is kept is not for others')
  await Promise.all(rooms.map((room) => journal.append(record, room)))
  for (const room of rooms) room.release()
  await assert.rejects(async () => await journal.keepRoom(record.bytes), REFUSED)
  await journal.append(removal())
  await journal.close()
})

test('room that is let go is for others', async () => {
  const { journal } = openCountingJournal(smallDisk(64 * 1024))
  const record = samples(2_000)
  const room = await journal.keepRoom(record.bytes)
  await assert.rejects(async () => await journal.keepRoom(record.bytes), REFUSED)
  while (journal.readOnlyReason !== undefined) await nextImmediate()
  room.release()
  room.release()
  await journal.append(record)
  await journal.close()
})

test('what room was kept for is taken whatever comes between', async () => {
  for (const seed of testSeeds(roundsOf(60))) await keepAtRandom(new Random(seed))
})

/** Keeps room, appends, removes, ends segments and gives the disk room, all at random and at the same time. */
async function keepAtRandom(random: Random): Promise<void> {
  const disk = smallDisk(64 * 1024 * random.integer(1, random.pick([3, 10, 80])))
  const { journal } = openCountingJournal(disk)
  const counts = { kept: 0, refused: 0 }
  const refusedOnly = (error: unknown): void => {
    assert.equal((error as { code?: string }).code, 'read_only', `seed ${random.seed}: ${error}`)
    counts.refused += 1
  }
  const create = async (): Promise<void> => {
    const record = samples(1 + random.integer(0, random.pick([5, 500, 500, 2_000, 40_000])))
    const bytes = record.bytes + random.integer(0, 100)
    let room: KeptRoom
    try {
      room = await journal.keepRoom(bytes)
    } catch (error) {
      return refusedOnly(error)
    }
    for (let iterations = random.integer(0, 20); iterations > 0; iterations--) await nextImmediate()
    await journal.append(record, room).catch((error: unknown) => {
      assert.fail(`seed ${random.seed}: what room was kept for was refused: ${error}`)
    })
    room.release()
    counts.kept += 1
  }
  const act = async (): Promise<void> => {
    const what = random.integer(0, 10)
    if (what < 6) await create()
    else if (what < 8)
      await journal
        .append(samples(1 + random.integer(0, random.pick([10, 2_000]))))
        .catch(refusedOnly)
    else if (what < 9) await journal.append(removal()).catch(refusedOnly)
    else if (random.integer(0, 2) === 0) journal.rotate()
    else disk.room += random.integer(0, 128 * 1024)
  }
  const worker = async (): Promise<void> => {
    for (let left = 60; left > 0; left--) await act()
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  await journal.close()
  assert.ok(counts.kept + counts.refused > 0)
}
