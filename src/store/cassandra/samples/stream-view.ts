import type { Clock } from '../../../base/index.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { PART_SECTION } from './open-parts.ts'
import { mustBeWhole, wholeOf } from './row-values.ts'

/** The second section of a stream's map: its leaves. */
export const LEAF_SECTION = 1

/** The last section: leaves that nobody reads any more. */
export const DROPPED_SECTION = 2

/** Maps up to here are read whole, which is what nearly all are. */
const WHOLE_ROWS_MAX = 300

/** A map that is changed so often while it is read is given up. */
const TRIES_MAX = 8

const columns = `section, key, writer, leaf, gen, last, samples, bytes,
  version, sealed, lease_until, forgotten`
const selectWhole = `SELECT ${columns} FROM sample_map WHERE stream = ? LIMIT ${WHOLE_ROWS_MAX}`
const selectAll = `SELECT ${columns} FROM sample_map WHERE stream = ?`

/** A partition of runs. */
export interface OpenPart {
  readonly part: number
  readonly writer: number
}

/** A leaf: a stretch of time whose chunks share a partition. It begins at `start` and ends before the next. */
export interface LeafPlace {
  readonly start: number
  readonly leaf: number
  /** Which of its indexes is in force. */
  readonly gen: number
  /** The time of its last sample. */
  readonly last: number
  readonly samples: number
  readonly bytes: number
}

/** A stream's map at one moment. */
export interface StreamView {
  /** Changes with every compaction; undefined before the first. */
  readonly version: number | undefined
  /** Runs up to this stamp are in the leaves; those that are still there count for nothing. */
  readonly sealed: number
  readonly leaseUntil: number | undefined
  readonly isForgotten: boolean
  readonly parts: readonly OpenPart[]
  readonly leaves: readonly LeafPlace[]
  readonly dropped: readonly number[]
  /** When it was read, on the clock that only goes on. */
  readonly readAtMs: number
}

/** Reads the map of a stream as it is at one moment. */
export async function readView(cql: Cluster, clock: Clock, handle: number): Promise<StreamView> {
  for (let tries = 1; ; tries += 1) {
    const readAtMs = clock.elapsed()
    const first = await cql.run(selectWhole, [handle], { fetchSize: WHOLE_ROWS_MAX })
    if (first.length < WHOLE_ROWS_MAX) return viewOf(first, readAtMs)
    const rows: CqlRow[] = []
    for await (const page of cql.pages(selectAll, [handle], 5_000)) rows.push(...page)
    // Pages are read one after the other: a change between them shows in the version.
    const isWhole = rows.every(({ version }) => wholeOf(version) === wholeOf(rows[0]?.version))
    if (isWhole || tries === TRIES_MAX) return viewOf(rows, readAtMs)
  }
}

function viewOf(rows: readonly CqlRow[], readAtMs: number): StreamView {
  const parts: OpenPart[] = []
  const leaves: LeafPlace[] = []
  const dropped: number[] = []
  for (const row of rows) {
    const key = mustBeWhole(row.key)
    if (row.section === PART_SECTION) parts.push({ part: key, writer: mustBeWhole(row.writer) })
    else if (row.section === LEAF_SECTION) leaves.push(leafOf(row, key))
    else if (row.section === DROPPED_SECTION) dropped.push(key)
  }
  const [first] = rows
  return {
    version: wholeOf(first?.version),
    sealed: wholeOf(first?.sealed) ?? 0,
    leaseUntil: wholeOf(first?.lease_until),
    isForgotten: first?.forgotten === true,
    ...{ parts, leaves, dropped, readAtMs },
  }
}

function leafOf(row: CqlRow, start: number): LeafPlace {
  return {
    start,
    leaf: mustBeWhole(row.leaf),
    gen: mustBeWhole(row.gen),
    last: mustBeWhole(row.last),
    samples: mustBeWhole(row.samples),
    bytes: mustBeWhole(row.bytes),
  }
}
