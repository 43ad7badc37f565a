import { type Clock, EARLIEST_TIME, epochMs } from '../base/index.ts'
import type { CatalogStore, Lease, SampleStore, StreamHandle } from '../store/index.ts'
import { type Age, agedBefore, loadZone, roughAgeMs } from '../time/index.ts'

/** A stream whose samples go when they get too old. */
export interface ExpiringStream {
  readonly handle: StreamHandle
  /** The zone on whose calendar ages of days and longer are counted. */
  readonly timeZone: string
  readonly age: Age
}

/** Whether a stream is to be looked at; asked before anything of it is read. */
export type IsDue = (handle: StreamHandle) => boolean

/** What the job works with. */
export interface DeleteProfileDeps {
  readonly samples: SampleStore
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  /** The streams that have a delete profile and are due, in pages. */
  readonly streams: (isDue: IsDue) => AsyncIterable<readonly ExpiringStream[]>
  readonly clock: Clock
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  /** Told of a run that failed; the next one tries again. */
  readonly onFailure: (error: unknown) => void
}

const LEASE_NAME = 'delete_profiles'
const LEASE_MS = 60_000

/** How often the job looks which streams are due. */
const EVERY_MS = 60_000

/** A profile may be changed at any time, so a stream is looked at again after this at the latest. */
const LOOK_AGAIN_MS_MAX = 15 * 60_000

/** Floors raised at once: they share a journal sync, and the loop stays free for calls. */
const RAISED_AT_ONCE = 64

/** A floor moves in steps of a hundredth of its age, so that old streams are not touched each run. */
const STEPS_PER_AGE = 100
const STEP_MS_MIN = 60_000
const STEP_MS_MAX = 86_400_000

/**
 * Removes samples that are older than the delete profile of their stream, in the background and in
 * one process of a cluster at a time. Raising a floor hides samples at once, from statistics too.
 */
export class DeleteProfileJob {
  readonly #deps: DeleteProfileDeps
  /** By handle: when it is due again, and the floor it had when it was last looked at. */
  readonly #dueAt = new HandleTimes()
  readonly #floors = new HandleTimes()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> | undefined
  #isClosed = false

  constructor(deps: DeleteProfileDeps) {
    this.#deps = deps
  }

  /** Looks at the streams from time to time until closed. */
  start(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#running = this.run()
        .catch(this.#deps.onFailure)
        .finally(() => this.start())
    }, EVERY_MS)
    this.#timer.unref()
  }

  /** Looks at every stream once; tells how many floors were raised, 0 where another process works. */
  async run(): Promise<number> {
    const { catalog, holder, streams } = this.#deps
    let lease = await catalog.acquireLease(LEASE_NAME, holder, LEASE_MS)
    if (lease === undefined) return 0
    let raised = 0
    const startedAt = this.#deps.clock.now()
    try {
      for await (const page of streams((handle) => this.#dueAt.get(handle) <= startedAt)) {
        for (let from = 0; from < page.length && !this.#isClosed; from += RAISED_AT_ONCE) {
          lease = await this.#keep(lease)
          if (lease === undefined) return raised
          const some = page.slice(from, from + RAISED_AT_ONCE)
          const done = await Promise.all(some.map((stream) => this.#expire(stream)))
          raised += done.filter(Boolean).length
        }
        if (this.#isClosed) break
      }
    } finally {
      if (lease !== undefined) await catalog.releaseLease(lease)
    }
    return raised
  }

  /** Ends the looking and waits for a run that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #keep(lease: Lease): Promise<Lease | undefined> {
    return this.#deps.catalog.acquireLease(LEASE_NAME, lease.holder, LEASE_MS)
  }

  async #expire({ handle, age, timeZone }: ExpiringStream): Promise<boolean> {
    const { samples, clock } = this.#deps
    const now = clock.now()
    const stepMs = stepOf(age)
    this.#dueAt.set(handle, now + Math.min(stepMs, LOOK_AGAIN_MS_MAX))
    const floor = epochMs(Math.floor(agedBefore(now, age, loadZone(timeZone)) / stepMs) * stepMs)
    if (floor <= EARLIEST_TIME || floor === this.#floors.get(handle)) return false
    const below = { from: EARLIEST_TIME, until: floor, limit: 1, order: 'oldest_first' } as const
    const { count } = await samples.range(handle, below)
    if (count > 0) await samples.raiseFloor(handle, floor)
    this.#floors.set(handle, floor)
    return count > 0
  }
}

/** How far a floor moves at once: a stream keeps its samples at most this much too long. */
function stepOf(age: Age): number {
  return Math.min(Math.max(roughAgeMs(age) / STEPS_PER_AGE, STEP_MS_MIN), STEP_MS_MAX)
}

/** A time for each stream, -Infinity until one is set; no object per stream. */
class HandleTimes {
  #times = new Float64Array(0)

  get(handle: StreamHandle): number {
    return handle < this.#times.length ? this.#times[handle] : Number.NEGATIVE_INFINITY
  }

  set(handle: StreamHandle, time: number): void {
    if (handle >= this.#times.length) {
      const grown = new Float64Array(Math.max(1_024, 2 * handle)).fill(Number.NEGATIVE_INFINITY)
      grown.set(this.#times)
      this.#times = grown
    }
    this.#times[handle] = time
  }
}
