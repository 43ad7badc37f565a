import { type Clock, refuse } from '../../../base/index.ts'
import { emptyColumns } from '../../embedded/chunk/index.ts'
import type { Removal, SampleBatch, TouchedSpan } from '../../sample-port.ts'
import type { Cluster, CqlStatement } from '../connection/cluster.ts'
import { frameGroups } from './frame-groups.ts'
import { groupRuns, type StreamRun } from './group-runs.ts'
import type { HybridClock } from './hybrid-clock.ts'
import type { OpenParts } from './open-parts.ts'
import { blobOf, longBytes } from './row-values.ts'
import { packRun, packSmallRun, type RunPiece, spanOfRun } from './run-row.ts'
import { eachAtOnce, type Slots } from './slots.ts'
import type { TouchedStreams } from './touched-streams.ts'

/**
 * A write counts as stored only when it is done this soon after it got its stamp. Compaction leaves
 * runs alone that are younger, so none that counts can come too late for it.
 */
export const WRITE_MS_MAX = 20_000

/** Frames that one call has under way at once. */
const FRAMES_AT_ONCE = 16

/** Bytes of rows that are written together: nodes refuse writes of 16 MB. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024

const insertRun = `INSERT INTO sample_run (stream, part, writer, stamp, piece, removed, body)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

/** What writing needs. */
interface WriterDeps {
  readonly cql: Cluster
  readonly clock: Clock
  readonly stamps: HybridClock
  readonly parts: OpenParts
  readonly touched: TouchedStreams
  /** Places for statements under way, of all calls together. */
  readonly slots: Slots
  /** Asked before anything is written: refuses what must not be. */
  readonly permit: (batch: SampleBatch) => void
  /** Takes note of the stamps of all that a removal could meet. */
  readonly observe: (removal: Removal) => Promise<void>
  /** Told of runs that were stored. */
  readonly onRun: (handle: number, run: { rows: number; bytes: number }) => void
}

/** One call on its way: its place among all others, and when it began. */
interface Call {
  readonly stamp: number
  /** As a column has it. */
  readonly stampBytes: Buffer
  /** On both clocks: one stands still while the machine sleeps, the other may be moved. */
  readonly beganMs: number
  readonly beganAt: number
}

/** Writes calls as runs, one row per stream, at QUORUM. */
export class SampleWriter {
  readonly #deps: WriterDeps

  constructor(deps: WriterDeps) {
    this.#deps = deps
  }

  /** Stores a batch; resolves when all of it is on a majority of the replicas. */
  async append(batch: SampleBatch): Promise<void> {
    const { parts, permit } = this.#deps
    // Taken at once: calls are applied in the order in which they were made.
    const call = this.#begin()
    const runs = await groupRuns(batch)
    await parts.open(runs.map(({ handle }) => handle))
    // A stream may be forgotten while a long batch is made ready.
    permit(batch)
    await this.#store(call, runs)
  }

  /** Stores a removal if it is wanted when it takes its place among the calls. */
  async remove(removal: Removal, isWanted: () => boolean): Promise<boolean> {
    const { parts, observe } = this.#deps
    // What it is to remove may have come through a process whose clock is ahead: its stamp has to be later.
    await Promise.all([parts.open([removal.handle]), observe(removal)])
    if (!isWanted()) return false
    const call = this.#begin()
    const run = { handle: removal.handle, removals: [removal], columns: emptyColumns }
    await this.#store(call, [run])
    return true
  }

  #begin(): Call {
    const { clock, stamps } = this.#deps
    const stamp = stamps.next()
    const stampBytes = longBytes(stamp)
    return { stamp, stampBytes, beganMs: clock.elapsed(), beganAt: clock.now() }
  }

  async #store(call: Call, runs: readonly StreamRun[]): Promise<void> {
    const { clock, parts, touched } = this.#deps
    const spans = touched.watchedOf(spansOf(runs))
    const intent = { stamp: call.stamp, writer: parts.writer }
    await touched.intend(intent, spans)
    const frames = frameGroups(runs, (handle) => parts.nodeOf(handle))
    await eachAtOnce(frames, FRAMES_AT_ONCE, (some) =>
      some.length === 1 ? this.#write(call, some[0]) : this.#writeSmall(call, some),
    )
    const tookMs = Math.max(clock.elapsed() - call.beganMs, clock.now() - call.beganAt)
    if (tookMs > WRITE_MS_MAX) {
      refuse('overloaded', { retryAfterSeconds: 1 })
    }
    await touched.tell(intent, spans)
  }

  async #write(call: Call, run: StreamRun): Promise<void> {
    const { slots } = this.#deps
    const pieces = await packRun(run)
    const statements = this.#statementsOf(call, run.handle, pieces)
    if (statements.length === 0) return
    for (const group of groupsOf(statements, pieces)) {
      await slots.run(() => this.#send(group, call.stamp))
    }
    this.#told(run.handle, pieces)
  }

  /** Writes runs of one row each in one frame. */
  async #writeSmall(call: Call, runs: readonly StreamRun[]): Promise<void> {
    const rows = runs.map((run) => ({ handle: run.handle, pieces: [packSmallRun(run)] }))
    const statements = rows.flatMap((row) => this.#statementsOf(call, row.handle, row.pieces))
    if (statements.length === 0) return
    await this.#deps.slots.run(() => this.#send(statements, call.stamp))
    for (const { handle, pieces } of rows) this.#told(handle, pieces)
  }

  /** The rows of a run, which count in their part; none where the stream was forgotten meanwhile. */
  #statementsOf(call: Call, handle: number, pieces: readonly RunPiece[]): CqlStatement[] {
    const { parts } = this.#deps
    const part = parts.partOf(handle)
    if (part === 0) return []
    parts.count(handle, pieces.length, bytesOfPieces(pieces))
    // Encoded here, as the driver would, but what all rows of a call share once.
    return pieces.map(({ removed, body }, piece) => ({
      cql: insertRun,
      params: [
        handle,
        longBytes(part),
        parts.writer,
        call.stampBytes,
        piece,
        // Left out rather than set to null, which would leave a tombstone in each row.
        blobOrNone(removed),
        blobOrNone(body),
      ],
    }))
  }

  #told(handle: number, pieces: readonly RunPiece[]): void {
    this.#deps.onRun(handle, { rows: pieces.length, bytes: bytesOfPieces(pieces) })
  }

  async #send(statements: readonly CqlStatement[], timestamp: number): Promise<void> {
    const { cql } = this.#deps
    const [only] = statements
    if (statements.length > 1) await cql.batch(statements, { timestamp })
    else await cql.run(only.cql, only.params, { timestamp })
  }
}

function blobOrNone(bytes: Uint8Array | null): Buffer | undefined {
  return bytes === null ? undefined : blobOf(bytes)
}

function bytesOfPieces(pieces: readonly RunPiece[]): number {
  return pieces.reduce((sum, piece) => sum + bytesOfPiece(piece), 0)
}

function bytesOfPiece({ removed, body }: RunPiece): number {
  return (removed?.length ?? 0) + (body?.length ?? 0)
}

/** Statements in groups that a node takes in one write. */
function groupsOf(
  statements: readonly CqlStatement[],
  pieces: readonly RunPiece[],
): CqlStatement[][] {
  const groups: CqlStatement[][] = [[]]
  let bytes = 0
  for (const [at, statement] of statements.entries()) {
    const more = bytesOfPiece(pieces[at])
    if (bytes + more > BATCH_BYTES_MAX && bytes > 0) {
      groups.push([])
      bytes = 0
    }
    groups[groups.length - 1].push(statement)
    bytes += more
  }
  return groups
}

function* spansOf(runs: readonly StreamRun[]): Iterable<TouchedSpan> {
  for (const run of runs) {
    const span = spanOfRun(run)
    if (span !== undefined) yield span
  }
}
