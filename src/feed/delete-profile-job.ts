import { type Clock, EARLIEST_TIME, epochMs } from '../base/index.ts'
import {
  type JobTurn,
  LeasedJob,
  type LeasedJobDeps,
  type SampleStore,
  type StreamHandle,
} from '../store/index.ts'
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
export interface DeleteProfileDeps extends LeasedJobDeps {
  readonly samples: SampleStore
  /** The streams that have a delete profile and are due, in pages. */
  readonly streams: (isDue: IsDue) => AsyncIterable<readonly ExpiringStream[]>
  readonly clock: Clock
}

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
  readonly #job: LeasedJob

  constructor(deps: DeleteProfileDeps) {
    this.#deps = deps
    this.#job = new LeasedJob(deps, {
      ...{ name: 'delete_profiles', everyMs: EVERY_MS },
      work: (turn) => this.#expireAll(turn),
    })
  }

  /** Looks at the streams from time to time until closed. */
  start(): void {
    this.#job.start()
  }

  /** Looks at every stream once; tells how many floors were raised, 0 where another process works. */
  run(): Promise<number> {
    return this.#job.run()
  }

  /** Ends the looking and waits for a run that is under way. */
  close(): Promise<void> {
    return this.#job.close()
  }

  async #expireAll(turn: JobTurn): Promise<number> {
    let raised = 0
    const startedAt = this.#deps.clock.now()
    const isDue = (handle: StreamHandle) => this.#dueAt.get(handle) <= startedAt
    for await (const page of this.#deps.streams(isDue)) {
      for (let from = 0; from < page.length; from += RAISED_AT_ONCE) {
        if (!(await turn.mayGoOn())) return raised
        const some = page.slice(from, from + RAISED_AT_ONCE)
        const done = await Promise.all(some.map((stream) => this.#expire(stream)))
        raised += done.filter(Boolean).length
      }
      if (turn.isOver) break
    }
    return raised
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
