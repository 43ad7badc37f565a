import { type Clock, epochMs, TIME_END } from '../../../base/index.ts'
import { chunkInfo } from '../../embedded/chunk/chunk.ts'
import type { StreamHandle, TouchedSpan } from '../../sample-port.ts'
import { SKEW_MS_MAX } from '../connection/clock-skew.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { type HybridClock, stampSpan } from './hybrid-clock.ts'
import { PART_MS_MAX, PART_SECTION } from './open-parts.ts'
import { mustBeWhole } from './row-values.ts'
import { type RunRow, runRowOf } from './run-reader.ts'
import { eachAtOnce, Slots } from './slots.ts'

/** How soon it is looked again; a look that took longer is followed by as long a pause. */
const LOOK_EVERY_MS = 300

/** After a look that failed. */
const RETRY_MS = 2_000

/** Streams that are looked at together. */
const STREAMS_AT_ONCE = 32

/** A call shows with its stamp, which is of another clock, and some time later: so far it is looked back. */
const LOOK_BACK_MS = SKEW_MS_MAX + 3_000

/** Rows of one part that a look takes in; of more than that it is told that anything may have changed. */
const ROWS_MAX = 2_000

const selectParts = `SELECT key, writer FROM sample_map
  WHERE stream = ? AND section = ${PART_SECTION} AND key > ?`
const selectNewest = `SELECT stamp, piece, removed, body FROM sample_run
  WHERE stream = ? AND part = ? AND writer = ? AND stamp > ? LIMIT ${ROWS_MAX}`

/** A stream that is followed. */
interface Followed {
  /** By how many. */
  count: number
  /** Calls up to this stamp were told, or are of before. */
  since: number
  /** Rows behind `since` that were told, with their stamps. */
  seen: Map<string, number>
  /** Resolves when it is known what was there when it began to be followed; undefined once it is. */
  beginning: Promise<void> | undefined
}

/** What is done with the rows that a look finds. */
interface Look {
  /** Rows with later stamps are left to the next. */
  readonly until: number
  readonly tell: (span: TouchedSpan) => void
}

interface ElsewhereDeps {
  readonly cql: Cluster
  readonly clock: Clock
  readonly stamps: HybridClock
  /** This process, whose own calls are told without a look. */
  readonly writer: number
  readonly onTouched: (span: TouchedSpan) => void
  readonly onFailure: (error: unknown) => void
}

/**
 * What other processes do to streams that are followed in this one: their newest runs are looked at some times a
 * second, and nothing at all while no stream is followed.
 */
export class FollowedElsewhere {
  readonly #deps: ElsewhereDeps
  readonly #streams = new Map<StreamHandle, Followed>()
  readonly #beginnings = new Slots(STREAMS_AT_ONCE)
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isFailing = false
  #isClosed = false

  constructor(deps: ElsewhereDeps) {
    this.#deps = deps
  }

  /** Follows a stream once more. */
  add(handle: StreamHandle): void {
    const known = this.#streams.get(handle)
    if (known !== undefined) {
      known.count += 1
      return
    }
    const since = this.#deps.stamps.before(LOOK_BACK_MS)
    const followed: Followed = { count: 1, since, seen: new Map(), beginning: undefined }
    this.#streams.set(handle, followed)
    const end = () => {
      followed.beginning = undefined
    }
    const begunAt = this.#deps.stamps.before(0)
    const begin = () => this.#lookAt(handle, followed, { until: begunAt, tell: () => {} })
    // What could not be seen is told by a later look.
    followed.beginning = this.#beginnings.run(begin).then(end, end)
    if (this.#looking === undefined) this.#lookAfter(LOOK_EVERY_MS)
  }

  /**
   * Resolves when it is known what there was of streams when they began to be followed, undefined when it is: whoever
   * reads them after that sees all that is not told, and is not told of what it sees.
   */
  begun(handles: readonly StreamHandle[]): Promise<unknown> | undefined {
    if (this.#streams.size === 0) return undefined
    const beginnings = handles.flatMap((handle) => this.#streams.get(handle)?.beginning ?? [])
    return beginnings.length === 0 ? undefined : Promise.all(beginnings)
  }

  /** Follows a stream once less. */
  delete(handle: StreamHandle): void {
    const known = this.#streams.get(handle)
    if (known === undefined) return
    known.count -= 1
    if (known.count === 0) this.#streams.delete(handle)
  }

  /** Ends the look under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking
    await this.begun([...this.#streams.keys()])
  }

  #lookAfter(ms: number): void {
    if (this.#timer !== undefined || this.#isClosed || this.#streams.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined
      })
    }, ms).unref()
  }

  async #look(): Promise<void> {
    const { clock, onFailure } = this.#deps
    const begunAtMs = clock.elapsed()
    let pauseMs = RETRY_MS
    try {
      const control = { until: Number.MAX_SAFE_INTEGER, tell: this.#deps.onTouched }
      await eachAtOnce([...this.#streams], STREAMS_AT_ONCE, async ([handle, followed]) => {
        await followed.beginning
        await this.#lookAt(handle, followed, control)
      })
      this.#isFailing = false
      pauseMs = Math.max(LOOK_EVERY_MS, clock.elapsed() - begunAtMs)
    } catch (error) {
      // A cluster that is away is told once, not with each look.
      if (!this.#isFailing) onFailure(error)
      this.#isFailing = true
    }
    this.#lookAfter(pauseMs)
  }

  async #lookAt(handle: StreamHandle, followed: Followed, { until, tell }: Look): Promise<void> {
    if (this.#isClosed || followed.count === 0) return
    const { cql, stamps, writer } = this.#deps
    const lookedBack = stamps.before(LOOK_BACK_MS)
    const firstPart = stamps.before(PART_MS_MAX) - stampSpan(LOOK_BACK_MS)
    const parts = await cql.run(selectParts, [handle, BigInt(firstPart)])
    for (const row of parts) {
      const part = { key: mustBeWhole(row.key), writer: mustBeWhole(row.writer) }
      if (part.writer === writer) continue
      const params = [handle, BigInt(part.key), part.writer, BigInt(followed.since)]
      const newest = await cql.run(selectNewest, params)
      const rows = newest.filter(({ stamp }) => mustBeWhole(stamp) <= until)
      const span = takeIn(followed, { rows, writer: part.writer })
      if (span !== undefined) tell({ handle, ...span })
    }
    if (until < lookedBack || lookedBack <= followed.since) return
    followed.since = lookedBack
    for (const [key, stamp] of followed.seen) if (stamp <= lookedBack) followed.seen.delete(key)
  }
}

/** The span of rows that were not told; undefined when all were. */
function takeIn(
  { seen }: Followed,
  { rows, writer }: { readonly rows: readonly CqlRow[]; readonly writer: number },
): Omit<TouchedSpan, 'handle'> | undefined {
  let from = Number.POSITIVE_INFINITY
  let until = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const run = runRowOf(row, writer)
    const key = `${writer} ${run.stamp} ${row.piece}`
    if (seen.has(key)) continue
    seen.set(key, run.stamp)
    const span = spanOfRow(run)
    from = Math.min(from, span.from)
    until = Math.max(until, span.until)
  }
  if (rows.length >= ROWS_MAX && from < until) until = TIME_END
  return from < until ? { from: epochMs(from), until: epochMs(until) } : undefined
}

function spanOfRow({ removed, body }: RunRow): { readonly from: number; readonly until: number } {
  let from = Math.min(...removed.starts)
  let until = Math.max(...removed.ends)
  if (body !== undefined) {
    const { firstTime, lastTime } = chunkInfo(body)
    from = Math.min(from, firstTime)
    until = Math.max(until, lastTime + 1)
  }
  return { from, until }
}
