/** Follows the commits that other processes make to a catalog that several share. */
import { type Clock, Refusal, systemClock } from '../../base/index.ts'
import type { CatalogChange, CatalogStore } from '../ports/catalog-port.ts'

/** How long what another process has committed may be unknown here, beside the time that a look takes. */
const LOOK_EVERY_MS = 250
/** A cluster that was away is looked at this often: what was revoked meanwhile is known soon after. */
const LOOK_AGAIN_MS_MAX = 1_000
const CHANGES_PER_LOOK = 1_000
/** A poll that takes longer is reported as a problem: calls to hanging nodes time out only after 20 s. */
const ANSWER_MS_MAX = 5_000

/** What a follower works with. */
interface FollowerDeps {
  readonly store: Pick<CatalogStore, 'changesSince' | 'lastCursor'>
  /** Called with changes that others have made, in order; called again until it resolves. */
  readonly onChanges: (changes: readonly CatalogChange[]) => void | Promise<void>
  /** Called when a poll begins. Its result is called when all changes found are reported. */
  readonly onLook?: () => () => void
  /** Called on the first of consecutive failures. */
  readonly onFailure: (error: unknown) => void
  /** Called once when changes were missed for good: memory may be wrong from then on. */
  readonly onLost: (error: Error) => void
  readonly clock?: Clock
}

const NO_ANSWER = 'The cluster that keeps the data does not answer'

/** Polls for commits of other processes, from a moment on. */
export class CommitFollower {
  readonly #deps: FollowerDeps
  #cursor: number
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  readonly #clock: Clock
  /** When what is being asked was asked. */
  #askedAtMs: number | undefined
  #waitMs = LOOK_EVERY_MS
  #problem: string | undefined
  #isClosed = false

  private constructor(deps: FollowerDeps, cursor: number) {
    this.#deps = deps
    this.#cursor = cursor
    this.#clock = deps.clock ?? systemClock
  }

  /** A follower of all that is committed from the call on; it is not started. */
  static async open(deps: FollowerDeps): Promise<CommitFollower> {
    return new CommitFollower(deps, await deps.store.lastCursor())
  }

  /** Why what others commit is not known here, or undefined while it is. */
  get problem(): string | undefined {
    const sinceMs = this.#askedAtMs ?? Number.POSITIVE_INFINITY
    const hangs = this.#clock.elapsed() - sinceMs > ANSWER_MS_MAX
    return this.#problem ?? (hangs ? NO_ANSWER : undefined)
  }

  /** Begins to look. */
  start(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#lookAndGoOn(), this.#waitMs).unref()
  }

  /** Polls at once. Resolves when all that was committed before the call is reported. */
  async look(): Promise<void> {
    // One that runs may have looked before the commit that the caller means.
    await this.#looking?.catch(() => {})
    this.#looking ??= this.#takeAll().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  /** Stops polling. Running reports are finished. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking?.catch(() => {})
  }

  async #lookAndGoOn(): Promise<void> {
    try {
      await this.look()
      this.#waitMs = LOOK_EVERY_MS
      this.#problem = undefined
    } catch (error) {
      this.#waitMs = Math.min(2 * this.#waitMs, LOOK_AGAIN_MS_MAX)
      if (this.#problem === undefined) this.#deps.onFailure(error)
      this.#problem = problemOf(error)
    }
    this.start()
  }

  async #timed<T>(ask: () => Promise<T>): Promise<T> {
    this.#askedAtMs = this.#clock.elapsed()
    try {
      return await ask()
    } finally {
      this.#askedAtMs = undefined
    }
  }

  async #takeAll(): Promise<void> {
    const { store, onChanges, onLook, onLost } = this.#deps
    const end = onLook?.()
    while (!this.#isClosed) {
      const { changes, cursor } = await this.#timed(() =>
        store.changesSince(this.#cursor, CHANGES_PER_LOOK),
      )
      const first = changes[0]?.cursor ?? 0
      if (first > this.#cursor + 1) {
        this.#isClosed = true
        const what = `changes ${this.#cursor + 1} to ${first - 1} of the catalog are not kept any more`
        this.#problem = `Cannot catch up with other processes: ${what}`
        return onLost(new Error(this.#problem))
      }
      const others = changes.filter(({ isOwn }) => isOwn !== true)
      if (others.length > 0) await onChanges(others)
      this.#cursor = cursor
      if (changes.length < CHANGES_PER_LOOK) return end?.()
    }
  }
}

function problemOf(error: unknown): string {
  return error instanceof Refusal ? error.message : 'What other processes commit cannot be read'
}
