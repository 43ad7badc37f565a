import { setTimeout as pause } from 'node:timers/promises'
import { refusal } from '../../../base/index.ts'
import { emptyColumns } from '../../embedded/chunk/index.ts'
import type { SampleOrder, WritePlace } from '../../ports/sample-order.ts'
import type { Removal, SampleBatch, TouchedSpan } from '../../ports/sample-port.ts'
import type { Cluster, CqlStatement } from '../connection/cluster.ts'
import { frameGroups, isSmall } from './frame-groups.ts'
import { groupRuns, type StreamRun } from './group-runs.ts'
import { blobOf, longBytes } from './row-values.ts'
import { packRun, packSmallRun, type RunPiece, spanOfRun } from './run-row.ts'
import { RUN_SECTION } from './sample-head.ts'
import { SharedFrames } from './shared-frames.ts'
import { eachAtOnce, type Slots } from './slots.ts'
import type { TouchedStreams } from './touched-streams.ts'
import type { WrittenStreams } from './written-streams.ts'

/** Frames that one call has under way at once. */
const FRAMES_AT_ONCE = 16

/** Bytes of rows that are written together: nodes refuse writes of 16 MB. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024

/** The timestamp is the stamp: rows of several calls may share a frame, and writing a row twice changes nothing. */
const insertRun = `INSERT INTO sample (stream, section, key, writer, piece, removed, body)
  VALUES (?, ${RUN_SECTION}, ?, ?, ?, ?, ?) USING TIMESTAMP ?`

/** What writing needs. */
interface WriterDeps {
  readonly cql: Cluster
  readonly order: SampleOrder
  readonly streams: WrittenStreams
  readonly touched: TouchedStreams
  /** Places for statements under way, of all calls together. */
  readonly slots: Slots
  /** Asked before anything is written: refuses what must not be. */
  readonly permit: (batch: SampleBatch) => void
  /** Called with runs that were stored. */
  readonly onRun: (handle: number, run: { rows: number; bytes: number }) => void
}

/** A call on its way. */
interface Call extends WritePlace {
  /** Its stamp as a column has it. */
  readonly key: Buffer
}

/** Writes calls as runs, one row per stream, at QUORUM. */
export class SampleWriter {
  readonly #deps: WriterDeps
  readonly #shared = new SharedFrames((statements) => this.#send(statements))

  constructor(deps: WriterDeps) {
    this.#deps = deps
  }

  /** Stores a batch; resolves when all of it is on a majority of the replicas. */
  async append(batch: SampleBatch): Promise<void> {
    const { order, permit } = this.#deps
    // Asked for at once: calls are applied in the order in which they were made.
    await order.write(async (place) => {
      const runs = await groupRuns(batch)
      // A stream may be forgotten while a long batch is made ready.
      permit(batch)
      await this.#store(place, runs)
    })
  }

  /**
   * Stores a batch that is made of what was written before it. Writes that take a later place win over it, whether they
   * were seen or not.
   */
  async amend(make: () => Promise<SampleBatch>): Promise<void> {
    const { order, permit } = this.#deps
    await order.write(async (place) => {
      await allBefore(order, place.stamp)
      const batch = await make()
      const runs = await groupRuns(batch)
      permit(batch)
      if (runs.length > 0) await this.#store(place, runs)
    })
  }

  /** Stores removals, of one stream each, if they are wanted when they take their place among the calls. */
  async remove(removals: readonly Removal[], isWanted: () => boolean): Promise<boolean> {
    return await this.#deps.order.write(async (place) => {
      if (!isWanted()) return false
      const runOf = (removal: Removal): StreamRun => {
        return { handle: removal.handle, removals: [removal], columns: emptyColumns }
      }
      await this.#store(place, removals.map(runOf))
      return true
    })
  }

  async #store(place: WritePlace, runs: readonly StreamRun[]): Promise<void> {
    const { streams, touched } = this.#deps
    const call = { ...place, key: longBytes(place.stamp) }
    const spans = touched.watchedOf(spansOf(runs))
    await touched.intend(place, spans)
    const frames = frameGroups(runs, (handle) => streams.nodeOf(handle))
    await Promise.all([
      streams.list(
        runs.map(({ handle }) => handle),
        place.stamp,
      ),
      eachAtOnce(frames, FRAMES_AT_ONCE, (some) =>
        some.length === 1 ? this.#write(call, some[0]) : this.#writeSome(call, some),
      ),
    ])
    await touched.report(place, spans)
  }

  async #write(call: Call, run: StreamRun): Promise<void> {
    if (isSmall(run)) {
      await this.#writeSmall(call, run)
      return
    }
    const pieces = await packRun(run)
    const statements = statementsOf(call, run.handle, pieces)
    for (const group of groupsOf(statements, pieces)) await this.#send(group)
    this.#told(run.handle, pieces)
  }

  /** Writes a run of one row, in a frame with those of other calls. */
  async #writeSmall(call: Call, run: StreamRun): Promise<void> {
    const { handle } = run
    const pieces = [packSmallRun(run)]
    const [statement] = statementsOf(call, handle, pieces)
    await this.#shared.write(statement, bytesOfPieces(pieces))
    this.#told(handle, pieces)
  }

  /** Writes runs of one row each in one frame. */
  async #writeSome(call: Call, runs: readonly StreamRun[]): Promise<void> {
    const rows = runs.map((run) => ({ handle: run.handle, pieces: [packSmallRun(run)] }))
    await this.#send(rows.flatMap((row) => statementsOf(call, row.handle, row.pieces)))
    for (const { handle, pieces } of rows) this.#told(handle, pieces)
  }

  #told(handle: number, pieces: readonly RunPiece[]): void {
    this.#deps.onRun(handle, { rows: pieces.length, bytes: bytesOfPieces(pieces) })
  }

  async #send(statements: readonly CqlStatement[]): Promise<void> {
    const { cql, slots } = this.#deps
    const [only] = statements
    await slots.run(async () => {
      if (statements.length > 1) await cql.batch(statements)
      else await cql.run(only.cql, only.params)
    })
  }
}

/** A process that hangs is not waited for after a minute. */
const ENDED_MS_MAX = 90_000
const LOOK_MS = 100

/** Waits until every write with a smaller stamp has ended, through any process. */
async function allBefore(order: SampleOrder, stamp: number): Promise<void> {
  const deadline = performance.now() + ENDED_MS_MAX
  while (order.endedUpTo < stamp - 1) {
    await order.refresh()
    if (order.endedUpTo >= stamp - 1) return
    if (performance.now() > deadline) throw refusal('store_away', { retryAfterSeconds: 5 })
    await pause(LOOK_MS)
  }
}

/** The rows of a run. */
function statementsOf(call: Call, handle: number, pieces: readonly RunPiece[]): CqlStatement[] {
  return pieces.map(({ removed, body }, piece) => ({
    cql: insertRun,
    // What has no value is left out: a null would leave a tombstone in each row.
    params: [handle, call.key, call.writer, piece, blobOrNone(removed), blobOrNone(body), call.key],
  }))
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
