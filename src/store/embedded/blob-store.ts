/**
 * File bodies as plain files: `<folder>/<first two digits of the key>/<key>`. A body is written under
 * `<folder>/incoming`, synced, renamed to its key, and its folder synced, so that a key either names
 * a whole body or nothing. Keys are random and never used twice.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { refusal, refuse } from '../../base/index.ts'
import type { BlobInfo, BlobStore } from '../blob-port.ts'

/** Dirty pages of an upload stay few, so that its last sync never holds up the journal's for long. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024

/** A younger body may belong to an upload whose sample is on its way. */
const ORPHAN_AGE_MS = 3_600_000

/** One read of a body: large enough to keep the disk busy, small enough to hold for many readers. */
const READ_BYTES = 128 * 1024

const DISK_FULL_RETRY_SECONDS = 30

const INCOMING = 'incoming'
const KEY_PATTERN = /^[0-9a-f]{32}$/
const SHARD_PATTERN = /^[0-9a-f]{2}$/

export interface BlobStoreOptions {
  readonly folder: string
  /** How a body's file is opened for writing; replaced by tests that let the disk fail. */
  readonly openForWriting?: (path: string) => Promise<FileHandle>
}

/** Opens the bodies in a folder; what a stopped process left half-written there is removed. */
export async function openBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  const incoming = join(options.folder, INCOMING)
  await mkdir(incoming, { recursive: true })
  for (const name of await readdir(incoming)) await unlinkIfThere(join(incoming, name))
  await syncFolder(options.folder)
  return new FolderBlobStore(options)
}

class FolderBlobStore implements BlobStore {
  readonly #folder: string
  readonly #openForWriting: (path: string) => Promise<FileHandle>
  /** Uploads that run: their files are not stale, however long they take. */
  readonly #uploading = new Set<string>()
  readonly #madeShards = new Set<string>()

  constructor({ folder, openForWriting }: BlobStoreOptions) {
    this.#folder = folder
    this.#openForWriting = openForWriting ?? ((path) => open(path, 'wx'))
  }

  async put(source: AsyncIterable<Uint8Array>, options: { bytesMax: number }): Promise<BlobInfo> {
    const key = randomBytes(16).toString('hex')
    const incoming = join(this.#folder, INCOMING, key)
    this.#uploading.add(key)
    try {
      const { bytes, sha256 } = await this.#receive(incoming, source, options.bytesMax)
      await this.#publish(incoming, key)
      return { key, bytes, sha256 }
    } catch (cause) {
      await unlinkIfThere(incoming)
      throw asDiskRefusal(cause)
    } finally {
      this.#uploading.delete(key)
    }
  }

  async #receive(
    path: string,
    source: AsyncIterable<Uint8Array>,
    bytesMax: number,
  ): Promise<{ bytes: number; sha256: string }> {
    const hash = createHash('sha256')
    let bytes = 0
    let unsyncedBytes = 0
    const file = await this.#openForWriting(path)
    try {
      for await (const chunk of source) {
        bytes += chunk.byteLength
        if (bytes > bytesMax) refuse('body_too_large', { limitBytes: bytesMax })
        hash.update(chunk)
        await writeAll(file, chunk)
        unsyncedBytes += chunk.byteLength
        if (unsyncedBytes >= SYNC_EVERY_BYTES) {
          await file.datasync()
          unsyncedBytes = 0
        }
      }
      await file.datasync()
    } finally {
      await file.close()
    }
    return { bytes, sha256: hash.digest('hex') }
  }

  async #publish(incoming: string, key: string): Promise<void> {
    const shard = await this.#shardOf(key)
    const path = join(shard, key)
    await rename(incoming, path)
    try {
      await syncFolder(shard)
    } catch (cause) {
      // The caller is told that nothing was kept, so the name may not stay either.
      await unlinkIfThere(path)
      throw cause
    }
  }

  async #shardOf(key: string): Promise<string> {
    const name = key.slice(0, 2)
    const shard = join(this.#folder, name)
    if (this.#madeShards.has(name)) return shard
    await mkdir(shard, { recursive: true })
    await syncFolder(this.#folder)
    this.#madeShards.add(name)
    return shard
  }

  async read(key: string, range: { start: number; end: number }): Promise<Readable | undefined> {
    if (!KEY_PATTERN.test(key)) return undefined
    const file = await openIfThere(this.#pathOf(key))
    if (file === undefined) return undefined
    if (range.start >= range.end) {
      await file.close()
      return Readable.from([])
    }
    return file.createReadStream({
      start: range.start,
      end: range.end - 1,
      highWaterMark: READ_BYTES,
    })
  }

  async delete(key: string): Promise<void> {
    if (KEY_PATTERN.test(key)) await unlinkIfThere(this.#pathOf(key))
  }

  async sweep(isLive: (key: string) => Promise<boolean> | boolean, nowMs: number): Promise<number> {
    let sweptCount = 0
    for (const shard of await readdir(this.#folder)) {
      if (!SHARD_PATTERN.test(shard)) continue
      for (const key of await readdir(join(this.#folder, shard))) {
        if (!KEY_PATTERN.test(key) || !(await isStale(this.#pathOf(key), nowMs))) continue
        if (await isLive(key)) continue
        await this.delete(key)
        sweptCount += 1
      }
    }
    return sweptCount + (await this.#sweepIncoming(nowMs))
  }

  async #sweepIncoming(nowMs: number): Promise<number> {
    let sweptCount = 0
    for (const name of await readdir(join(this.#folder, INCOMING))) {
      const path = join(this.#folder, INCOMING, name)
      if (this.#uploading.has(name) || !(await isStale(path, nowMs))) continue
      await unlinkIfThere(path)
      sweptCount += 1
    }
    return sweptCount
  }

  #pathOf(key: string): string {
    return join(this.#folder, key.slice(0, 2), key)
  }

  async close(): Promise<void> {}
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, offset)
    offset += bytesWritten
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause
  }
}

async function isStale(path: string, nowMs: number): Promise<boolean> {
  try {
    return nowMs - (await stat(path)).mtimeMs > ORPHAN_AGE_MS
  } catch (cause) {
    // It went while the sweep was on its way here.
    if (codeOf(cause) === 'ENOENT') return false
    throw cause
  }
}

function asDiskRefusal(cause: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EROFS'].includes(codeOf(cause) ?? '')) return cause
  const what = 'Cannot store this file: the disk is full or read-only'
  return refusal('read_only', { what, retryAfterSeconds: DISK_FULL_RETRY_SECONDS })
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException | undefined)?.code
}
