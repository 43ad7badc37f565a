/**
 * File bodies in parts of 256 KB. A row of `blob` says what has become of a body: it comes in, is whole, or
 * was deleted; all its changes are lightweight transactions. Parts of a deleted body stay for an
 * hour, so that its readers can finish.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Clock, invariant, refuse, systemClock } from '../../../base/index.ts'
import {
  type BlobCheck,
  BlobDamaged,
  type BlobInfo,
  type BlobStore,
} from '../../ports/blob-port.ts'
import type { ScrubPass } from '../../ports/scrub-port.ts'
import type { Cluster } from '../connection/cluster.ts'

const PART_BYTES = 256 * 1024
/** Parts of a partition: 64 MB. */
const PARTS_PER_SECTION = 256
/** Parts of an upload that are being written while more come in. */
const PARTS_IN_FLIGHT = 4
/** A younger body may belong to an upload whose sample is on its way, a younger deleted one to a reader. */
const ORPHAN_AGE_MS = 3_600_000
/** How often an upload says that it is still there. */
const TOUCH_MS = 60_000
const ROWS_PER_PAGE = 1_000
const KEY_PATTERN = /^[0-9a-f]{32}$/

type State = 'incoming' | 'whole' | 'deleted'

/** Opens the bodies of a keyspace whose schema is there; the connection is the caller's to close. */
export async function openClusterBlobs(
  cluster: Cluster,
  options: { readonly clock?: Clock } = {},
): Promise<BlobStore> {
  return new ClusterBlobs(cluster, options.clock ?? systemClock)
}

class ClusterBlobs implements BlobStore {
  readonly #cluster: Cluster
  readonly #clock: Clock
  /** Uploads of this process that run: they are not stale, however long they take. */
  readonly #uploading = new Set<string>()

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster
    this.#clock = clock
  }

  async put(
    source: AsyncIterable<Uint8Array>,
    options: { bytesMax: number; key?: string },
  ): Promise<BlobInfo> {
    const key = options.key ?? randomBytes(16).toString('hex')
    invariant(KEY_PATTERN.test(key), 'a key that no body has')
    this.#uploading.add(key)
    try {
      const isFresh = options.key === undefined || (await this.#stateOf(key)) === undefined
      if (!isFresh) await this.#remove(key)
      await this.#begin(key)
      const { bytes, sha256 } = await this.#receive(key, source, options.bytesMax)
      await this.#finish({ key, bytes, sha256 })
      return { key, bytes, sha256 }
    } catch (error) {
      // What cannot be removed while the cluster is away is left for the sweep.
      await this.#remove(key).catch(() => {})
      throw error
    } finally {
      this.#uploading.delete(key)
    }
  }

  async read(blob: BlobInfo, range: { start: number; end: number }): Promise<Readable | undefined> {
    if ((await this.#stateOf(blob.key)) !== 'whole') return undefined
    const { start } = range
    const end = Math.min(range.end, blob.bytes)
    if (start >= end) return Readable.from([])
    const first = await this.#part(blob, Math.floor(start / PART_BYTES))
    return Readable.from(this.#bytes(blob, { first, start, end }), { objectMode: false })
  }

  async check(blob: BlobInfo, pass: Pick<ScrubPass, 'mayGoOn' | 'onChecked'>): Promise<BlobCheck> {
    if ((await this.#stateOf(blob.key)) !== 'whole') return { outcome: 'missing' }
    const hash = createHash('sha256')
    for (let part = 0; part < partsOf(blob.bytes); part++) {
      if (!(await pass.mayGoOn())) return { outcome: 'stopped' }
      try {
        const data = await this.#part(blob, part)
        hash.update(data)
        pass.onChecked(1, data.length)
      } catch (error) {
        if (!(error instanceof BlobDamaged)) throw error
        return { outcome: 'damaged', what: error.message }
      }
    }
    if (hash.digest('hex') === blob.sha256) return { outcome: 'whole' }
    return { outcome: 'damaged', what: 'the body is another than was put' }
  }

  async delete(key: string): Promise<void> {
    if (KEY_PATTERN.test(key)) await this.#change(key, 'whole', { state: 'deleted' })
  }

  async sweep(isLive: (key: string) => Promise<boolean> | boolean, nowMs: number): Promise<number> {
    let sweptCount = 0
    const cql = 'SELECT key, state, touched_at FROM blob'
    for await (const page of this.#cluster.pages(cql, [], ROWS_PER_PAGE)) {
      for (const row of page) {
        const [key, state] = [row.key as string, row.state as State]
        if (nowMs - Number(row.touched_at) <= ORPHAN_AGE_MS || this.#uploading.has(key)) continue
        if (state === 'whole') {
          if (await isLive(key)) continue
          await this.delete(key)
        } else await this.#remove(key)
        if (state !== 'deleted') sweptCount += 1
      }
    }
    return sweptCount
  }

  async close(): Promise<void> {}

  async #begin(key: string): Promise<void> {
    const cql = 'INSERT INTO blob (key, state, touched_at) VALUES (?, ?, ?) IF NOT EXISTS'
    await this.#cluster.cas(cql, [key, 'incoming' satisfies State, BigInt(this.#clock.now())])
  }

  async #receive(
    key: string,
    source: AsyncIterable<Uint8Array>,
    bytesMax: number,
  ): Promise<{ bytes: number; sha256: string }> {
    const hash = createHash('sha256')
    const running: Promise<unknown>[] = []
    let [bytes, part, touchedMs] = [0, 0, this.#clock.elapsed()]
    let filling: Uint8Array[] = []
    let filled = 0
    const write = async () => {
      if (running.length >= PARTS_IN_FLIGHT) await running.shift()
      const writing = this.#writePart(key, part, Buffer.concat(filling, filled))
      // Whether it fails is asked when its turn comes.
      writing.catch(() => {})
      running.push(writing)
      part += 1
      ;[filling, filled] = [[], 0]
    }
    try {
      for await (const chunk of source) {
        bytes += chunk.byteLength
        if (bytes > bytesMax) refuse('body_too_large', { limitBytes: bytesMax })
        hash.update(chunk)
        for (let at = 0; at < chunk.byteLength; ) {
          // Copied: the source may reuse the memory of its chunks.
          const piece = Buffer.from(chunk.subarray(at, at + PART_BYTES - filled))
          filling.push(piece)
          filled += piece.length
          at += piece.length
          if (filled === PART_BYTES) await write()
        }
        if (this.#clock.elapsed() - touchedMs < TOUCH_MS) continue
        touchedMs = this.#clock.elapsed()
        await this.#change(key, 'incoming', {})
      }
      if (filled > 0) await write()
    } finally {
      await Promise.allSettled(running)
    }
    await Promise.all(running)
    return { bytes, sha256: hash.digest('hex') }
  }

  async #writePart(key: string, part: number, data: Buffer): Promise<void> {
    const cql = 'INSERT INTO blob_part (key, section, part, data, crc) VALUES (?, ?, ?, ?, ?)'
    const section = Math.floor(part / PARTS_PER_SECTION)
    await this.#cluster.run(cql, [key, section, part, data, crc32(data) | 0])
  }

  async #finish({ key, bytes, sha256 }: BlobInfo): Promise<void> {
    const isThere = await this.#change(key, 'incoming', { state: 'whole', bytes, sha256 })
    if (!isThere) throw new Error(`Cannot keep the body ${key}: it was swept while it came in`)
  }

  /** Changes the row of a body that is in a state; false when it is not. */
  async #change(
    key: string,
    from: State,
    to: { state?: State; bytes?: number; sha256?: string },
  ): Promise<boolean> {
    const set = ['touched_at = ?']
    const params: unknown[] = [BigInt(this.#clock.now())]
    for (const [column, value] of Object.entries(to)) {
      set.push(`${column} = ?`)
      params.push(typeof value === 'number' ? BigInt(value) : value)
    }
    const cql = `UPDATE blob SET ${set.join(', ')} WHERE key = ? IF state = ?`
    return (await this.#cluster.cas(cql, [...params, key, from])).isApplied
  }

  async #stateOf(key: string): Promise<State | undefined> {
    if (!KEY_PATTERN.test(key)) return undefined
    const [row] = await this.#cluster.run('SELECT state FROM blob WHERE key = ?', [key])
    return row?.state as State | undefined
  }

  async *#bytes(
    blob: BlobInfo,
    { first, start, end }: { first: Buffer; start: number; end: number },
  ): AsyncGenerator<Buffer> {
    const firstPart = Math.floor(start / PART_BYTES)
    const lastPart = Math.floor((end - 1) / PART_BYTES)
    for (let part = firstPart; part <= lastPart; part++) {
      const data = part === firstPart ? first : await this.#part(blob, part)
      const from = part * PART_BYTES
      yield data.subarray(Math.max(0, start - from), Math.min(PART_BYTES, end - from))
    }
  }

  /** A part of a body that checks. */
  async #part(blob: BlobInfo, part: number): Promise<Buffer> {
    const cql = 'SELECT data, crc FROM blob_part WHERE key = ? AND section = ? AND part = ?'
    const section = Math.floor(part / PARTS_PER_SECTION)
    const [row] = await this.#cluster.run(cql, [blob.key, section, part])
    const data = row?.data as Buffer | undefined
    const bytes = Math.min(PART_BYTES, blob.bytes - part * PART_BYTES)
    if (data === undefined) throw new BlobDamaged(blob.key, `part ${part} is missing`)
    if (data.length === bytes && (crc32(data) | 0) === row?.crc) return data
    throw new BlobDamaged(blob.key, `part ${part} does not check`)
  }

  /** Removes all of a body, its row last: a sweep that was broken off finds it again. */
  async #remove(key: string): Promise<void> {
    for (let section = 0; ; section++) {
      const where = 'WHERE key = ? AND section = ?'
      const cql = `SELECT part FROM blob_part ${where} LIMIT 1`
      if ((await this.#cluster.run(cql, [key, section])).length === 0) break
      await this.#cluster.run(`DELETE FROM blob_part ${where}`, [key, section])
    }
    await this.#cluster.cas('DELETE FROM blob WHERE key = ? IF EXISTS', [key])
  }
}

function partsOf(bytes: number): number {
  return Math.ceil(bytes / PART_BYTES)
}
