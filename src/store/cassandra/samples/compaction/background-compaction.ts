import type { Clock } from '../../../../base/index.ts'
import type { Cluster } from '../../connection/cluster.ts'
import type { ClockGuard } from '../clock-guard.ts'
import { DIRTY_SHARDS, type DirtyDays, dayOf, endOfDay } from '../dirty-days.ts'
import type { HybridClock } from '../hybrid-clock.ts'
import { eachAtOnce } from '../slots.ts'
import { readView } from '../stream-view.ts'
import { type Compactor, GRACE_MS, type PassEnd } from './compactor.ts'
import type { DueStreams } from './due-streams.ts'

/** Between two looks at what is due. */
const LOOK_MS = 1_000

/** Between two sweeps over the streams of days that are over. */
const SWEEP_MS = 60 * 60 * 1_000

/** Between two looks for what processes that died had begun. */
const ADOPT_MS = 60 * 1_000

/** Streams of one look, and how many of them at once: puts and reads come first. */
const STREAMS_PER_LOOK = 1_000
const STREAMS_AT_ONCE = 4

/** Passes over one stream in a row. */
const PASSES_MAX = 100

/** What compaction in the background needs. */
interface BackgroundDeps {
  readonly cql: Cluster
  readonly clock: Clock
  readonly guard: ClockGuard
  readonly stamps: HybridClock
  readonly dirty: DirtyDays
  readonly compactor: Compactor
  readonly due: DueStreams
  /** Finishes what processes that died had begun. */
  readonly adopt: () => Promise<void>
  /** Told of what failed; it is tried again later. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Compacts in the background: streams that this process wrote much to, and, once in a while, those of
 * days that are over, whoever wrote to them.
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

  /** Compacts one stream as far as it can be at the moment; tells how the last pass ended. */
  async compact(handle: number): Promise<PassEnd> {
    await this.#deps.guard.ensure()
    for (let passes = 0; passes < PASSES_MAX && !this.#isClosed; passes += 1) {
      const end = await this.#deps.compactor.compact(handle)
      if (end !== 'more') return end
    }
    return 'more'
  }

  /** Compacts the streams that have waited since a day that is over; tells how many it looked at. */
  async sweep(): Promise<number> {
    const { dirty, stamps } = this.#deps
    const today = dayOf(stamps.before(0))
    let count = 0
    for (const day of await dirty.days()) {
      if (day >= today || this.#isClosed) continue
      const found = await this.#sweepDay(day)
      count += found
      // A process whose clock is behind may still be in the day before.
      if (found === 0 && day < today - 1) await dirty.deleteDay(day, stamps.next())
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
    for (let shard = 0; shard < DIRTY_SHARDS; shard += 1) {
      for await (const handles of this.#deps.dirty.streams(day, shard)) {
        count += handles.length
        await eachAtOnce(handles, STREAMS_AT_ONCE, async (handle) => {
          await this.compact(handle)
          await this.#settle(day, handle)
        })
      }
    }
    return count
  }

  /** Takes a stream off the list of a day once nothing of that day waits any more. */
  async #settle(day: number, handle: number): Promise<void> {
    const { cql, clock, dirty, stamps } = this.#deps
    if (this.#isClosed) return
    const { parts, leaves, isForgotten } = await readView(cql, clock, handle)
    const isWaiting = parts.some(({ part }) => part < endOfDay(day))
    if (isWaiting || (isForgotten && leaves.length > 0)) return
    await dirty.delete(day, handle, stamps.next())
  }
}
