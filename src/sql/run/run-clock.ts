import type { Clock } from '../../base/plain.ts'

/** How long a run may take. */
export interface RunTimes {
  /** The runner's own time. */
  readonly workMs: number
  /** The time in which the runner waits for its caller: to hand over rows, or to take them. */
  readonly waitMs: number
}

/** Measures a run: its work apart from its waits, so that a slow reader does not end a fast query. */
export class RunClock {
  readonly #clock: Clock
  readonly #times: RunTimes
  #workedMs = 0
  #waitedMs = 0
  #isWorking = true
  #since: number

  constructor(clock: Clock, times: RunTimes) {
    this.#clock = clock
    this.#times = times
    this.#since = clock.elapsed()
  }

  /** The runner works from here on. */
  work(): void {
    this.#turn(true)
  }

  /** The runner waits for its caller from here on. */
  wait(): void {
    this.#turn(false)
  }

  /** How long the runner has worked. */
  get workedMs(): number {
    this.#turn(this.#isWorking)
    return this.#workedMs
  }

  /** Which time is over. */
  get over(): 'work' | 'wait' | undefined {
    this.#turn(this.#isWorking)
    if (this.#workedMs > this.#times.workMs) return 'work'
    return this.#waitedMs > this.#times.waitMs ? 'wait' : undefined
  }

  #turn(isWorking: boolean): void {
    const now = this.#clock.elapsed()
    if (this.#isWorking) this.#workedMs += now - this.#since
    else this.#waitedMs += now - this.#since
    this.#since = now
    this.#isWorking = isWorking
  }
}
