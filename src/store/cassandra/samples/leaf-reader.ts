import { BoundedCache } from '../../../base/index.ts'
import { decodeChunk } from '../../embedded/chunk/index.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type ChunkKey, type Manifest, type ManifestEntry, unpackManifest } from './leaf-index.ts'
import { bytesOf } from './row-values.ts'
import { type LeafPlace, ViewPassed } from './sample-head.ts'

/** Where a leaf's index lies among its chunks. */
export const MANIFEST_PLACE = -1

/** Indexes of leaves that are kept: they never change, so they cannot be out of date. */
const MANIFESTS_MAX = 512

/** Chunks that are kept: a page that is open asks for the same ones again and again. They never change either. */
const CHUNKS_MAX = 1_024
/** Longer ones hold texts, and are read again. */
const CHUNK_BYTES_MAX = 16 * 1024

const selectBody =
  'SELECT body FROM sample_chunk WHERE stream = ? AND leaf = ? AND gen = ? AND place = ?'

/** Reads the indexes and chunks of leaves. */
export class LeafReader {
  readonly #cql: Cluster
  readonly #manifests = new BoundedCache<string, Manifest>(MANIFESTS_MAX)
  readonly #chunks = new BoundedCache<string, Uint8Array>(CHUNKS_MAX)

  constructor(cql: Cluster) {
    this.#cql = cql
  }

  /** The index of a leaf. */
  async manifest(handle: number, { leaf, gen }: LeafPlace): Promise<Manifest> {
    const key = `${handle}/${leaf}/${gen}`
    const known = this.#manifests.get(key)
    if (known !== undefined) return known
    const bytes = await this.#body(handle, leaf, { gen, place: MANIFEST_PLACE })
    const manifest = unpackManifest(handle, bytes)
    this.#manifests.set(key, manifest)
    return manifest
  }

  /** The packed samples of a chunk. */
  async chunkBytes(handle: number, leaf: number, entry: ChunkKey): Promise<Uint8Array> {
    const key = `${handle}/${leaf}/${entry.gen}/${entry.place}`
    const known = this.#chunks.get(key)
    if (known !== undefined) return known
    const bytes = await this.#body(handle, leaf, entry)
    // A copy: the driver's bytes are part of a longer answer.
    if (bytes.length <= CHUNK_BYTES_MAX) this.#chunks.set(key, new Uint8Array(bytes))
    return bytes
  }

  async #body(handle: number, leaf: number, { gen, place }: ChunkKey): Promise<Uint8Array> {
    const params = [handle, BigInt(leaf), BigInt(gen), place]
    const [row] = await this.#cql.run(selectBody, params)
    const body = bytesOf(row?.body)
    if (body === undefined) throw new ViewPassed(`chunk ${gen}/${place} of leaf ${leaf} is gone`)
    return body
  }
}

/** The samples of a chunk, which must be what its leaf's index says. */
export function decodeEntry(
  handle: number,
  entry: ManifestEntry,
  bytes: Uint8Array,
  isTimesOnly = false,
): SampleColumns {
  const { start, last, count } = entry
  return decodeChunk(bytes, { stream: handle, isRun: false, start, last, count }, { isTimesOnly })
}
