import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, Refusal } from '../../base/index.ts'

/** Who does not find something has the store asked at most this often, however many do not. */
const MISSING_EVERY_MS = 200

/** What is acknowledged was looked at with memory that was current so long ago at most. */
const FRESH_MS = 500

/** After so long every other process that still acknowledges has heard of a commit: more than FRESH_MS. */
const HEARD_MS = 600

/** On both clocks: one stands still while the machine sleeps, the other may be moved. */
interface Moment {
  readonly elapsed: number
  readonly now: number
}

interface CatchUpDeps {
  readonly clock: Clock
  /** Takes over all that was committed before the call; returns how many changes of others there were. */
  readonly run: () => Promise<number>
  /** Whether other processes commit to the same store. */
  readonly isShared: boolean
}

/** Which refusals may come of what another process has made, and this one does not know yet. */
type MayBeMade = (refusal: Refusal) => boolean

const isNotFound: MayBeMade = ({ status }) => status === 404

/**
 * When memory takes over what other processes have committed. However many ask, one catch-up runs and one waits
 * for it. Where no other process commits all of it is nothing.
 */
export class CatchUps {
  readonly #deps: CatchUpDeps
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #missing: Promise<void> | undefined
  #missingAtMs = Number.NEGATIVE_INFINITY
  /** Rises with each change of another process. */
  #takenOver = 0
  /** Everything that was committed before this moment is taken over. */
  #freshAt: Moment

  constructor(deps: CatchUpDeps) {
    this.#deps = deps
    this.#freshAt = momentOf(deps.clock)
  }

  /** Whether other processes commit to the same store. */
  get isShared(): boolean {
    return this.#deps.isShared
  }

  /** Resolves when all that was committed before the call is taken over. */
  refresh(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#start()
      })
    return this.#next
  }

  /**
   * Runs what looks for records and changes nothing when it is refused. Where it is refused as something is not
   * there, what other processes have committed is taken over, and it runs once more if there was anything.
   */
  async lookAgain<T>(look: () => T | Promise<T>, mayBeMade = isNotFound): Promise<T> {
    const before = this.#takenOver
    try {
      return await look()
    } catch (error) {
      if (!this.#deps.isShared || !(error instanceof Refusal) || !mayBeMade(error)) throw error
      await this.whenMissing()
      if (this.#takenOver === before) throw error
      return await look()
    }
  }

  /** As refresh, for who did not find something: a flood of such calls waits for a few catch-ups. */
  async whenMissing(): Promise<void> {
    if (!this.#deps.isShared) return
    this.#missing ??= this.#whenDue().finally(() => {
      this.#missing = undefined
    })
    await this.#missing
    await this.refresh()
  }

  /** Before something is acknowledged: undefined while memory is current enough, else when it is. */
  ensureFresh(): Promise<void> | undefined {
    const { clock, isShared } = this.#deps
    if (!isShared) return undefined
    const { elapsed, now } = this.#freshAt
    const isFresh = clock.elapsed() - elapsed <= FRESH_MS && clock.now() - now <= FRESH_MS
    return isFresh ? undefined : this.refresh()
  }

  /** Resolves when no other process acknowledges anything any more that did not know of the commits before the call. */
  async heard(): Promise<void> {
    if (this.#deps.isShared) await wait(HEARD_MS)
  }

  /** Waits until who did not find something may have the store asked. */
  async #whenDue(): Promise<void> {
    const { clock } = this.#deps
    const waitMs = this.#missingAtMs + MISSING_EVERY_MS - clock.elapsed()
    if (waitMs > 0) await wait(waitMs)
    this.#missingAtMs = clock.elapsed()
  }

  /** Says that someone begins to take over all that was committed before; the answer is called when that is done. */
  begin(): () => void {
    const begunAt = momentOf(this.#deps.clock)
    return () => {
      if (begunAt.elapsed >= this.#freshAt.elapsed) this.#freshAt = begunAt
    }
  }

  #start(): Promise<void> {
    const end = this.begin()
    const running = this.#deps
      .run()
      .then((changes) => {
        end()
        this.#takenOver += changes
      })
      .finally(() => {
        if (this.#running === running) this.#running = undefined
      })
    this.#running = running
    return running
  }
}

function momentOf(clock: Clock): Moment {
  return { elapsed: clock.elapsed(), now: clock.now() }
}
