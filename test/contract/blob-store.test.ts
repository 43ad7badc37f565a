import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import { openBlobStore } from '../../src/store/embedded/index.ts'
import { blobStoreContract, patternOf } from './blob-store-contract.ts'

function tempFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'weir-blobs-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function countFiles(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length
}

blobStoreContract('embedded', async () => {
  const { folder, remove } = tempFolder()
  return {
    store: await openBlobStore({ folder }),
    reopen: () => openBlobStore({ folder }),
    countKept: async () => countFiles(folder),
    dispose: async () => remove(),
  }
})

/** A store whose disk fails with `code` at the step named, after letting `bytes` through. */
async function putOnFailingDisk(step: 'write' | 'datasync', code: string): Promise<unknown> {
  const { folder, remove } = tempFolder()
  const openForWriting = async (path: string): Promise<FileHandle> => {
    const file = await open(path, 'wx')
    const fail = async (): Promise<never> => {
      throw Object.assign(new Error(`${code}: made up`), { code })
    }
    return new Proxy(file, {
      get: (target, name) => {
        if (name === step) return fail
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
  try {
    const store = await openBlobStore({ folder, openForWriting })
    async function* source(): AsyncGenerator<Uint8Array> {
      yield patternOf(1000)
    }
    const failure = await store.put(source(), { bytesMax: 1e6 }).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    assert.equal(countFiles(folder), 0, 'nothing remains')
    return failure
  } finally {
    remove()
  }
}

test('put() refuses read_only and keeps nothing, when the disk is full', async () => {
  for (const step of ['write', 'datasync'] as const) {
    const failure = await putOnFailingDisk(step, 'ENOSPC')
    assert.ok(failure instanceof Refusal)
    assert.equal(failure.code, 'read_only')
    assert.equal(failure.retryAfterSeconds, 30)
  }
})

test('put() rejects with the failure itself, when the disk fails otherwise', async () => {
  const failure = await putOnFailingDisk('datasync', 'EIO')
  assert.ok(!(failure instanceof Refusal))
  assert.match(String(failure), /EIO/)
})

test('openBlobStore() removes what a killed process left half-written', async () => {
  const { folder, remove } = tempFolder()
  try {
    await openBlobStore({ folder })
    writeFileSync(join(folder, 'incoming', 'half'), 'half a bo')
    await openBlobStore({ folder })
    assert.equal(existsSync(join(folder, 'incoming', 'half')), false)
  } finally {
    remove()
  }
})

test('sweep() removes stale files from incoming, and no file it does not know elsewhere', async () => {
  const { folder, remove } = tempFolder()
  try {
    const store = await openBlobStore({ folder })
    const stale = join(folder, 'incoming', 'stale')
    writeFileSync(stale, 'x')
    const twoHoursAgo = Date.now() / 1000 - 7200
    utimesSync(stale, twoHoursAgo, twoHoursAgo)
    writeFileSync(join(folder, 'incoming', 'young'), 'x')
    writeFileSync(join(folder, 'README'), 'an operator was here')
    utimesSync(join(folder, 'README'), twoHoursAgo, twoHoursAgo)
    assert.equal(await store.sweep(() => false, Date.now()), 1)
    assert.deepEqual(readdirSync(folder).sort(), ['README', 'incoming'])
    assert.deepEqual(readdirSync(join(folder, 'incoming')), ['young'])
  } finally {
    remove()
  }
})

test('a body for which no file handle is left is refused with 503, and the next one is kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-blobs-'))
  let isOut = true
  const openForWriting = async (path: string): Promise<FileHandle> => {
    if (isOut) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    return await open(path, 'wx')
  }
  try {
    const store = await openBlobStore({ folder, openForWriting, openFilesMax: 1 })
    const body = () => Readable.from([Buffer.from('body')])
    await assert.rejects(store.put(body(), { bytesMax: 10 }), { code: 'overloaded', status: 503 })
    isOut = false
    const kept = await store.put(body(), { bytesMax: 10 })
    for (let round = 0; round < 3; round++) {
      const read = await store.read(kept, { start: 0, end: kept.bytes })
      assert.equal(String(Buffer.concat((await read?.toArray()) ?? [])), 'body')
    }
    await store.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
