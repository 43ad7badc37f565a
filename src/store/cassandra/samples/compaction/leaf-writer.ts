import type { SampleOrder } from '../../../ports/sample-order.ts'
import type { Cluster } from '../../connection/cluster.ts'
import {
  type ChunkKey,
  type Manifest,
  type ManifestEntry,
  packManifest,
  type ReplacedChunk,
} from '../leaf-index.ts'
import { type LeafReader, MANIFEST_PLACE } from '../leaf-reader.ts'
import { blobOf } from '../row-values.ts'
import type { LeafPlace } from '../sample-head.ts'
import { eachAtOnce } from '../slots.ts'
import type { PlannedChunk } from './merge-leaf.ts'
import { partLeaf } from './place-chunks.ts'

const ROWS_AT_ONCE = 16

const insertChunk = `INSERT INTO sample_chunk (stream, leaf, gen, place, body)
  VALUES (?, ?, ?, ?, ?)`
const deleteChunk = `DELETE FROM sample_chunk
  WHERE stream = ? AND leaf = ? AND gen = ? AND place = ?`

/** One pass over a stream, whose rows all carry its stamp. */
export interface Pass {
  readonly handle: number
  readonly gen: number
  /** The next free place among the rows of this pass. */
  nextPlace: number
  /** When it began, by the clock that all processes share. */
  readonly beganMs: number
}

/** A read that takes longer, and finds something gone, begins again. */
const READ_MS = 60_000

/** Whether hardly anybody still reads what was replaced at a moment. */
export function isUnread({ beganMs }: Pick<Pass, 'beganMs'>, atMs: number): boolean {
  return atMs < beganMs - READ_MS
}

/** A leaf as it was, and its index. */
interface OldLeaf {
  readonly place: LeafPlace
  readonly manifest: Manifest
}

/** Writes the rows of leaves; nobody sees them before the map names them. */
export class LeafWriter {
  readonly #cql: Cluster
  readonly #order: Pick<SampleOrder, 'next'>
  readonly #leaves: LeafReader

  constructor(deps: { cql: Cluster; order: Pick<SampleOrder, 'next'>; leaves: LeafReader }) {
    this.#cql = deps.cql
    this.#order = deps.order
    this.#leaves = deps.leaves
  }

  /** Writes the chunks that a leaf is to have, in as many leaves as they need; returns these. */
  async write(pass: Pass, old: OldLeaf, chunks: readonly PlannedChunk[]): Promise<LeafPlace[]> {
    if (chunks.length === 0) return []
    const places: LeafPlace[] = []
    for (const [at, group] of partLeaf(chunks).entries()) {
      const leaf = at === 0 ? old.place.leaf : await this.#order.next()
      const entries = await this.#writeChunks(pass, { from: old.place.leaf, to: leaf }, group)
      const replaced = at === 0 ? await this.#replacedIn(pass, old, entries) : []
      await this.#writeManifest(pass, leaf, { entries, replaced })
      places.push({
        leaf,
        gen: pass.gen,
        start: at === 0 ? old.place.start : group[0].start,
        last: group[group.length - 1].last,
        samples: group.reduce((sum, { count }) => sum + count, 0),
        bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
      })
    }
    return places
  }

  async #writeChunks(
    pass: Pass,
    leaf: { from: number; to: number },
    chunks: readonly PlannedChunk[],
  ): Promise<ManifestEntry[]> {
    const entries: ManifestEntry[] = new Array(chunks.length)
    await eachAtOnce([...chunks.entries()], ROWS_AT_ONCE, async ([at, chunk]) => {
      const { kept, body, ...rest } = chunk
      if (kept !== undefined && leaf.from === leaf.to) {
        entries[at] = kept
        return
      }
      const bytes = body ?? (await this.#bodyOf(pass.handle, leaf.from, kept))
      const key = { gen: pass.gen, place: pass.nextPlace++ }
      await this.#insert(pass.handle, leaf.to, { ...key, bytes })
      entries[at] = { ...rest, ...key }
    })
    return entries
  }

  async #bodyOf(
    handle: number,
    leaf: number,
    kept: ManifestEntry | undefined,
  ): Promise<Uint8Array> {
    if (kept === undefined) throw new Error('BUG: a chunk without bytes')
    return await this.#leaves.chunkBytes(handle, leaf, kept)
  }

  async #writeManifest(pass: Pass, leaf: number, manifest: Manifest): Promise<void> {
    const bytes = packManifest(pass.handle, manifest)
    await this.#insert(pass.handle, leaf, { gen: pass.gen, place: MANIFEST_PLACE, bytes })
  }

  async #insert(
    handle: number,
    leaf: number,
    { gen, place, bytes }: ChunkKey & { bytes: Uint8Array },
  ): Promise<void> {
    const params = [handle, BigInt(leaf), BigInt(gen), place, blobOf(bytes)]
    await this.#cql.run(insertChunk, params, { timestamp: gen })
  }

  /** What is to be deleted of a leaf later: rows that are not among its entries, and its index before. */
  async #replacedIn(
    pass: Pass,
    { place, manifest }: OldLeaf,
    entries: readonly ManifestEntry[],
  ): Promise<ReplacedChunk[]> {
    const isThere = new Set(entries.map(({ gen, place }) => `${gen}/${place}`))
    const gone = manifest.entries.filter(({ gen, place }) => !isThere.has(`${gen}/${place}`))
    const index = place.gen === 0 ? [] : [{ gen: place.gen, place: MANIFEST_PLACE }]
    const replaced = [...gone, ...index].map(({ gen, place }) => ({
      gen,
      place,
      atMs: pass.beganMs,
    }))
    const unread = manifest.replaced.filter(({ atMs }) => isUnread(pass, atMs))
    await eachAtOnce(unread, ROWS_AT_ONCE, (key) => this.#delete(pass, place.leaf, key))
    return [...manifest.replaced.filter(({ atMs }) => !isUnread(pass, atMs)), ...replaced]
  }

  async #delete(pass: Pass, leaf: number, { gen, place }: ChunkKey): Promise<void> {
    const params = [pass.handle, BigInt(leaf), BigInt(gen), place]
    await this.#cql.run(deleteChunk, params, { timestamp: pass.gen })
  }
}
