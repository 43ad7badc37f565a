import { type Clock, EARLIEST_TIME, epochMs, TIME_END } from '../../../base/index.ts'
import { chunkInfo } from '../../embedded/chunk/chunk.ts'
import type { SampleOrder } from '../../ports/sample-order.ts'
import type { StreamHandle, TouchedSpan } from '../../ports/sample-port.ts'
import type { RunRow } from './run-row.ts'
import { type SampleHeads, ViewPassed } from './sample-head.ts'
import { eachAtOnce, Slots } from './slots.ts'

/** How soon it is looked again; a look that took longer is followed by as long a pause. */
const LOOK_EVERY_MS = 300

/** After a look that failed. */
const RETRY_MS = 2_000

/** Streams that are looked at together. */
const STREAMS_AT_ONCE = 32

/** All time: what was merged between two looks is not known any more. */
const ANY_TIME = { from: EARLIEST_TIME, until: TIME_END }

/** A stream that is followed. */
interface Followed {
  /** By how many. */
  count: number
  /** Calls up to this stamp were reported, or happened before. */
  since: number
  /** Calls after `since` that were reported, with the number of their rows that were there. */
  readonly seen: Map<number, number>
  /** Resolves when it is known what was there when it began to be followed; undefined once it is. */
  beginning: Promise<void> | undefined
}

/** What is done with the rows that a look finds. */
interface Look {
  readonly report: (span: TouchedSpan) => void
}

interface RemoteChangesDeps {
  readonly clock: Clock
  readonly heads: SampleHeads
  readonly order: Pick<SampleOrder, 'endedUpTo' | 'writer'>
  readonly onTouched: (span: TouchedSpan) => void
  readonly onFailure: (error: unknown) => void
}

/**
 * What other processes do to streams that are followed in this one: their newest runs are looked at some times a
 * second, and nothing at all while no stream is followed.
 */
export class RemoteChanges {
  readonly #deps: RemoteChangesDeps
  readonly #streams = new Map<StreamHandle, Followed>()
  readonly #beginnings = new Slots(STREAMS_AT_ONCE)
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isFailing = false
  #isClosed = false

  constructor(deps: RemoteChangesDeps) {
    this.#deps = deps
  }

  /** Follows a stream once more. */
  add(handle: StreamHandle): void {
    const known = this.#streams.get(handle)
    if (known !== undefined) {
      known.count += 1
      return
    }
    const followed: Followed = { count: 1, since: -1, seen: new Map(), beginning: undefined }
    this.#streams.set(handle, followed)
    const end = () => {
      followed.beginning = undefined
    }
    const begin = () => this.#lookAt(handle, followed, { report: () => {} })
    // What could not be seen is reported by a later look.
    followed.beginning = this.#beginnings.run(begin).then(end, end)
    if (this.#looking === undefined) this.#lookAfter(LOOK_EVERY_MS)
  }

  /**
   * Resolves when the state of the streams at the beginning is known; undefined when it is. A caller that reads the
   * streams after that misses no change, and receives no event for a change it has already seen.
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
      const control = { report: this.#deps.onTouched }
      await eachAtOnce([...this.#streams], STREAMS_AT_ONCE, async ([handle, followed]) => {
        await followed.beginning
        await this.#lookAt(handle, followed, control)
      })
      this.#isFailing = false
      pauseMs = Math.max(LOOK_EVERY_MS, clock.elapsed() - begunAtMs)
    } catch (error) {
      // An unavailable cluster is reported once, not on every poll.
      if (!this.#isFailing) onFailure(error)
      this.#isFailing = true
    }
    this.#lookAfter(pauseMs)
  }

  async #lookAt(handle: StreamHandle, followed: Followed, { report }: Look): Promise<void> {
    if (this.#isClosed || followed.count === 0) return
    const { heads, order } = this.#deps
    // Asked before the runs are read: all up to here are among them.
    const { endedUpTo } = order
    const head = await heads.read(handle).catch(nothingWhenPassed)
    if (head === undefined) return
    const isFirst = followed.since < 0
    const span = takeIn(followed, head.runs, order.writer)
    if (!isFirst && head.sealed > followed.since) report({ handle, ...ANY_TIME })
    else if (span !== undefined) report({ handle, ...span })
    followed.since = Math.max(followed.since, endedUpTo, head.sealed)
    for (const stamp of followed.seen.keys()) {
      if (stamp <= followed.since) followed.seen.delete(stamp)
    }
  }
}

/** The span of calls of other processes that were not reported; undefined when all were. */
function takeIn(
  { since, seen }: Followed,
  runs: readonly RunRow[],
  ownWriter: number,
): Omit<TouchedSpan, 'handle'> | undefined {
  let from = Number.POSITIVE_INFINITY
  let until = Number.NEGATIVE_INFINITY
  const others = runs.filter(({ stamp, writer }) => stamp > since && writer !== ownWriter)
  for (const [stamp, rows] of Map.groupBy(others, (run) => run.stamp)) {
    // The rows of a long call come one after the other.
    if (seen.get(stamp) === rows.length) continue
    seen.set(stamp, rows.length)
    for (const span of rows.map(spanOfRow)) {
      from = Math.min(from, span.from)
      until = Math.max(until, span.until)
    }
  }
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

/** A stream that is merged again and again while it is read is looked at the next time. */
function nothingWhenPassed(error: unknown): undefined {
  if (!(error instanceof ViewPassed)) throw error
}
