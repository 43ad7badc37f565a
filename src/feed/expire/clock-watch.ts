import type { Clock } from '../../base/index.ts'

/**
 * How far the wall clock can be trusted:
 * - `steady`: it agreed with the monotonic clock for an hour.
 * - `unproven`: it has agreed for less than an hour, and did not go back at the start.
 * - `jumped`: it did not agree.
 */
export type ClockTrust = 'steady' | 'unproven' | 'jumped'

/** Where the time at which the clock was last believed is kept over restarts. */
export interface ClockMark {
  read(): Promise<number | undefined>
  write(time: number): Promise<void>
}

/** What the watch works with. */
export interface ClockWatchDeps {
  readonly clock: Clock
  readonly mark: ClockMark
  /** Called with the offset of a wrong clock. */
  readonly onJump: (jumpMs: number) => void
}

/** So long the clock must be steady before it is believed whatever it says. */
const STEADY_AFTER_MS = 3_600_000

/** More than this apart within an hour is no drift and no correction of one. */
const DRIFT_MS_MAX = 60_000

const MARK_EVERY_MS = 600_000

/** A start that comes later after the mark may be a long stop as well as a jump: it has to wait. */
const MARK_AGE_MS_MAX = 1_800_000

/**
 * Compares the wall clock with the monotonic clock at each check, and with a mark from before the start. A clock that
 * is ahead makes every sample look expired, and a deletion cannot be undone.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps
  /** The two clocks at the look that later ones are compared with. */
  #anchor: { readonly now: number; readonly elapsed: number }
  #steadySince: number
  #isMarkRead = false
  #hasJumped = false
  #markedAt = Number.NEGATIVE_INFINITY

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps
    // Not at the first look: the clock may jump before it.
    this.#anchor = { now: deps.clock.now(), elapsed: deps.clock.elapsed() }
    this.#steadySince = this.#anchor.elapsed
  }

  /** Looks at both clocks; `now` is the time that the trust is about. */
  async look(): Promise<{ readonly now: number; readonly trust: ClockTrust }> {
    const { clock, mark } = this.#deps
    if (!this.#isMarkRead) this.#compareWithMark(await mark.read())
    const [now, elapsed] = [clock.now(), clock.elapsed()]
    this.#compare(this.#anchor, now, elapsed)
    const isSteady = elapsed - this.#steadySince >= STEADY_AFTER_MS
    const trust = isSteady ? 'steady' : this.#hasJumped ? 'jumped' : 'unproven'
    if (trust !== 'jumped' && elapsed - this.#markedAt >= MARK_EVERY_MS) {
      await mark.write(now)
      this.#markedAt = elapsed
    }
    return { now, trust }
  }

  #compareWithMark(marked: number | undefined): void {
    this.#isMarkRead = true
    if (marked === undefined) return
    const { now, elapsed } = this.#anchor
    const sinceMark = now - marked
    // Another process of a cluster may have written it since the start.
    const sinceStart = this.#deps.clock.elapsed() - elapsed
    this.#hasJumped = sinceMark + sinceStart < -DRIFT_MS_MAX || sinceMark > MARK_AGE_MS_MAX
    if (this.#hasJumped) this.#deps.onJump(sinceMark)
  }

  #compare(anchor: { now: number; elapsed: number }, now: number, elapsed: number): void {
    const jumpMs = now - anchor.now - (elapsed - anchor.elapsed)
    const isJump = Math.abs(jumpMs) > DRIFT_MS_MAX
    if (isJump) {
      this.#hasJumped = true
      this.#steadySince = elapsed
      this.#deps.onJump(jumpMs)
    }
    if (isJump || elapsed - anchor.elapsed >= STEADY_AFTER_MS) this.#anchor = { now, elapsed }
  }
}
