import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import type { BlobStore } from '../../src/store/index.ts'

const HOUR_MS = 3_600_000
const BYTES_MAX = 50_000_000

/** One store under test: how to open it again, and how many bodies and remains it holds. */
export interface BlobStoreFixture {
  readonly store: BlobStore
  reopen(): Promise<BlobStore>
  /** Everything kept, finished or not: what a refused upload must not raise. */
  countKept(): Promise<number>
  dispose(): Promise<void>
}

/** Bytes that differ along the body, so that a shifted range shows. */
export function patternOf(bytes: number): Buffer {
  const body = Buffer.alloc(bytes)
  for (let index = 0; index < bytes; index += 1) body[index] = (index * 31 + (index >> 8)) & 0xff
  return body
}

async function* inChunks(body: Buffer, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += chunkBytes)
    yield body.subarray(start, start + chunkBytes)
}

async function bytesOf(readable: Readable | undefined): Promise<Buffer | undefined> {
  return readable === undefined ? undefined : Buffer.concat(await readable.toArray())
}

/** What every BlobStore adapter must do. */
export function blobStoreContract(engine: string, open: () => Promise<BlobStoreFixture>): void {
  const check = (name: string, body: (fixture: BlobStoreFixture) => Promise<void>): void => {
    test(`${engine}: ${name}`, async () => {
      const fixture = await open()
      try {
        await body(fixture)
      } finally {
        await fixture.dispose()
      }
    })
  }
  checkBodies(check)
  checkRefusals(check)
  checkSweep(check)
}

type Check = (name: string, body: (fixture: BlobStoreFixture) => Promise<void>) => void

function checkBodies(check: Check): void {
  check('put() keeps a body that read() gives back, with its length and hash', async (fixture) => {
    for (const bytes of [0, 1, 65_536, 20_000_003]) {
      const body = patternOf(bytes)
      const info = await fixture.store.put(inChunks(body, 60_000), { bytesMax: BYTES_MAX })
      assert.equal(info.bytes, bytes)
      assert.equal(info.sha256, createHash('sha256').update(body).digest('hex'))
      const read = await bytesOf(await fixture.store.read(info, { start: 0, end: bytes }))
      assert.ok(read?.equals(body), `${bytes} bytes come back`)
    }
  })

  check('read() gives exactly the bytes of a half-open range', async ({ store }) => {
    const body = patternOf(300_000)
    const info = await store.put(inChunks(body, 7_777), { bytesMax: BYTES_MAX })
    for (const [start, end] of [
      [0, 1],
      [299_999, 300_000],
      [131_071, 131_074],
      [5, 5],
      [250_000, 400_000],
    ]) {
      const read = await bytesOf(await store.read(info, { start, end }))
      assert.ok(read?.equals(body.subarray(start, end)), `${start}–${end}`)
    }
  })

  check(
    'put() gives equal bodies keys of their own; delete() takes one only',
    async ({ store }) => {
      const body = patternOf(10)
      const first = await store.put(inChunks(body, 10), { bytesMax: 10 })
      const second = await store.put(inChunks(body, 10), { bytesMax: 10 })
      assert.notEqual(first.key, second.key)
      await store.delete(first.key)
      await store.delete(first.key)
      assert.equal(await store.read(first, { start: 0, end: 10 }), undefined)
      const kept = await bytesOf(await store.read(second, { start: 0, end: 10 }))
      assert.ok(kept?.equals(body))
    },
  )

  check('read() and delete() of keys that never were do nothing', async ({ store }) => {
    for (const key of ['', 'x', '../../etc/passwd', 'ab'.repeat(16), `ab/../${'0'.repeat(26)}`]) {
      assert.equal(await store.read({ key, bytes: 1, sha256: '' }, { start: 0, end: 1 }), undefined)
      await store.delete(key)
    }
  })

  check('a body that is being read survives its deletion', async ({ store }) => {
    const body = patternOf(3_000_000)
    const info = await store.put(inChunks(body, 65_536), { bytesMax: BYTES_MAX })
    const reading = await store.read(info, { start: 0, end: body.length })
    await store.delete(info.key)
    assert.ok((await bytesOf(reading))?.equals(body))
  })

  check('bodies are there after the store was opened again', async (fixture) => {
    const body = patternOf(1000)
    const info = await fixture.store.put(inChunks(body, 100), { bytesMax: BYTES_MAX })
    const reopened = await fixture.reopen()
    assert.ok((await bytesOf(await reopened.read(info, { start: 0, end: 1000 })))?.equals(body))
  })
}

function checkRefusals(check: Check): void {
  check('put() takes bytesMax bytes and refuses one more while they stream', async (fixture) => {
    await fixture.store.put(inChunks(patternOf(1000), 100), { bytesMax: 1000 })
    const before = await fixture.countKept()
    let handedOut = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; handedOut < 1000; handedOut += 1) yield patternOf(100)
    }
    await assert.rejects(
      fixture.store.put(endless(), { bytesMax: 1000 }),
      (error) => error instanceof Refusal && error.code === 'body_too_large',
    )
    assert.ok(handedOut <= 11, `stopped after ${handedOut} chunks`)
    assert.equal(await fixture.countKept(), before)
  })

  check('put() keeps nothing when its source fails, and tells the failure', async (fixture) => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield patternOf(100_000)
      throw new Error('connection lost')
    }
    await assert.rejects(fixture.store.put(broken(), { bytesMax: BYTES_MAX }), /connection lost/)
    assert.equal(await fixture.countKept(), 0)
  })
}

function checkSweep(check: Check): void {
  check('sweep() removes only old bodies that nobody knows', async ({ store }) => {
    const live = await store.put(inChunks(patternOf(5), 5), { bytesMax: 5 })
    const orphan = await store.put(inChunks(patternOf(5), 5), { bytesMax: 5 })
    const isLive = (key: string): boolean => key === live.key
    assert.equal(await store.sweep(isLive, Date.now() + HOUR_MS / 2), 0)
    assert.ok(await bytesOf(await store.read(orphan, { start: 0, end: 5 })))
    assert.equal(await store.sweep(async (key) => isLive(key), Date.now() + 2 * HOUR_MS), 1)
    assert.equal(await store.read(orphan, { start: 0, end: 5 }), undefined)
    assert.ok(await bytesOf(await store.read(live, { start: 0, end: 5 })))
  })

  check('sweep() leaves an upload alone that is still running', async (fixture) => {
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield patternOf(10)
      started.resolve()
      await gate.promise
      yield patternOf(10)
    }
    const upload = fixture.store.put(slow(), { bytesMax: BYTES_MAX })
    await started.promise
    assert.equal(await fixture.store.sweep(() => false, Date.now() + 2 * HOUR_MS), 0)
    gate.resolve()
    assert.equal((await upload).bytes, 20)
  })
}
