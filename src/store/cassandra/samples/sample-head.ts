/**
 * The partition of a stream: its runs, what is known of those that are merged, and where its leaves are. One query returns
 * the runs and what they are to be laid over, as of one moment.
 */
import { BoundedCache } from '../../../base/index.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { bytesOf, mustBeWhole, wholeOf } from './row-values.ts'
import { type RunRow, runRowOf } from './run-row.ts'

/** The sections of a partition. */
export const LEAF_SECTION = 0
/** Leaves that nobody reads any more. */
export const DROPPED_SECTION = 1
export const RUN_SECTION = 2

/**
 * Rows before all leaves and behind all runs, there from the first merge on: static columns come with rows, so a read that
 * finds no others finds these.
 */
export const FIRST_KEY = Number.MIN_SAFE_INTEGER
export const LAST_KEY = Number.MAX_SAFE_INTEGER

/** Rows of one answer; nearly all streams have fewer. */
const ROWS_PER_PAGE = 200
const LEAVES_PER_PAGE = 5_000

/** A stream that is merged so often while it is read is given up. */
const TRIES_MAX = 8

/** Streams whose leaves are remembered, and of how many leaves at most each. */
const KNOWN_MAX = 4_096
const KNOWN_LEAVES_MAX = 256

/** Streams of which it is remembered up to where they are merged: a few bytes each. */
const SEALED_MAX = 65_536

const selectRuns = `SELECT key, writer, removed, body, version, sealed, newest, forgotten
  FROM sample WHERE stream = ? AND section = ${RUN_SECTION} AND key > ?`
const selectVersion = `SELECT key, version FROM sample WHERE stream = ? AND section = ${RUN_SECTION}
  AND key = ${LAST_KEY}`
const selectLeaves = `SELECT section, key, leaf, gen, last, samples, bytes, version
  FROM sample WHERE stream = ? AND section < ${RUN_SECTION}`

/** What a read named is gone, or was changed while it was read: it has to be read again. */
export class ViewPassed extends Error {}

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

/** The leaves of a version. */
export interface LeafList {
  readonly leaves: readonly LeafPlace[]
  readonly dropped: readonly DroppedLeaf[]
}

/** A leaf that was dropped and waits to be deleted. */
export interface DroppedLeaf {
  readonly leaf: number
  /** When it was dropped, by the clock that all processes share. */
  readonly atMs: number
}

/** A stream at one moment. */
export interface SampleHead {
  /** Another after each merge; undefined before the first. */
  readonly version: number | undefined
  /** Runs up to this stamp are in the leaves; those that are still there count for nothing. */
  readonly sealed: number
  /** The last sample of all leaves, packed; undefined where there is none, or it is long. */
  readonly newest: Uint8Array | undefined
  readonly isForgotten: boolean
  /** The runs that are not in the leaves, newest first. */
  readonly runs: readonly RunRow[]
  /** Whether there are more. */
  readonly isCut: boolean
}

interface KnownLeaves extends LeafList {
  readonly version: number
}

const NO_LEAVES: LeafList = { leaves: [], dropped: [] }

/** Reads the partitions of streams, and remembers their leaves. */
export class SampleHeads {
  readonly #cql: Cluster
  readonly #known = new BoundedCache<number, KnownLeaves>(KNOWN_MAX)
  readonly #sealed = new BoundedCache<number, number>(SEALED_MAX)

  constructor(cql: Cluster) {
    this.#cql = cql
  }

  /** Reads the head of a stream. With `bytesMax`, it stops after about that many bytes of the oldest runs. */
  async read(handle: number, bytesMax = Number.POSITIVE_INFINITY): Promise<SampleHead> {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const head = await this.#tryRead(handle, bytesMax)
      if (head !== undefined) return head
    }
    throw new ViewPassed('the stream was merged again and again')
  }

  /** The leaves of a head. Throws ViewPassed when they are of another version by now. */
  async leavesOf(handle: number, { version }: SampleHead): Promise<LeafList> {
    if (version === undefined) return NO_LEAVES
    const known = this.#known.get(handle)
    if (known?.version === version) return known
    const rows: CqlRow[] = []
    for await (const page of this.#cql.pages(selectLeaves, [handle], LEAVES_PER_PAGE)) {
      rows.push(...page)
    }
    const isOfHead = rows.every((row) => wholeOf(row.version) === version)
    if (!isOfHead || rows.length === 0) throw new ViewPassed('the leaves are of another version')
    const list = listOf(rows)
    const isShort = list.leaves.length + list.dropped.length <= KNOWN_LEAVES_MAX
    if (isShort) this.#known.set(handle, { ...list, version })
    return list
  }

  async #tryRead(handle: number, bytesMax: number): Promise<SampleHead | undefined> {
    // What was merged before stays merged: the query need not pass over what was deleted of it.
    const after = this.#sealed.get(handle) ?? 0
    const rows: CqlRow[] = []
    let [pages, bytes, isCut] = [0, 0, false]
    for await (const page of this.#cql.pages(selectRuns, [handle, BigInt(after)], ROWS_PER_PAGE)) {
      pages += 1
      rows.push(...page)
      for (const row of page) bytes += bytesOfRow(row)
      // All rows of a call have one key, and are taken together.
      isCut = bytes > bytesMax && rows[0].key !== rows[rows.length - 1].key
      if (isCut) break
    }
    // Of one answer all is of one moment; runs may have been merged and deleted between two.
    if (pages > 1 && !(await this.#isStill(handle, wholeOf(rows[0]?.version)))) return undefined
    const head = headOf(rows, isCut)
    if (head.sealed > after) this.#sealed.set(handle, head.sealed)
    return head
  }

  async #isStill(handle: number, version: number | undefined): Promise<boolean> {
    const [row] = await this.#cql.run(selectVersion, [handle])
    return wholeOf(row?.version) === version
  }
}

function headOf(rows: readonly CqlRow[], isCut: boolean): SampleHead {
  const [first] = rows
  const sealed = wholeOf(first?.sealed) ?? 0
  const runs = rows.map(runRowOf).filter(({ stamp }) => stamp > sealed && stamp < LAST_KEY)
  // A call may have several rows; those of the last one may not all be among them.
  const last = runs.at(-1)?.stamp
  const whole = isCut ? runs.filter(({ stamp }) => stamp !== last) : runs
  return {
    version: wholeOf(first?.version),
    sealed,
    newest: bytesOf(first?.newest),
    isForgotten: first?.forgotten === true,
    runs: whole.reverse(),
    isCut,
  }
}

function listOf(rows: readonly CqlRow[]): LeafList {
  const leaves: LeafPlace[] = []
  const dropped: DroppedLeaf[] = []
  for (const row of rows) {
    const key = mustBeWhole(row.key)
    if (row.section === DROPPED_SECTION) dropped.push({ leaf: key, atMs: mustBeWhole(row.last) })
    else if (key !== FIRST_KEY) leaves.push(leafOf(row, key))
  }
  return { leaves, dropped }
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

/** What a row costs beside its bytes. */
const ROW_BYTES = 64

function bytesOfRow(row: CqlRow): number {
  return ROW_BYTES + (bytesOf(row.body)?.length ?? 0) + (bytesOf(row.removed)?.length ?? 0)
}
