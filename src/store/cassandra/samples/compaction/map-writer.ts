import { EARLIEST_TIME } from '../../../../base/index.ts'
import type { Cluster, CqlStatement } from '../../connection/cluster.ts'
import { blobOf } from '../row-values.ts'
import {
  DROPPED_SECTION,
  type DroppedLeaf,
  FIRST_KEY,
  LAST_KEY,
  LEAF_SECTION,
  type LeafList,
  type LeafPlace,
  RUN_SECTION,
  type SampleHead,
} from '../sample-head.ts'
import { tryCas } from '../settled-cas.ts'
import { eachAtOnce } from '../slots.ts'

const PARTITIONS_AT_ONCE = 8

const updateVersion = `UPDATE sample SET version = ?, sealed = ?, newest = ? WHERE stream = ?
  IF version = ?`
const insertEnd = 'INSERT INTO sample (stream, section, key, writer, piece) VALUES (?, ?, ?, 0, 0)'
const insertLeaf = `INSERT INTO sample (stream, section, key, writer, piece, leaf, gen, last, samples, bytes)
  VALUES (?, ${LEAF_SECTION}, ?, 0, 0, ?, ?, ?, ?, ?)`
const insertDropped = `INSERT INTO sample (stream, section, key, writer, piece, last)
  VALUES (?, ${DROPPED_SECTION}, ?, 0, 0, ?)`
const deleteKey =
  'DELETE FROM sample WHERE stream = ? AND section = ? AND key = ? AND writer = 0 AND piece = 0'
const deleteRuns = `DELETE FROM sample WHERE stream = ? AND section = ${RUN_SECTION} AND key <= ?`
const deleteLeaf = 'DELETE FROM sample_chunk WHERE stream = ? AND leaf = ?'

/** What a stream's partition is to say. */
interface NextVersion {
  readonly gen: number
  readonly sealed: number
  readonly newest: Uint8Array | undefined
  readonly leaves: readonly LeafPlace[]
  /** Dropped leaves that are deleted, of which nothing needs to be remembered. */
  readonly deleted: readonly DroppedLeaf[]
  /** When the pass began, by the clock that all processes share. */
  readonly beganMs: number
}

/** Changes what readers see of a stream in one step, if nobody else changed it before. */
export class MapWriter {
  readonly #cql: Cluster

  constructor({ cql }: { cql: Cluster }) {
    this.#cql = cql
  }

  /** Puts a pass into force, all of it at once; false when the stream was changed meanwhile, or nobody knows. */
  async flip(
    handle: number,
    { head, list }: { readonly head: SampleHead; readonly list: LeafList },
    next: NextVersion,
  ): Promise<boolean> {
    const newest = next.newest === undefined ? null : blobOf(next.newest)
    const version = [BigInt(next.gen), BigInt(next.sealed), newest, handle, bigOf(head.version)]
    const leaves = next.leaves.map((leaf, at) =>
      at === 0 ? { ...leaf, start: EARLIEST_TIME } : leaf,
    )
    const end = await tryCas(this.#cql, [
      { cql: updateVersion, params: version },
      ...(head.version === undefined ? endsOf(handle) : []),
      ...leafChanges(handle, { before: list.leaves, after: leaves, atMs: next.beganMs }),
      ...next.deleted.map(({ leaf }) => deletionOf(handle, DROPPED_SECTION, leaf)),
    ])
    return end === 'made'
  }

  /** Deletes runs that are in the leaves: who reads them sees that they are. */
  async deleteRuns(handle: number, sealed: number): Promise<void> {
    // As old as the newest that goes: what is written later stays.
    await this.#cql.run(deleteRuns, [handle, BigInt(sealed)], { timestamp: sealed })
  }

  /** Deletes the chunks of leaves. */
  async deleteLeaves(handle: number, leaves: readonly number[], timestamp: number): Promise<void> {
    await eachAtOnce(leaves, PARTITIONS_AT_ONCE, (leaf) =>
      this.#cql.run(deleteLeaf, [handle, BigInt(leaf)], { timestamp }),
    )
  }
}

/** The rows that are always there. */
function endsOf(handle: number): CqlStatement[] {
  return [
    { cql: insertEnd, params: [handle, LEAF_SECTION, BigInt(FIRST_KEY)] },
    { cql: insertEnd, params: [handle, RUN_SECTION, BigInt(LAST_KEY)] },
  ]
}

/** What makes one list of leaves another; leaves that are in none of their rows any more are remembered. */
function leafChanges(
  handle: number,
  {
    before,
    after,
    atMs,
  }: {
    readonly before: readonly LeafPlace[]
    readonly after: readonly LeafPlace[]
    readonly atMs: number
  },
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
      .map(({ leaf }) => ({ cql: insertDropped, params: [handle, BigInt(leaf), BigInt(atMs)] })),
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
