/** What the embedded store does when the disk fails, fills up, or hands back other bytes. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import {
  DiskFaults,
  type EmbeddedSampleStore,
  openSampleStore,
} from '../../src/store/embedded/index.ts'
import type { Removal, StreamHandle } from '../../src/store/index.ts'
import { batch, read } from '../contract/sample-store-contract.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SEGMENT_BYTES = 16 * 1024

interface Subject {
  readonly folder: string
  readonly faults: DiskFaults
  readonly store: EmbeddedSampleStore
  reopen(): Promise<EmbeddedSampleStore>
}

async function open(context: TestContext): Promise<Subject> {
  const folder = temporaryFolder()
  const faults = new DiskFaults()
  const options = { folder, segmentBytes: SEGMENT_BYTES, roomRetryMs: 5 }
  const store = await openSampleStore({ ...options, faults: faults.shared })
  let current = store
  context.after(() => current.close())
  const reopen = async () => {
    await current.close()
    current = await openSampleStore(options)
    return current
  }
  return { folder, faults, store, reopen }
}

const isReadOnly = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'read_only' && error.status === 503

async function fill(store: EmbeddedSampleStore, from: number, count: number): Promise<void> {
  for (let time = from; time < from + count; time += 1) await store.append(batch([[1, time, time]]))
}

for (const kind of ['write', 'sync'] as const) {
  test(`append() refuses for good after a failed ${kind}, reads go on`, async (context) => {
    const { faults, store, reopen } = await open(context)
    await fill(store, 0, 10)
    if (kind === 'write') faults.failWriteAfter(0)
    else faults.failSyncAfter(0)
    const calls = [10, 11, 12].map((time) => store.append(batch([[1, time, time]])))
    const settled = await Promise.allSettled(calls)
    assert.ok(settled.every((call) => call.status === 'rejected' && isReadOnly(call.reason)))
    await assert.rejects(store.append(batch([[1, 13, 13]])), isReadOnly)
    assert.match(store.status().readOnlyReason ?? '', new RegExp(`${kind} failed`))
    assert.equal((await read(store, 1)).length, 10)
    const later = await reopen()
    assert.deepEqual((await read(later, 1)).slice(0, 10).at(-1), [9, 9])
    await later.append(batch([[1, 99, 99]]))
    assert.deepEqual((await read(later, 1)).at(-1), [99, 99])
  })
}

test('append() survives writes that stop half way', async (context) => {
  const { faults, store, reopen } = await open(context)
  faults.shortenWrites(true)
  await fill(store, 0, 300)
  const later = await reopen()
  assert.equal((await read(later, 1)).length, 300)
  assert.deepEqual(later.status().damages, [])
})

test('a full disk refuses appends, serves reads, and takes appends again with room', async (context) => {
  const { faults, store, reopen } = await open(context)
  await fill(store, 0, 5)
  faults.setRoom(2 * SEGMENT_BYTES)
  let stored = 5
  const refused = await (async () => {
    for (;;) {
      try {
        await fill(store, stored, 1)
        stored += 1
      } catch (error) {
        return error
      }
    }
  })()
  assert.ok(isReadOnly(refused))
  assert.match(store.status().readOnlyReason ?? '', /disk is full/)
  assert.equal((await read(store, 1)).length, stored)
  faults.setRoom(undefined)
  await context.waitFor(() => assert.equal(store.status().readOnlyReason, undefined))
  await fill(store, stored, 50)
  assert.equal((await read(await reopen(), 1)).length, stored + 50)
})

/** Appends samples of stream 1, its time as value, until the store refuses; returns their number. */
async function fillUntilFull(store: EmbeddedSampleStore, from: number): Promise<number> {
  for (let time = from; ; time += 1) {
    try {
      await fill(store, time, 1)
    } catch (error) {
      assert.ok(isReadOnly(error), String(error))
      return time
    }
  }
}

test('on a full disk removals go on beside refused appends, and hold over a restart', async (context) => {
  const { faults, store, reopen } = await open(context)
  await store.append(
    batch([
      [2, 7, 'goes'],
      [3, 7, 'goes'],
    ]),
  )
  faults.setRoom(0)
  const stored = await fillUntilFull(store, 0)
  const calls = [
    store.append(batch([[1, stored, 1]])),
    store.remove({ handle: 1, from: 0, until: 10 } as Removal),
    store.append(batch([[1, stored + 1, 1]])),
    store.append(batch([], [[2, 0, 10]])),
    store.forget([3 as StreamHandle]),
  ]
  const settled = await Promise.allSettled(calls)
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  const check = async (current: EmbeddedSampleStore): Promise<void> => {
    assert.deepEqual((await read(current, 1)).length, stored - 10)
    assert.deepEqual(await read(current, 2), [])
    assert.deepEqual(await read(current, 3), [])
  }
  await check(store)
  // Their room ends too; they are refused then, as anything else.
  for (;;) {
    try {
      await store.remove({ handle: 2, from: 0, until: 10 } as Removal)
    } catch (error) {
      assert.ok(isReadOnly(error), String(error))
      break
    }
  }
  faults.setRoom(undefined)
  await context.waitFor(() => assert.equal(store.status().readOnlyReason, undefined))
  await store.remove({ handle: 2, from: 0, until: 10 } as Removal)
  await store.append(batch([[1, stored, stored]]))
  const later = await reopen()
  assert.equal((await read(later, 1)).length, stored - 9)
  assert.deepEqual(later.status().damages, [])
})

test('a removal that waits with appends for a segment goes on when there is none', async (context) => {
  const { faults, store } = await open(context)
  faults.setRoom(0)
  const calls: Promise<unknown>[] = []
  for (let time = 0; time < 400; time += 1) {
    calls.push(store.append(batch([[1, time, 'x'.repeat(200)]])))
    if (time % 50 === 49) {
      calls.push(store.remove({ handle: 9, from: time, until: time + 1 } as Removal))
    }
  }
  const settled = await Promise.allSettled(calls)
  const isRemoval = (_: unknown, index: number): boolean => index % 51 === 50
  assert.ok(settled.some(({ status }) => status === 'rejected'))
  assert.ok(settled.filter(isRemoval).every(({ status }) => status === 'fulfilled'))
})

test('without file handles appends are refused, and taken again once there are some', async (context) => {
  const { faults, store, reopen } = await open(context)
  faults.takeHandles(true)
  let stored = 0
  const refused = await (async () => {
    for (;;) {
      try {
        await fill(store, stored, 1)
        stored += 1
      } catch (error) {
        return error
      }
    }
  })()
  assert.ok(isReadOnly(refused))
  assert.match(store.status().readOnlyReason ?? '', /no more files can be opened/)
  assert.equal((await read(store, 1)).length, stored)
  faults.takeHandles(false)
  await context.waitFor(() => assert.equal(store.status().readOnlyReason, undefined))
  await fill(store, stored, 300)
  await store.sealAll()
  const later = await reopen()
  assert.equal((await read(later, 1)).length, stored + 300)
  assert.deepEqual(later.status().damages, [])
})

test('a damaged frame is named, kept aside, and still named after sealing', async (context) => {
  const { folder, store, reopen } = await open(context)
  await store.append(batch([[1, 1000, 1]]))
  await store.append(batch([[2, 2000, 2]]))
  await store.append(batch([[3, 3000, 3]]))
  await store.close()
  const journal = join(folder, 'journal')
  const [name] = readdirSync(journal)
  const bytes = readFileSync(join(journal, name))
  const at = bytes.indexOf(new Uint8Array(Float64Array.of(2000).buffer))
  bytes[at] ^= 1
  writeFileSync(join(journal, name), bytes)
  const expected = { file: name, handles: [2], from: 2000, until: 2001 }
  let later = await reopen()
  for (const _ of [1, 2]) {
    const [damage, ...others] = later.status().damages
    assert.deepEqual(others, [])
    const { file, handles, from, until } = damage
    assert.deepEqual({ file, handles, from, until }, expected)
    assert.ok(damage.offset <= at && at < damage.offset + damage.bytes)
    assert.deepEqual(await read(later, 1), [[1000, 1]])
    assert.deepEqual(await read(later, 2), [])
    assert.deepEqual(await read(later, 3), [[3000, 3]])
    await later.sealAll()
    later = await reopen()
  }
  assert.equal(readdirSync(join(folder, 'quarantine')).length, 2)
})

test('a segment that was sealed and not yet unlinked is not read again', async (context) => {
  const { folder, store, reopen } = await open(context)
  await store.append(batch([[1, 1000, 1]]))
  const journal = join(folder, 'journal')
  const [name] = readdirSync(journal)
  copyFileSync(join(journal, name), join(folder, 'kept'))
  await store.sealAll()
  await store.append(batch([], [[1, 0, 5000]]))
  copyFileSync(join(folder, 'kept'), join(journal, name))
  const later = await reopen()
  assert.deepEqual(await read(later, 1), [])
  assert.ok(!readdirSync(journal).includes(name))
})

test('a chunk that does not check is named and the others are served', async (context) => {
  const { folder, store, reopen } = await open(context)
  const rows = Array.from({ length: 10_000 }, (_, index) => [1, index, index / 8] as const)
  for (let at = 0; at < rows.length; at += 500) await store.append(batch(rows.slice(at, at + 500)))
  await store.sealAll()
  await store.close()
  const db = new DatabaseSync(join(folder, 'samples.db'))
  const chunk = db.prepare('SELECT id, count, data FROM chunk ORDER BY start LIMIT 1').get() as {
    id: number
    count: number
    data: Uint8Array
  }
  chunk.data[chunk.data.length >> 1] ^= 16
  db.prepare('UPDATE chunk SET data = ? WHERE id = ?').run(chunk.data, chunk.id)
  db.close()
  const later = await reopen()
  assert.equal((await read(later, 1)).length, rows.length - chunk.count)
  const [damage] = later.status().damages
  assert.deepEqual(
    [damage.file, damage.offset, damage.from, damage.until],
    ['samples.db', chunk.id, 0, chunk.count],
  )
  await later.append(batch([[1, 5, 'late']]))
  for (let time = 10; time < 600; time += 1) await later.append(batch([[1, time, 'late']]))
  await later.sealAll()
  assert.equal((await read(later, 1)).length, rows.length - chunk.count + 591)
})

test('where a usual segment has no room a shorter one is made', async (context) => {
  const { faults } = await open(context)
  // Room for a quarter of a segment, and nothing besides.
  faults.setRoom(SEGMENT_BYTES / 4)
  const options = { folder: temporaryFolder(), segmentBytes: SEGMENT_BYTES, roomRetryMs: 5 }
  const short = await openSampleStore({ ...options, faults: faults.shared })
  context.after(() => short.close())
  await fill(short, 0, 5)
  const [name] = readdirSync(join(options.folder, 'journal'))
  assert.equal(readFileSync(join(options.folder, 'journal', name)).length, SEGMENT_BYTES / 4)
  assert.equal((await read(short, 1)).length, 5)
})
