/**
 * File bodies as files: `<folder>/<first two digits of the key>/<key>`, the body and behind it the
 * checksums of its blocks (docs/format/files.md). A body is written under `<folder>/incoming`, synced,
 * renamed to its key, and its folder synced, so that a key either names a whole body or nothing. Keys
 * are random and never used twice.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import {
  bodyFilesWithin,
  findOpenFilesMax,
  invariant,
  refusal,
  refuse,
} from '../../../base/index.ts'
import type { BlobCheck, BlobInfo, BlobStore } from '../../ports/blob-port.ts'
import type { ScrubPass } from '../../ports/scrub-port.ts'
import { BlockReader } from './block-reader.ts'
import { BlockSums, writeTrailer } from './block-sums.ts'
import { codeOf, openIfThere, syncBodyFolder, unlinkIfThere, writeAll } from './body-files.ts'
import { BodyHandles, outOfHandles } from './body-handles.ts'
import { checkBlocks, checkWholeBody, readSums } from './check-body.ts'
import { CheckedBody } from './checked-body.ts'
import { WholeBodySums } from './whole-bodies.ts'

/** Dirty pages of an upload stay few, so that its last sync never holds up the journal's for long. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024

/** A younger body may belong to an upload whose sample is on its way. */
const ORPHAN_AGE_MS = 3_600_000

const DISK_FULL_RETRY_SECONDS = 30

const INCOMING = 'incoming'
const KEY_PATTERN = /^[0-9a-f]{32}$/
const SHARD_PATTERN = /^[0-9a-f]{2}$/

export interface BlobStoreOptions {
  readonly folder: string
  /** How a body's file is opened for writing; replaced by tests that let the disk fail. */
  readonly openForWriting?: (path: string) => Promise<FileHandle>
  /** How many bodies may be open at once; else a part of what the system gives this process. */
  readonly openFilesMax?: number
}

/** Opens the bodies in a folder; what a stopped process left half-written there is removed. */
export async function openBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  const incoming = join(options.folder, INCOMING)
  await mkdir(incoming, { recursive: true })
  for (const name of await readdir(incoming)) await unlinkIfThere(join(incoming, name))
  await syncBodyFolder(options.folder)
  // Its own name, too: without it everything in it would be gone after a power cut.
  await syncBodyFolder(dirname(options.folder))
  return new FolderBlobStore(options)
}

class FolderBlobStore implements BlobStore {
  readonly #folder: string
  readonly #openForWriting: (path: string) => Promise<FileHandle>
  /** Uploads that run: their files are not stale, however long they take. */
  readonly #uploading = new Set<string>()
  readonly #madeShards = new Set<string>()
  readonly #wholeSums = new WholeBodySums()
  readonly #handles: BodyHandles

  constructor({ folder, openForWriting, openFilesMax }: BlobStoreOptions) {
    this.#folder = folder
    this.#handles = new BodyHandles(openFilesMax ?? bodyFilesWithin(findOpenFilesMax()))
    this.#openForWriting = openForWriting ?? ((path) => open(path, 'wx'))
  }

  async put(
    source: AsyncIterable<Uint8Array>,
    options: { bytesMax: number; key?: string },
  ): Promise<BlobInfo> {
    const key = options.key ?? randomBytes(16).toString('hex')
    invariant(KEY_PATTERN.test(key), 'a key that no body has')
    const incoming = join(this.#folder, INCOMING, key)
    const giveHandle = await this.#handles.take()
    this.#uploading.add(key)
    try {
      const { bytes, sha256 } = await this.#receive(incoming, source, {
        key,
        bytesMax: options.bytesMax,
      })
      await this.#publish(incoming, key)
      return { key, bytes, sha256 }
    } catch (cause) {
      await unlinkIfThere(incoming)
      throw asDiskRefusal(cause)
    } finally {
      this.#uploading.delete(key)
      giveHandle()
    }
  }

  async #receive(
    path: string,
    source: AsyncIterable<Uint8Array>,
    { key, bytesMax }: { key: string; bytesMax: number },
  ): Promise<{ bytes: number; sha256: string }> {
    const hash = createHash('sha256')
    const blocks = new BlockSums(key)
    let unsyncedBytes = 0
    const file = await this.#openForWriting(path)
    try {
      for await (const chunk of source) {
        if (blocks.bytes + chunk.byteLength > bytesMax)
          refuse('body_too_large', { limitBytes: bytesMax })
        hash.update(chunk)
        blocks.add(chunk)
        await writeAll(file, chunk)
        unsyncedBytes += chunk.byteLength
        if (unsyncedBytes >= SYNC_EVERY_BYTES) {
          await file.datasync()
          unsyncedBytes = 0
        }
      }
      await writeAll(file, writeTrailer(key, blocks))
      await file.datasync()
    } finally {
      await file.close()
    }
    return { bytes: blocks.bytes, sha256: hash.digest('hex') }
  }

  async #publish(incoming: string, key: string): Promise<void> {
    const shard = await this.#shardOf(key)
    const path = join(shard, key)
    await rename(incoming, path)
    try {
      await syncBodyFolder(shard)
    } catch (cause) {
      // The caller learns that nothing was kept, so the name may not stay either.
      await unlinkIfThere(path)
      throw cause
    }
  }

  async #shardOf(key: string): Promise<string> {
    const name = key.slice(0, 2)
    const shard = join(this.#folder, name)
    if (this.#madeShards.has(name)) return shard
    await mkdir(shard, { recursive: true })
    await syncBodyFolder(this.#folder)
    this.#madeShards.add(name)
    return shard
  }

  async read(blob: BlobInfo, range: { start: number; end: number }): Promise<Readable | undefined> {
    const giveHandle = await this.#handles.take()
    let body: Readable | undefined
    try {
      body = await this.#read(blob, range)
    } catch (cause) {
      throw asDiskRefusal(cause)
    } finally {
      if (body === undefined) giveHandle()
    }
    return body?.once('close', giveHandle)
  }

  async #read(blob: BlobInfo, range: { start: number; end: number }) {
    const file = await this.#open(blob)
    if (file === undefined) return undefined
    const { start } = range
    const end = Math.min(range.end, blob.bytes)
    try {
      if (start < end) {
        const sums = (await readSums(file, blob)) ?? (await this.#wholeSums.sumsOf(file, blob))
        const reader = new BlockReader(file, blob, sums)
        return new CheckedBody(file, reader, { first: await reader.read(start, end), start, end })
      }
    } catch (cause) {
      await file.close()
      throw cause
    }
    await file.close()
    return Readable.from([])
  }

  async check(blob: BlobInfo, pass: Pick<ScrubPass, 'mayGoOn' | 'onChecked'>): Promise<BlobCheck> {
    const file = await this.#open(blob)
    if (file === undefined) return { outcome: 'missing' }
    const copyName = `${blob.key}.checked`
    this.#uploading.add(copyName)
    try {
      const sums = await readSums(file, blob)
      if (sums !== undefined)
        return await checkBlocks(new BlockReader(file, blob, sums), sums.length, pass)
      const incoming = join(this.#folder, INCOMING, copyName)
      return await checkWholeBody(file, blob, { path: this.#pathOf(blob.key), incoming, pass })
    } finally {
      this.#uploading.delete(copyName)
      await file.close()
    }
  }

  async #open({ key }: BlobInfo): Promise<FileHandle | undefined> {
    return KEY_PATTERN.test(key) ? openIfThere(this.#pathOf(key)) : undefined
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
  if (['EMFILE', 'ENFILE'].includes(codeOf(cause) ?? '')) return outOfHandles()
  if (!['ENOSPC', 'EDQUOT', 'EROFS'].includes(codeOf(cause) ?? '')) return cause
  const what = 'Cannot store this file: the disk is full or read-only'
  return refusal('read_only', { what, retryAfterSeconds: DISK_FULL_RETRY_SECONDS })
}
