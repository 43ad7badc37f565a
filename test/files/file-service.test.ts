import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, epochMs, ManualClock, Refusal, refuse } from '../../src/base/index.ts'
import type { Catalog } from '../../src/catalog/index.ts'
import { Feed } from '../../src/feed/index.ts'
import { FileService, FileUsage, type PutFile, type Upload } from '../../src/files/index.ts'
import { openBlobStore } from '../../src/store/embedded/index.ts'
import type { BlobStore, SampleStore, StoreStatus } from '../../src/store/index.ts'
import { anyFeed, openFeedHome } from '../support/feed-home.ts'
import { PlainSampleStore } from '../support/plain-sample-store.ts'

const PATH = { compId: 'c', streamId: 'f' }
const putter = { principal: anyFeed, renew: async () => anyFeed }
const WHOLE = { start: 0, end: 100 }

/** A sample store whose calls can be made to fail. */
class MoodyStore extends PlainSampleStore {
  readOnlyReason: string | undefined
  isAppendFailing = false
  roomBytes = Number.POSITIVE_INFINITY
  heldRooms = 0

  override keepRoom(bytes = 0) {
    if (bytes > this.roomBytes) refuse('read_only', { what: 'no room', retryAfterSeconds: 5 })
    this.heldRooms += 1
    const release = () => {
      this.heldRooms -= 1
    }
    return { release }
  }

  override async append(batch: Parameters<SampleStore['append']>[0]): Promise<void> {
    if (this.isAppendFailing) refuse('read_only', { what: 'torn', retryAfterSeconds: 5 })
    await super.append(batch)
  }

  override status(): StoreStatus {
    return { ...super.status(), readOnlyReason: this.readOnlyReason }
  }
}

interface Home {
  readonly files: FileService
  readonly store: MoodyStore
  readonly catalog: Catalog
  readonly blobs: BlobStore
  readonly logLines: string[]
  put(text: string, more?: Partial<PutFile>): Promise<{ time: number; url: string }>
  countBodies(): number
}

async function withHome(run: (home: Home) => Promise<void>, wrap?: WrapBlobs): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-files-'))
  const { catalog, close } = await openFeedHome({ f: {} })
  const store = new MoodyStore()
  const logLines: string[] = []
  const plain = await openBlobStore({ folder })
  const blobs = wrap === undefined ? plain : wrap(plain)
  const feed = new Feed({ catalog, store, clock: new ManualClock(1000), showFile: (text) => text })
  const log = createLog({ level: 'error', destination: { write: (line) => logLines.push(line) } })
  const usage = new FileUsage({
    store,
    log,
    bytesMax: undefined,
    fileStreams: () => [],
    orgOf: () => undefined,
  })
  const files = new FileService({
    feed,
    store,
    blobs,
    log,
    usage,
    fileBytesMax: 100,
    onDamage: () => {},
  })
  const put: Home['put'] = (text, more = {}) =>
    files.put(putter, { ...PATH, name: 'n', time: undefined, creation: {}, ...more }, async () =>
      uploadOf(text),
    )
  const all = () => readdirSync(folder, { recursive: true, withFileTypes: true })
  const countBodies = () => all().filter((entry) => entry.isFile()).length
  try {
    await run({ files, store, catalog, blobs, logLines, put, countBodies })
  } finally {
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type WrapBlobs = (blobs: BlobStore) => BlobStore

function uploadOf(text: string): Upload {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  return { type: 'text/plain', body: body() }
}

async function read(files: FileService, time?: number): Promise<string> {
  const at = time === undefined ? undefined : epochMs(time)
  const { body } = await files.open(anyFeed, { ...PATH, time: at }, () => WHOLE)
  return Buffer.concat((await body?.toArray()) ?? []).toString()
}

test('put() refuses before the body is read, when no sample can be stored', async () => {
  await withHome(async ({ files, store }) => {
    store.readOnlyReason = 'the disk is full'
    const command = { ...PATH, name: 'n', time: undefined, creation: {} }
    const refused = files.put(putter, command, () => assert.fail('the body was opened'))
    await assert.rejects(refused, { code: 'read_only', message: /the disk is full/ })
  })
})

test('put() leaves the body to the sweep, when it is unknown whether the sample is on disk', async () => {
  await withHome(async ({ files, store, put, countBodies }) => {
    await put('first', { time: epochMs(5) })
    store.isAppendFailing = true
    await assert.rejects(put('second', { time: epochMs(5) }), { code: 'read_only' })
    assert.equal(countBodies(), 2)
    assert.equal(await read(files, 5), 'first')
  })
})

test('put() makes no stream and keeps no body, when there is no room for the sample', async () => {
  await withHome(async ({ store, put, catalog, countBodies }) => {
    const { orgUid } = anyFeed
    store.roomBytes = 200
    await assert.rejects(put('x', { compId: 'new', creation: { folder: '/Components/made' } }), {
      code: 'read_only',
    })
    assert.equal(catalog.index.resolveComponent(orgUid, 'new'), undefined)
    assert.equal(countBodies(), 0)
    store.roomBytes = 1_000
    await put('x', { compId: 'new' })
    store.isAppendFailing = true
    await assert.rejects(put('x', { compId: 'new' }), { code: 'read_only' })
    assert.equal(store.heldRooms, 0, 'room is let go whatever comes of a put')
  })
})

test('put() keeps nothing of a body that is too long, and makes no stream', async () => {
  await withHome(async ({ put, catalog, countBodies }) => {
    const long = put('x'.repeat(101), { compId: 'new' })
    await assert.rejects(long, (error) => error instanceof Refusal && error.status === 413)
    assert.equal(countBodies(), 0)
    assert.equal(catalog.index.resolveComponent('o', 'new'), undefined)
  })
})

test('open() finds the file that has just replaced the one it looked for', async () => {
  let onRead: (() => Promise<unknown>) | undefined
  const wrap: WrapBlobs = (blobs) => ({
    put: (source, options) => blobs.put(source, options),
    delete: (key) => blobs.delete(key),
    sweep: (isLive, nowMs) => blobs.sweep(isLive, nowMs),
    close: () => blobs.close(),
    check: (blob, round) => blobs.check(blob, round),
    read: async (blob, range) => {
      const act = onRead
      onRead = undefined
      await act?.()
      return blobs.read(blob, range)
    },
  })
  await withHome(async ({ files, put }) => {
    await put('first', { time: epochMs(5) })
    onRead = () => put('second', { time: epochMs(5) })
    assert.equal(await read(files, 5), 'second')
  }, wrap)
})

test('open() logs a missing body, and tells the caller that it is lost', async () => {
  await withHome(async ({ files, blobs, put, logLines }) => {
    await put('gone')
    await blobs.sweep(() => false, Date.now() + 7_200_000)
    await assert.rejects(read(files), { code: 'file_not_found', message: /"n" is lost/ })
    assert.match(logLines.join(''), /the body of a file is missing/)
  })
})
