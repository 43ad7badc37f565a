import { type Clock, EARLIEST_TIME, type EpochMs, epochMs } from '../base/index.ts'
import type { CatalogStore, Lease, SampleStore, StreamHandle } from '../store/index.ts'
import { type Age, agedBefore, loadZone, roughAgeMs } from '../time/index.ts'

/** A stream whose samples go when they get too old. */
export interface ExpiringStream {
  readonly handle: StreamHandle
  /** The zone on whose calendar ages of days and longer are counted. */
  readonly timeZone: string
  readonly age: Age
}

export interface DeleteProfileDeps {
  readonly samples: SampleStore
  readonly catalog: Pick<CatalogStore, 'acquireLease' | 'releaseLease'>
  /** Every stream that has a delete profile, in pages. */
  readonly streams: () => AsyncIterable<readonly ExpiringStream[]>
  readonly clock: Clock
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  /** Told of a run that failed; the next one tries again. */
  readonly onFailure: (error: unknown) => void
}

const LEASE_NAME = 'delete_profiles'
const LEASE_MS = 60_000

/** How often the streams are looked at. */
const EVERY_MS = 60_000

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
    try {
      for await (const page of streams()) {
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

  async #expire(stream: ExpiringStream): Promise<boolean> {
    const floor = floorOf(stream, this.#deps.clock.now())
    if (floor <= EARLIEST_TIME) return false
    const span = await this.#deps.samples.span(stream.handle)
    if (span === undefined || span.firstTime >= floor) return false
    await this.#deps.samples.raiseFloor(stream.handle, floor)
    return true
  }
}

/** Where a stream's samples begin to be young enough, at most a step too early. */
function floorOf({ age, timeZone }: ExpiringStream, now: EpochMs): EpochMs {
  const stepMs = Math.min(Math.max(roughAgeMs(age) / STEPS_PER_AGE, STEP_MS_MIN), STEP_MS_MAX)
  const exact = agedBefore(now, age, loadZone(timeZone))
  return epochMs(Math.floor(exact / stepMs) * stepMs)
}
