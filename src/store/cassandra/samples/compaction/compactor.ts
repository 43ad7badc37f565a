import { type Clock, EARLIEST_TIME } from '../../../../base/index.ts'
import { cutColumns } from '../../../embedded/chunk/index.ts'
import { touchesMask } from '../../../embedded/head/tombstones.ts'
import { APART_MS_MAX, SKEW_MS_MAX } from '../../connection/clock-skew.ts'
import type { Cluster } from '../../connection/cluster.ts'
import { READ_MS_MAX } from '../cluster-reader.ts'
import { type HybridClock, stampSpan } from '../hybrid-clock.ts'
import type { Manifest } from '../leaf-index.ts'
import { decodeEntry, type LeafReader } from '../leaf-reader.ts'
import { PART_MS_MAX } from '../open-parts.ts'
import { layRuns, type Overlay } from '../run-reader.ts'
import { WRITE_MS_MAX } from '../sample-writer.ts'
import { type LeafPlace, readView, type StreamView } from '../stream-view.ts'
import { TextRooms } from '../text-room.ts'
import { LeafWriter, type Pass } from './leaf-writer.ts'
import { MapWriter } from './map-writer.ts'
import { mergeLeaf } from './merge-leaf.ts'
import { takeRuns } from './take-runs.ts'

/** Runs are left alone until none that counts can come before them, whatever the clocks. */
export const GRACE_MS = WRITE_MS_MAX + APART_MS_MAX

/** A pass that takes longer is given up, and its lease is over. */
const PASS_MS_MAX = 60_000

/** After this nobody reads what a pass replaced: the pass may last its time, and a read its own twice. */
const UNREAD_MS = PASS_MS_MAX + 2 * READ_MS_MAX + SKEW_MS_MAX

/** What a compactor works with. */
interface CompactorDeps {
  readonly cql: Cluster
  readonly clock: Clock
  readonly stamps: HybridClock
  readonly leaves: LeafReader
  readonly writer: number
}

/** How a pass ended: `more` is left to do at once, another process is at it, or all is done for the time being. */
export type PassEnd = 'done' | 'more' | 'busy'

const ALL_TIME = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }

/** Merges the runs of single streams into their leaves, under a lease that is in the stream's own map. */
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
    const { cql, clock, stamps } = this.#deps
    const view = await readView(cql, clock, handle)
    stamps.observe(view.version ?? 0)
    const now = stamps.next()
    if (view.leaseUntil !== undefined && view.leaseUntil > now) return 'busy'
    if (view.isForgotten) return await this.#map.purge(handle, view)
    if (view.parts.length === 0 && view.dropped.length === 0) return 'done'
    const leaseUntil = now + stampSpan(PASS_MS_MAX)
    if (!(await this.#map.takeLease(handle, view, leaseUntil))) return 'busy'
    const pass = {
      ...{ handle, gen: stamps.next(), nextPlace: 0 },
      unreadBefore: stamps.before(UNREAD_MS),
    }
    return await this.#pass(pass, { ...view, leaseUntil })
  }

  async #pass(pass: Pass, view: StreamView): Promise<PassEnd> {
    const { cql, clock, stamps } = this.#deps
    const isUnread = view.version !== undefined && view.version < pass.unreadBefore
    if (isUnread) await this.#map.deleteUnread(pass.handle, view)
    const dropped = isUnread ? view.dropped : []
    const taken = await takeRuns(cql, pass.handle, view, stamps.before(GRACE_MS))
    const isOver = view.parts.some(
      ({ part }) => isOverAt(part, taken.upTo) && !isOverAt(part, view.sealed),
    )
    if (taken.rows.length === 0 && !isOver && dropped.length === 0) {
      await this.#map.releaseLease(pass.handle, view)
      return 'done'
    }
    const overlay = await layRuns(taken.rows, ALL_TIME, new TextRooms().open())
    const leaves = await this.#mergeLeaves(pass, view.leaves, overlay)
    const isLate = clock.elapsed() - view.readAtMs > PASS_MS_MAX
    // The clock that only goes on stands still while a machine sleeps.
    if (isLate || stamps.before(PASS_MS_MAX) > pass.gen) return 'busy'
    const next = { gen: pass.gen, sealed: Math.max(taken.upTo, view.sealed), leaves, dropped }
    const isFlipped = await this.#map.flip(pass.handle, view, next)
    return !isFlipped ? 'busy' : taken.isCut ? 'more' : 'done'
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
    const decode = async (entry: Manifest['entries'][number]) =>
      decodeEntry(handle, entry, await leaves.chunkBytes(handle, place.leaf, entry))
    const { entries } = manifest
    const chunks = await mergeLeaf({ handle, entries, overlay, decode })
    return await this.#leafWriter.write(pass, { place, manifest }, chunks)
  }
}

/** Whether nothing more can be written to a part after a stamp. */
function isOverAt(part: number, stamp: number): boolean {
  return part + stampSpan(PART_MS_MAX) <= stamp
}
