import { EARLIEST_TIME } from '../../../../base/index.ts'
import { cutColumns, encodeChunk, sliceColumns } from '../../../embedded/chunk/index.ts'
import { touchesMask } from '../../../embedded/head/tombstones.ts'
import type { SampleOrder } from '../../../ports/sample-order.ts'
import type { SampleColumns } from '../../../ports/sample-port.ts'
import type { Cluster } from '../../connection/cluster.ts'
import type { Manifest } from '../leaf-index.ts'
import { decodeEntry, type LeafReader } from '../leaf-reader.ts'
import { layRuns, type Overlay } from '../run-reader.ts'
import {
  type LeafList,
  type LeafPlace,
  type SampleHead,
  type SampleHeads,
  ViewPassed,
} from '../sample-head.ts'
import { TextRooms } from '../text-room.ts'
import { isUnread, LeafWriter, type Pass } from './leaf-writer.ts'
import { MapWriter } from './map-writer.ts'
import { mergeLeaf } from './merge-leaf.ts'

/** Bytes of runs that one pass takes: what it decodes is some times as much. */
const TAKEN_BYTES_MAX = 2 * 1024 * 1024

/** The last sample of a stream is kept beside its runs unless it is longer. */
const NEWEST_BYTES_MAX = 1_024

/** What a compactor works with. */
interface CompactorDeps {
  readonly cql: Cluster
  readonly order: SampleOrder
  readonly heads: SampleHeads
  readonly leaves: LeafReader
}

/** How a pass ended: `more` is left to do at once, there are calls or another process to wait for, or all is done. */
export type PassEnd = 'done' | 'more' | 'busy'

/** A stream as a pass found it. */
interface Found {
  readonly head: SampleHead
  readonly list: LeafList
}

const ALL_TIME = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }

/**
 * Merges the runs of single streams into their leaves. It takes runs only up to a stamp up to which all writes have
 * ended, so none that counts comes later below it. Of two processes that merge one stream at once one changes nothing.
 */
export class Compactor {
  readonly #deps: CompactorDeps
  readonly #leafWriter: LeafWriter
  readonly #map: MapWriter

  constructor(deps: CompactorDeps) {
    this.#deps = deps
    this.#leafWriter = new LeafWriter(deps)
    this.#map = new MapWriter(deps)
  }

  /** Makes one pass over a stream. */
  async compact(handle: number): Promise<PassEnd> {
    const { order, heads } = this.#deps
    // Asked before the runs are read: all up to here are among them.
    const { endedUpTo, nowMs } = order
    try {
      const head = await heads.read(handle, TAKEN_BYTES_MAX)
      const list = await heads.leavesOf(handle, head)
      const pass = { handle, gen: await order.next(), nextPlace: 0, beganMs: nowMs }
      if (head.isForgotten) return await this.#purge(pass, { head, list })
      return await this.#pass(pass, { head, list }, endedUpTo)
    } catch (error) {
      if (error instanceof ViewPassed) return 'busy'
      throw error
    }
  }

  async #pass(pass: Pass, found: Found, endedUpTo: number): Promise<PassEnd> {
    const { handle } = pass
    const { head, list } = found
    const runs = head.runs.filter(({ stamp }) => stamp <= endedUpTo)
    const deleted = list.dropped.filter(({ atMs }) => isUnread(pass, atMs))
    if (runs.length === 0 && deleted.length === 0) return head.runs.length > 0 ? 'busy' : 'done'
    const unread = deleted.map(({ leaf }) => leaf)
    await this.#map.deleteLeaves(handle, unread, pass.gen)
    const overlay = await layRuns(runs, ALL_TIME, new TextRooms().open())
    const leaves = await this.#mergeLeaves(pass, list.leaves, overlay)
    const sealed = runs[0]?.stamp ?? head.sealed
    const isAsBefore = leaves.at(-1) === list.leaves.at(-1) && head.version !== undefined
    const newest = isAsBefore ? head.newest : await this.#newestOf(handle, leaves)
    const next = { gen: pass.gen, sealed, newest, leaves, deleted, beganMs: pass.beganMs }
    if (!(await this.#map.flip(handle, found, next))) return 'busy'
    await this.#map.deleteRuns(handle, sealed)
    return head.isCut ? 'more' : 'done'
  }

  /** Deletes everything of a stream that was forgotten. */
  async #purge(pass: Pass, found: Found): Promise<PassEnd> {
    const { handle, gen, beganMs } = pass
    const { leaves, dropped } = found.list
    const all = [...leaves, ...dropped].map(({ leaf }) => leaf)
    if (all.length > 0) {
      await this.#map.deleteLeaves(handle, all, gen)
      const newest = new Uint8Array(0)
      const next = { gen, sealed: gen, newest, leaves: [], deleted: dropped, beganMs }
      if (!(await this.#map.flip(handle, found, next))) return 'busy'
    }
    await this.#map.deleteRuns(handle, gen)
    return 'done'
  }

  /** The last sample of leaves, packed; empty when there is none, undefined for a long one. */
  async #newestOf(handle: number, leaves: readonly LeafPlace[]): Promise<Uint8Array | undefined> {
    const last = leaves.at(-1)
    if (last === undefined) return new Uint8Array(0)
    const { entries } = await this.#deps.leaves.manifest(handle, last)
    const entry = entries.at(-1)
    if (entry === undefined) return undefined
    const bytes = await this.#deps.leaves.chunkBytes(handle, last.leaf, entry)
    const columns = decodeEntry(handle, entry, bytes)
    const packed = encodeChunk(sliceColumns(columns, columns.count - 1, columns.count), {
      stream: handle,
      isRun: false,
    })
    return packed.length <= NEWEST_BYTES_MAX ? packed : undefined
  }

  async #mergeLeaves(
    pass: Pass,
    before: readonly LeafPlace[],
    overlay: Overlay,
  ): Promise<LeafPlace[]> {
    const first = {
      start: EARLIEST_TIME,
      leaf: pass.gen,
      gen: 0,
      last: -Infinity,
      samples: 0,
      bytes: 0,
    }
    const places = before.length > 0 ? before : [first]
    const after: LeafPlace[] = []
    for (const [at, place] of places.entries()) {
      const until = places[at + 1]?.start ?? Number.POSITIVE_INFINITY
      const from = at === 0 ? Number.NEGATIVE_INFINITY : place.start
      const columns = cutColumns(overlay.columns, from, until)
      const isTouched = columns.count > 0 || touchesMask(overlay.mask, place.start, place.last + 1)
      if (isTouched) after.push(...(await this.#mergeOne(pass, place, { ...overlay, columns })))
      else if (place.gen > 0) after.push(place)
    }
    return after
  }

  async #mergeOne(pass: Pass, place: LeafPlace, overlay: Overlay): Promise<LeafPlace[]> {
    const { handle } = pass
    const { leaves } = this.#deps
    const manifest: Manifest =
      place.gen === 0 ? { entries: [], replaced: [] } : await leaves.manifest(handle, place)
    const decode = async (entry: Manifest['entries'][number]): Promise<SampleColumns> =>
      decodeEntry(handle, entry, await leaves.chunkBytes(handle, place.leaf, entry))
    const { entries } = manifest
    const chunks = await mergeLeaf({ handle, entries, overlay, decode })
    return await this.#leafWriter.write(pass, { place, manifest }, chunks)
  }
}
