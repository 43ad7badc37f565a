import { growColumn } from '../../../base/index.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { DirtyDays } from './dirty-days.ts'
import { type HybridClock, stampSpan } from './hybrid-clock.ts'
import { longBytes } from './row-values.ts'
import { eachAtOnce } from './slots.ts'

/** The bytes that go into one part before another is opened, give or take one call. */
const PART_BYTES_MAX = 8 * 1024 * 1024

/** How long a part is written to at most; compaction may drop it some time later. */
export const PART_MS_MAX = 6 * 60 * 60 * 1_000

/** A part is not begun to be written to so shortly before its end. */
const PART_END_MS = 60_000

/** What a row costs beside its bytes. */
const ROW_BYTES = 40

/** Streams whose parts are opened at once for one call. */
const OPENED_AT_ONCE = 128

/** The map of a stream has its parts first. */
export const PART_SECTION = 0

const insertPart = `INSERT INTO sample_map (stream, section, key, writer) VALUES (?, ${PART_SECTION}, ?, ?)`

/**
 * The partitions that this process writes runs to: its own, one per stream at a time, so that their size
 * is known here. A part is in the stream's map, where readers find it, before anything is in it.
 */
export class OpenParts {
  readonly #cql: Cluster
  readonly #clock: HybridClock
  readonly #dirty: DirtyDays
  readonly #writer: number
  /** By handle, the stamp at which its part was opened, which names it; 0: none is open. */
  #opened = new Float64Array(1024)
  #bytes = new Uint32Array(1024)
  #nodes = new Uint16Array(1024)
  readonly #opening = new Map<number, Promise<void>>()

  constructor(deps: { cql: Cluster; stamps: HybridClock; dirty: DirtyDays; writer: number }) {
    this.#cql = deps.cql
    this.#clock = deps.stamps
    this.#dirty = deps.dirty
    this.#writer = deps.writer
  }

  get writer(): number {
    return this.#writer
  }

  /** The part that a stream is written to; some must be open. */
  partOf(handle: number): number {
    return this.#opened[handle]
  }

  /** The node that has the first copy of that part, as a number. */
  nodeOf(handle: number): number {
    return this.#nodes[handle]
  }

  /** Resolves when every stream has a part that may be written to. */
  async open(handles: Iterable<number>): Promise<void> {
    const now = this.#clock.before(0)
    const missing: number[] = []
    for (const handle of handles) if (!this.#isOpen(handle, now)) missing.push(handle)
    if (missing.length === 0) return
    await eachAtOnce(missing, OPENED_AT_ONCE, (handle) => this.#openOne(handle))
  }

  /** Counts bytes that were written to a stream's part. */
  count(handle: number, rows: number, bytes: number): void {
    this.#bytes[handle] = Math.min(0xffff_ffff, this.#bytes[handle] + rows * ROW_BYTES + bytes)
  }

  /** Closes the part of a stream: what comes next goes to another. */
  close(handle: number): void {
    if (handle < this.#opened.length) this.#opened[handle] = 0
  }

  #isOpen(handle: number, now: number): boolean {
    if (handle >= this.#opened.length || this.#opened[handle] === 0) return false
    if (this.#bytes[handle] >= PART_BYTES_MAX) return false
    return now < this.#opened[handle] + stampSpan(PART_MS_MAX - PART_END_MS)
  }

  #openOne(handle: number): Promise<void> {
    const known = this.#opening.get(handle)
    if (known !== undefined) return known
    const opening = this.#register(handle).finally(() => this.#opening.delete(handle))
    this.#opening.set(handle, opening)
    return opening
  }

  async #register(handle: number): Promise<void> {
    const part = this.#clock.next()
    const timestamp = part
    await Promise.all([
      this.#cql.run(insertPart, [handle, BigInt(part), this.#writer], { timestamp }),
      this.#dirty.add(handle, part),
    ])
    this.#opened = growColumn(this.#opened, handle + 1)
    this.#bytes = growColumn(this.#bytes, this.#opened.length)
    this.#nodes = growColumn(this.#nodes, this.#opened.length)
    this.#opened[handle] = part
    this.#bytes[handle] = 0
    this.#nodes[handle] = this.#cql.nodeOf(runKeyOf(handle, part, this.#writer))
  }
}

/** The key of a partition of runs as nodes place it: each column with its length before it and a zero behind. */
function runKeyOf(handle: number, part: number, writer: number): Buffer {
  const key = Buffer.alloc(25)
  key.writeUInt16BE(4, 0)
  key.writeInt32BE(handle, 2)
  key.writeUInt16BE(8, 7)
  longBytes(part).copy(key, 9)
  key.writeUInt16BE(4, 18)
  key.writeInt32BE(writer, 20)
  return key
}
