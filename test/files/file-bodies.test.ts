import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, epochMs, ManualClock } from '../../src/base/index.ts'
import { FileUsage, makeFileSweep, withFileBodies, writeFileRecord } from '../../src/files/index.ts'
import { openBlobStore } from '../../src/store/embedded/index.ts'
import type { BlobStore, Lease, SampleStore, StreamHandle } from '../../src/store/index.ts'
import { PlainSampleStore } from '../support/plain-sample-store.ts'

const HOUR_MS = 3_600_000
const FILES = 1 as StreamHandle
const MORE_FILES = 2 as StreamHandle
const TEXTS = 3 as StreamHandle

interface Bench {
  readonly store: SampleStore
  readonly blobs: BlobStore
  /** Puts a body and a sample that names it; the text of a text stream may name one as well. */
  put(handle: StreamHandle, time: number): Promise<string>
  isKept(key: string): Promise<boolean>
}

async function withBench(body: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bodies-'))
  const blobs = await openBlobStore({ folder })
  const isFileStream = (handle: StreamHandle): boolean => handle !== TEXTS
  const plain = new PlainSampleStore()
  const usage = new FileUsage({
    store: plain,
    bytesMax: undefined,
    fileStreams: () => [],
    orgOf: () => undefined,
    log: createLog({ level: 'silent' }),
  })
  const store = withFileBodies({ store: plain, blobs, isFileStream, usage })
  const put = async (handle: StreamHandle, time: number): Promise<string> => {
    const info = await blobs.put(someBytes(), { bytesMax: 10 })
    const text = writeFileRecord({ ...info, name: 'n', type: 'a/b' })
    const columns = { times: Float64Array.of(time), numbers: new Float64Array(1), texts: [text] }
    await store.append({ count: 1, handles: Uint32Array.of(handle), removals: [], ...columns })
    return info.key
  }
  const isKept = async (key: string): Promise<boolean> => {
    const opened = await blobs.read({ key, bytes: 0, sha256: '' }, { start: 0, end: 0 })
    opened?.destroy()
    return opened !== undefined
  }
  try {
    await body({ store, blobs, put, isKept })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function* someBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('body')
}

test('withFileBodies() takes the bodies of a removed range, to the millisecond', async () => {
  await withBench(async ({ store, put, isKept }) => {
    const keys = [await put(FILES, 10), await put(FILES, 20), await put(FILES, 30)]
    const other = await put(MORE_FILES, 20)
    await store.remove({ handle: FILES, from: epochMs(20), until: epochMs(30) })
    assert.deepEqual(await Promise.all(keys.map(isKept)), [true, false, true])
    assert.equal(await isKept(other), true)
  })
})

test('withFileBodies() takes the bodies of samples that a batch takes out', async () => {
  await withBench(async ({ store, put, isKept }) => {
    const keys = [await put(FILES, 10), await put(FILES, 20)]
    const text = await put(TEXTS, 10)
    const span = { from: epochMs(10), until: epochMs(11) }
    await store.append({
      count: 0,
      handles: new Uint32Array(0),
      times: new Float64Array(0),
      numbers: new Float64Array(0),
      removals: [
        { handle: FILES, ...span },
        { handle: TEXTS, ...span },
      ],
    })
    assert.deepEqual(await Promise.all(keys.map(isKept)), [false, true])
    assert.equal(await isKept(text), true)
  })
})

test('withFileBodies() takes more bodies than one page holds', async () => {
  await withBench(async ({ store, blobs, put, isKept }) => {
    const shared = await put(FILES, 0)
    const text = writeFileRecord({ key: shared, bytes: 4, sha256: '', name: 'n', type: 'a/b' })
    const count = 1_500
    await store.append({
      count,
      handles: new Uint32Array(count).fill(FILES),
      removals: [],
      times: Float64Array.from({ length: count }, (_, index) => index + 1),
      numbers: new Float64Array(count),
      texts: new Array<string>(count).fill(text),
    })
    const last = await put(FILES, 5_000)
    await store.remove({ handle: FILES, from: epochMs(0), until: epochMs(5_001) })
    assert.equal(await isKept(last), false)
    assert.equal(await blobs.sweep(() => false, Date.now() + 2 * HOUR_MS), 0)
  })
})

test('withFileBodies() takes what a removal that is wanted covers, and all of a forgotten stream', async () => {
  await withBench(async ({ store, put, isKept }) => {
    const [old, young] = [await put(FILES, 10), await put(FILES, 20)]
    const other = await put(MORE_FILES, 10)
    const removal = { handle: FILES, from: epochMs(0), until: epochMs(20) }
    await store.remove(removal, () => false)
    assert.deepEqual([await isKept(old), await isKept(young)], [true, true])
    await store.remove(removal, () => true)
    assert.deepEqual([await isKept(old), await isKept(young)], [false, true])
    await store.forget([FILES])
    assert.deepEqual([await isKept(young), await isKept(other)], [false, true])
  })
})

test('withFileBodies() never follows the text of a stream that holds no files', async () => {
  await withBench(async ({ store, put, isKept }) => {
    const key = await put(TEXTS, 10)
    await store.remove({ handle: TEXTS, from: epochMs(0), until: epochMs(100) })
    await store.forget([TEXTS])
    assert.equal(await isKept(key), true)
  })
})

class OneLease {
  isTaken = false
  async acquireLease(name: string, holder: string): Promise<Lease | undefined> {
    return this.isTaken ? undefined : { name, holder, fence: 1 }
  }
  async releaseLease(): Promise<void> {}
}

test('makeFileSweep() removes old bodies that no sample names, and only where it holds the lease', async () => {
  await withBench(async ({ store, blobs, put, isKept }) => {
    const live = [await put(FILES, 10), await put(MORE_FILES, 10)]
    const { key: orphan } = await blobs.put(someBytes(), { bytesMax: 10 })
    const clock = new ManualClock(Date.now())
    const catalog = new OneLease()
    const sweep = makeFileSweep({
      blobs,
      store,
      catalog,
      clock,
      holder: 'test',
      fileStreams: () => [FILES, MORE_FILES],
      onFailure: (error) => assert.fail(String(error)),
    })
    assert.equal(await sweep.run(), 0, 'the orphan is young')
    clock.advance(2 * HOUR_MS)
    catalog.isTaken = true
    assert.equal(await sweep.run(), 0, 'another process sweeps')
    catalog.isTaken = false
    assert.equal(await sweep.run(), 1)
    assert.equal(await isKept(orphan), false)
    assert.deepEqual(await Promise.all(live.map(isKept)), [true, true])
    await sweep.close()
  })
})

test('makeFileSweep() leaves everything while samples are damaged', async () => {
  await withBench(async ({ store, blobs, isKept }) => {
    const { key } = await blobs.put(someBytes(), { bytesMax: 10 })
    const damage = { file: 'f', offset: 0, bytes: 1, handles: [], what: 'torn' }
    const damages = [{ ...damage, from: undefined, until: undefined }]
    const sweep = makeFileSweep({
      blobs,
      catalog: new OneLease(),
      clock: new ManualClock(Date.now() + 2 * HOUR_MS),
      store: { ...store, status: () => ({ ...store.status(), damages }) },
      holder: 'test',
      fileStreams: () => [],
      onFailure: () => {},
    })
    assert.equal(await sweep.run(), 0)
    assert.equal(await isKept(key), true)
  })
})
