import { EARLIEST_TIME, epochMs, growColumn } from '../../base/index.ts'
import {
  type JobRun,
  LeasedJob,
  type LeasedJobDeps,
  type SampleStore,
  type StreamHandle,
} from '../../store/index.ts'
import { type Age, roughAgeMs } from '../../time/index.ts'
import { type ClockTrust, ClockWatch, type ClockWatchDeps } from './clock-watch.ts'
import { keptFrom, type Retention, type RetentionRule } from './retention.ts'

/** A stream whose samples go when they get too old. */
export interface ExpiringStream {
  readonly handle: StreamHandle
  readonly rule: RetentionRule
}

/** Whether a stream is to be looked at; asked before anything of it is read. */
export type IsDue = (handle: StreamHandle) => boolean

/** What the job works with. */
interface DeleteProfileDeps extends LeasedJobDeps, ClockWatchDeps {
  readonly samples: SampleStore
  readonly retention: Pick<Retention, 'isInForce'>
  /** The streams that have a delete profile and are due, in pages. */
  readonly streams: (isDue: IsDue) => AsyncIterable<readonly ExpiringStream[]>
}

/** The time at which a run began, and how far it may be believed. */
interface RunTime {
  readonly now: number
  readonly trust: ClockTrust
}

/** How often the job looks which streams are due. */
const EVERY_MS = 60_000

/** A profile may be changed at any time, so a stream is looked at again after this at the latest. */
const LOOK_AGAIN_MS_MAX = 15 * 60_000

/** Streams worked on at once: they share a journal sync, and the loop stays free for calls. */
const STREAMS_AT_ONCE = 64

/** Samples go in steps of a hundredth of their age, so that old streams are not touched each run. */
const STEPS_PER_AGE = 100
const STEP_MS_MIN = 60_000

/** Two runs: a stream that is emptied in step with the clock is never further behind. */
const SLACK_MS = 2 * EVERY_MS
const STEP_MS_MAX = 86_400_000

/**
 * The job that removes samples that are older than the delete profile of their stream, by removals like
 * any other: nothing stays behind that could touch what is put later. It believes the clock only as far
 * as ClockWatch does: after a jump nothing goes, and until the clock is proven a stream loses no more
 * than about one span of its profile. A run returns the number of streams that lost samples.
 */
export function makeDeleteProfileJob(deps: DeleteProfileDeps): LeasedJob {
  const expiry = new Expiry(deps)
  const job = { name: 'delete_profiles', everyMs: EVERY_MS }
  return new LeasedJob(deps, { ...job, work: (run) => expiry.expireAll(run) })
}

/** What the job remembers from run to run. */
class Expiry {
  readonly #deps: DeleteProfileDeps
  /** By handle: when it is due again on the monotonic clock, and up to where it was emptied. */
  readonly #dueAt = new HandleTimes()
  readonly #emptiedUntil = new HandleTimes()
  readonly #watch: ClockWatch

  constructor(deps: DeleteProfileDeps) {
    this.#deps = deps
    this.#watch = new ClockWatch(deps)
  }

  async expireAll(jobRun: JobRun): Promise<number> {
    const run = await this.#watch.look()
    if (run.trust === 'jumped') return 0
    let emptied = 0
    const startedAt = this.#deps.clock.elapsed()
    const isDue = (handle: StreamHandle) => this.#dueAt.get(handle) <= startedAt
    for await (const page of this.#deps.streams(isDue)) {
      for (let from = 0; from < page.length; from += STREAMS_AT_ONCE) {
        if (!(await jobRun.mayGoOn())) return emptied
        const some = page.slice(from, from + STREAMS_AT_ONCE)
        const done = await Promise.all(some.map((stream) => this.#expire(stream, run)))
        emptied += done.filter(Boolean).length
      }
      if (jobRun.isOver) break
    }
    return emptied
  }

  async #expire({ handle, rule }: ExpiringStream, { now, trust }: RunTime): Promise<boolean> {
    const { samples, clock, retention } = this.#deps
    const stepMs = stepOf(rule.age)
    this.#dueAt.set(handle, clock.elapsed() + Math.min(stepMs, LOOK_AGAIN_MS_MAX))
    const until = epochMs(Math.floor(keptFrom(rule, now) / stepMs) * stepMs)
    if (until <= EARLIEST_TIME || until === this.#emptiedUntil.get(handle)) return false
    const old = { from: EARLIEST_TIME, until, limit: 1, order: 'oldest_first' } as const
    const numbers = await samples.range(handle, { ...old, isTimesOnly: true })
    const { count, times } = numbers.count > 0 ? numbers : await samples.specials(handle, old)
    const isFar = count > 0 && until - times[0] > roughAgeMs(rule.age) + stepMs + SLACK_MS
    if (isFar && trust !== 'steady') return false
    if (count > 0) {
      const removal = { handle, from: EARLIEST_TIME, until }
      // The profile may be another one since: then the stream is looked at again.
      if (!(await samples.remove(removal, () => retention.isInForce(handle, rule)))) {
        this.#dueAt.set(handle, Number.NEGATIVE_INFINITY)
        return false
      }
    }
    this.#emptiedUntil.set(handle, until)
    return count > 0
  }
}

/** A stream keeps its samples at most this much too long. */
function stepOf(age: Age): number {
  return Math.min(Math.max(roughAgeMs(age) / STEPS_PER_AGE, STEP_MS_MIN), STEP_MS_MAX)
}

/** A time for each stream, -Infinity until one is set; no object per stream. */
class HandleTimes {
  #times = new Float64Array(1_024).fill(Number.NEGATIVE_INFINITY)

  get(handle: StreamHandle): number {
    return handle < this.#times.length ? this.#times[handle] : Number.NEGATIVE_INFINITY
  }

  set(handle: StreamHandle, time: number): void {
    this.#times = growColumn(this.#times, handle + 1, Number.NEGATIVE_INFINITY)
    this.#times[handle] = time
  }
}
