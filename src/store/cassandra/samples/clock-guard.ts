import { type Clock, refuse } from '../../../base/index.ts'
import { SKEW_MS_MAX } from '../connection/clock-skew.ts'
import type { Cluster } from '../connection/cluster.ts'
import { mustBeWhole } from './row-values.ts'

/** A clock that was moved by more than this is held against the cluster's again. */
const MOVED_MS_MAX = SKEW_MS_MAX / 2

const RETRY_AFTER_SECONDS = 10

const selectNow = 'SELECT toUnixTimestamp(now()) AS now FROM system.local'

/**
 * Holds this machine's clock against the cluster's: calls are ordered by it, and what has a stamp that is
 * too old is taken for compacted. While it is off nothing is stored and nothing compacted.
 */
export class ClockGuard {
  readonly #cql: Cluster
  readonly #clock: Clock
  /** Where the wall clock stands to the clock that only goes on. */
  #anchorMs: number
  #reason: string | undefined

  constructor(cql: Cluster, clock: Clock) {
    this.#cql = cql
    this.#clock = clock
    this.#anchorMs = clock.now() - clock.elapsed()
  }

  /** Why nothing is stored, or undefined. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** Asks the cluster for its time; tells what is wrong with this machine's, and remembers it. */
  async findProblem(): Promise<string | undefined> {
    const before = this.#clock.now()
    const anchorMs = before - this.#clock.elapsed()
    const [row] = await this.#cql.run(selectNow, [])
    const theirs = mustBeWhole(row.now)
    const offMs = Math.max(before - theirs, theirs - this.#clock.now())
    if (offMs <= SKEW_MS_MAX) this.#anchorMs = anchorMs
    this.#reason =
      offMs <= SKEW_MS_MAX
        ? undefined
        : `Cannot store: the clock of this machine is ${offMs} ms off that of the cluster, at most ${SKEW_MS_MAX} ms are allowed: set both by NTP`
    return this.#reason
  }

  /** Refuses while the clock is off; undefined, at once, when it only went on since it was right. */
  ensure(): Promise<void> | undefined {
    const movedMs = Math.abs(this.#clock.now() - this.#clock.elapsed() - this.#anchorMs)
    if (movedMs <= MOVED_MS_MAX && this.#reason === undefined) return undefined
    return this.#check()
  }

  async #check(): Promise<void> {
    const what = await this.findProblem()
    if (what !== undefined) refuse('read_only', { what, retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
}
