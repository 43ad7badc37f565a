import { EARLIEST_TIME } from '../../../../base/index.ts'
import type { Cluster, CqlStatement } from '../../connection/cluster.ts'
import { type HybridClock, stampSpan } from '../hybrid-clock.ts'
import { PART_MS_MAX, PART_SECTION } from '../open-parts.ts'
import { tryCas } from '../settled-cas.ts'
import { eachAtOnce } from '../slots.ts'
import { DROPPED_SECTION, LEAF_SECTION, type LeafPlace, type StreamView } from '../stream-view.ts'

const PARTITIONS_AT_ONCE = 8

const updateLease = `UPDATE sample_map SET lease_until = ?, lease_by = ? WHERE stream = ?
  IF lease_until = ? AND version = ?`
const updateVersion = `UPDATE sample_map SET version = ?, sealed = ?, lease_until = ? WHERE stream = ?
  IF version = ?`
const insertLeaf = `INSERT INTO sample_map (stream, section, key, writer, leaf, gen, last, samples, bytes)
  VALUES (?, ${LEAF_SECTION}, ?, 0, ?, ?, ?, ?, ?)`
const insertDropped = `INSERT INTO sample_map (stream, section, key, writer)
  VALUES (?, ${DROPPED_SECTION}, ?, 0)`
const deleteKey =
  'DELETE FROM sample_map WHERE stream = ? AND section = ? AND key = ? AND writer = 0'
const deletePart = `DELETE FROM sample_map
  WHERE stream = ? AND section = ${PART_SECTION} AND key = ? AND writer = ?`
const deleteRuns = `DELETE FROM sample_run
  WHERE stream = ? AND part = ? AND writer = ? AND stamp <= ?`
const deleteWholePart = 'DELETE FROM sample_run WHERE stream = ? AND part = ? AND writer = ?'
const deleteLeaf = 'DELETE FROM sample_chunk WHERE stream = ? AND leaf = ?'

/** What a stream's map is to say. */
interface NextMap {
  readonly gen: number
  readonly sealed: number
  readonly leaves: readonly LeafPlace[]
  /** Dropped leaves that are deleted, of which nothing needs to be remembered. */
  readonly dropped: readonly number[]
}

/** Changes maps of streams: what readers see changes in one step, if nobody else changed it before. */
export class MapWriter {
  readonly #cql: Cluster
  readonly #stamps: HybridClock
  readonly #writer: number

  constructor(deps: { cql: Cluster; stamps: HybridClock; writer: number }) {
    this.#cql = deps.cql
    this.#stamps = deps.stamps
    this.#writer = deps.writer
  }

  /** Takes the lease of a stream; false where another process was quicker. */
  async takeLease(handle: number, view: StreamView, until: number): Promise<boolean> {
    const params = [
      BigInt(until),
      this.#writer,
      handle,
      bigOf(view.leaseUntil),
      bigOf(view.version),
    ]
    return (await tryCas(this.#cql, [{ cql: updateLease, params }])) === 'made'
  }

  /** Lets the lease of a stream go that nothing was done under. */
  async releaseLease(handle: number, view: StreamView): Promise<void> {
    const params = [null, null, handle, bigOf(view.leaseUntil), bigOf(view.version)]
    // One that was not let go is over soon by itself.
    await tryCas(this.#cql, [{ cql: updateLease, params }])
  }

  /** Puts a pass into force, all of it at once; false when the map was changed meanwhile, or nobody knows. */
  async flip(handle: number, view: StreamView, next: NextMap): Promise<boolean> {
    const version = [BigInt(next.gen), BigInt(next.sealed), null, handle, bigOf(view.version)]
    const leaves = next.leaves.map((leaf, at) =>
      at === 0 ? { ...leaf, start: EARLIEST_TIME } : leaf,
    )
    const end = await tryCas(this.#cql, [
      { cql: updateVersion, params: version },
      ...leafChanges(handle, view.leaves, leaves),
      ...next.dropped.map((leaf) => deletionOf(handle, DROPPED_SECTION, leaf)),
    ])
    return end === 'made'
  }

  /** Deletes runs that are in the leaves, parts that are over, and leaves that were dropped; nobody reads them. */
  async deleteUnread(handle: number, view: StreamView): Promise<void> {
    await eachAtOnce(view.dropped, PARTITIONS_AT_ONCE, (leaf) => this.#deleteLeaf(handle, leaf))
    await eachAtOnce(view.parts, PARTITIONS_AT_ONCE, async ({ part, writer }) => {
      const key = [handle, BigInt(part), writer]
      if (part + stampSpan(PART_MS_MAX) > view.sealed) {
        // As old as the newest that goes: what is written later stays, whatever the clocks.
        const options = { timestamp: view.sealed }
        await this.#cql.run(deleteRuns, [...key, BigInt(view.sealed)], options)
        return
      }
      await this.#cql.run(deleteWholePart, key, { timestamp: this.#stamps.next() })
      await this.#cql.run(deletePart, key, { timestamp: this.#stamps.next() })
    })
  }

  /** Deletes everything of a stream that was forgotten. */
  async purge(handle: number, view: StreamView): Promise<'done' | 'busy'> {
    const gen = this.#stamps.next()
    const next = { gen, sealed: gen, leaves: [], dropped: view.dropped }
    if (view.leaves.length > 0 || view.dropped.length > 0) {
      await eachAtOnce(view.dropped, PARTITIONS_AT_ONCE, (leaf) => this.#deleteLeaf(handle, leaf))
      if (!(await this.flip(handle, view, next))) return 'busy'
      await eachAtOnce(view.leaves, PARTITIONS_AT_ONCE, ({ leaf }) =>
        this.#deleteLeaf(handle, leaf),
      )
    }
    await eachAtOnce(view.parts, PARTITIONS_AT_ONCE, async ({ part, writer }) => {
      const key = [handle, BigInt(part), writer]
      await this.#cql.run(deleteWholePart, key, { timestamp: this.#stamps.next() })
      await this.#cql.run(deletePart, key, { timestamp: this.#stamps.next() })
    })
    return 'done'
  }

  async #deleteLeaf(handle: number, leaf: number): Promise<void> {
    const timestamp = this.#stamps.next()
    await this.#cql.run(deleteLeaf, [handle, BigInt(leaf)], { timestamp })
  }
}

/** What makes one list of leaves another; leaves that are in none of their rows any more are remembered. */
function leafChanges(
  handle: number,
  before: readonly LeafPlace[],
  after: readonly LeafPlace[],
): CqlStatement[] {
  const keys = new Set(after.map(({ start }) => start))
  const leaves = new Set(after.map(({ leaf }) => leaf))
  const known = new Map(before.map((place) => [place.start, place]))
  const isKnown = (place: LeafPlace): boolean => {
    const old = known.get(place.start)
    return old !== undefined && old.leaf === place.leaf && old.gen === place.gen
  }
  return [
    ...before
      .filter(({ start }) => !keys.has(start))
      .map(({ start }) => deletionOf(handle, LEAF_SECTION, start)),
    ...before
      .filter(({ leaf }) => !leaves.has(leaf))
      .map(({ leaf }) => ({ cql: insertDropped, params: [handle, BigInt(leaf)] })),
    ...after.filter((place) => !isKnown(place)).map((place) => insertionOf(handle, place)),
  ]
}

function insertionOf(handle: number, place: LeafPlace): CqlStatement {
  const { start, leaf, gen, last, samples, bytes } = place
  const numbers = [start, leaf, gen, last, samples, bytes].map(BigInt)
  return { cql: insertLeaf, params: [handle, ...numbers] }
}

function deletionOf(handle: number, section: number, key: number): CqlStatement {
  return { cql: deleteKey, params: [handle, section, BigInt(key)] }
}

function bigOf(value: number | undefined): bigint | null {
  return value === undefined ? null : BigInt(value)
}
