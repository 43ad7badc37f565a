import { type Clock, refuse } from '../../../base/index.ts'
import { emptyColumns } from '../../embedded/chunk/index.ts'
import type { Removal, SampleBatch, TouchedSpan } from '../../sample-port.ts'
import type { Cluster, CqlStatement } from '../connection/cluster.ts'
import { groupRuns, type StreamRun } from './group-runs.ts'
import type { HybridClock } from './hybrid-clock.ts'
import type { OpenParts } from './open-parts.ts'
import { blobOf } from './row-values.ts'
import { packRun, type RunPiece, spanOfRun } from './run-row.ts'
import { eachAtOnce, type Slots } from './slots.ts'
import type { TouchedStreams } from './touched-streams.ts'

/**
 * A write counts as stored only when it is done this soon after it got its stamp. Compaction leaves
 * runs alone that are younger, so none that counts can come too late for it.
 */
export const WRITE_MS_MAX = 20_000

/** Partitions that one call writes to at once. */
const PARTITIONS_AT_ONCE = 64

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
  /** Told of runs that were stored. */
  readonly onRun: (handle: number, run: { rows: number; bytes: number }) => void
}

/** One call on its way: its place among all others, and when it began. */
interface Call {
  readonly stamp: number
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
    const { parts } = this.#deps
    await parts.open([removal.handle])
    if (!isWanted()) return false
    const call = this.#begin()
    const run = { handle: removal.handle, removals: [removal], columns: emptyColumns }
    await this.#store(call, [run])
    return true
  }

  #begin(): Call {
    const { clock, stamps } = this.#deps
    return { stamp: stamps.next(), beganMs: clock.elapsed(), beganAt: clock.now() }
  }

  async #store(call: Call, runs: readonly StreamRun[]): Promise<void> {
    const { clock, parts, touched } = this.#deps
    const spans = touched.watchedOf(spansOf(runs))
    const intent = { stamp: call.stamp, writer: parts.writer }
    await touched.intend(intent, spans)
    await eachAtOnce(runs, PARTITIONS_AT_ONCE, (run) => this.#write(call, run))
    const tookMs = Math.max(clock.elapsed() - call.beganMs, clock.now() - call.beganAt)
    if (tookMs > WRITE_MS_MAX) {
      refuse('overloaded', { retryAfterSeconds: 1 })
    }
    await touched.tell(intent, spans)
  }

  async #write(call: Call, run: StreamRun): Promise<void> {
    const { slots, parts, onRun } = this.#deps
    const { handle } = run
    const pieces = await packRun(run)
    const part = parts.partOf(handle)
    // It was forgotten meanwhile, and with it what would be written.
    if (part === 0) return
    const bytes = pieces.reduce((sum, piece) => sum + bytesOfPiece(piece), 0)
    parts.count(handle, pieces.length, bytes)
    const statements = pieces.map(({ removed, body }, piece) => ({
      cql: insertRun,
      params: [
        handle,
        BigInt(part),
        parts.writer,
        BigInt(call.stamp),
        piece,
        blobOrNull(removed),
        blobOrNull(body),
      ],
    }))
    for (const group of groupsOf(statements, pieces)) {
      await slots.run(() => this.#send(group, call.stamp))
    }
    onRun(handle, { rows: pieces.length, bytes })
  }

  async #send(statements: readonly CqlStatement[], timestamp: number): Promise<void> {
    const { cql } = this.#deps
    const [only] = statements
    if (statements.length > 1) await cql.batch(statements, { timestamp })
    else await cql.run(only.cql, only.params, { timestamp })
  }
}

function blobOrNull(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : blobOf(bytes)
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
