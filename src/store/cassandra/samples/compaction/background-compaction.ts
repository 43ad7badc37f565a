import type { Clock } from '../../../../base/index.ts'
import type { SampleOrder } from '../../../ports/sample-order.ts'
import { DIRTY_SHARDS, type DirtyDays, dayOf } from '../dirty-days.ts'
import { type SampleHeads, ViewPassed } from '../sample-head.ts'
import { eachAtOnce } from '../slots.ts'
import type { Compactor, PassEnd } from './compactor.ts'
import type { DueStreams } from './due-streams.ts'

/** Between two looks at what is due. */
const LOOK_MS = 1_000

/** Between two sweeps over the streams of days that are over. */
const SWEEP_MS = 60 * 60 * 1_000

/** Between two looks for what processes that died had begun. */
const ADOPT_MS = 60 * 1_000

/** By then the writes that made a stream due have ended, and all processes have seen them. */
const GRACE_MS = 5_000

/** A process may be so late to hear that a day is over; one that is later is not waited for. */
const DAY_OVER_MS = 120_000

/** Streams of one look, and how many of them at once: puts and reads come first. */
const STREAMS_PER_LOOK = 1_000
const STREAMS_AT_ONCE = 4

/** Passes over one stream in a row. */
const PASSES_MAX = 100

/** What compaction in the background needs. */
interface BackgroundDeps {
  readonly clock: Clock
  readonly order: SampleOrder
  readonly heads: SampleHeads
  readonly dirty: DirtyDays
  readonly compactor: Compactor
  readonly due: DueStreams
  /** Finishes what processes that died had begun. */
  readonly adopt: () => Promise<void>
  /** Called with an error; the work is tried again later. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Compacts in the background: streams that this process wrote much to, and, once in a while, those of
 * days that are over, whichever process wrote to them.
 */
export class BackgroundCompaction {
  readonly #deps: BackgroundDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #sweptAtMs: number
  #adoptedAtMs: number
  #isClosed = false

  constructor(deps: BackgroundDeps) {
    this.#deps = deps
    this.#sweptAtMs = deps.clock.elapsed()
    this.#adoptedAtMs = this.#sweptAtMs
  }

  /** Looks from time to time until closed. */
  start(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#running = this.#look()
        .catch(this.#deps.onFailure)
        .finally(() => this.start())
    }, LOOK_MS)
    this.#timer.unref()
  }

  /** Compacts one stream as far as it can be at the moment; returns the outcome of the last pass. */
  async compact(handle: number): Promise<PassEnd> {
    for (let passes = 0; passes < PASSES_MAX && !this.#isClosed; passes += 1) {
      const end = await this.#deps.compactor.compact(handle)
      if (end !== 'more') return end
    }
    return 'more'
  }

  /** Compacts the streams that have waited since a day that is over; reports how many it looked at. */
  async sweep(): Promise<number> {
    const { dirty, order } = this.#deps
    const today = dayOf(order.nowMs - DAY_OVER_MS)
    let count = 0
    for (const day of await dirty.days()) {
      if (day >= today || this.#isClosed) continue
      const found = await this.#sweepDay(day)
      count += found
      if (found === 0) await dirty.deleteDay(day, await order.next())
    }
    return count
  }

  /** Ends, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #look(): Promise<void> {
    const { clock, due, adopt } = this.#deps
    if (clock.elapsed() - this.#adoptedAtMs >= ADOPT_MS) {
      this.#adoptedAtMs = clock.elapsed()
      await adopt()
    }
    const handles = due.take(clock.elapsed() - GRACE_MS, STREAMS_PER_LOOK)
    await eachAtOnce(handles, STREAMS_AT_ONCE, (handle) => this.#compactDue(handle))
    if (clock.elapsed() - this.#sweptAtMs < SWEEP_MS) return
    this.#sweptAtMs = clock.elapsed()
    await this.sweep()
  }

  /** Compacts a stream that is due, or puts it back. */
  async #compactDue(handle: number): Promise<void> {
    const { clock, due, onFailure } = this.#deps
    try {
      if ((await this.compact(handle)) === 'done') return
    } catch (error) {
      onFailure(error)
    }
    due.putBack(handle, clock.elapsed())
  }

  async #sweepDay(day: number): Promise<number> {
    let count = 0
    for (let shard = 0; shard < DIRTY_SHARDS; shard += 1)
      count += await this.#sweepShard(day, shard)
    return count
  }

  async #sweepShard(day: number, shard: number): Promise<number> {
    const { dirty, order } = this.#deps
    // All writes on the list have smaller stamps. Later writes are on a later list.
    const listedUpTo = await order.next()
    const waiting: number[] = []
    let count = 0
    for await (const handles of dirty.streams(day, shard)) {
      count += handles.length
      await eachAtOnce(handles, STREAMS_AT_ONCE, async (handle) => {
        await this.compact(handle)
        if (!(await this.#isSettled(handle, listedUpTo))) waiting.push(handle)
      })
    }
    if (this.#isClosed || waiting.length === count) return count
    const stamp = await order.next()
    await dirty.keepOnly({ day, shard }, { streams: waiting, listedUpTo, stamp })
    return count
  }

  /** Whether nothing of a stream waits that was there at a stamp. */
  async #isSettled(handle: number, stamp: number): Promise<boolean> {
    const { heads } = this.#deps
    try {
      const head = await heads.read(handle)
      const { leaves, dropped } = await heads.leavesOf(handle, head)
      const isWaiting = dropped.length > 0 || head.runs.some((run) => run.stamp <= stamp)
      return !isWaiting && !(head.isForgotten && leaves.length > 0)
    } catch (error) {
      // Another process is at it.
      if (error instanceof ViewPassed) return false
      throw error
    }
  }
}
