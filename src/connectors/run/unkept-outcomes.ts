/** Outcomes of payloads that the store did not take when the runs were over. */
import { type Log, Refusal } from '../../base/index.ts'
import type { PayloadKey, PayloadStore, RunOutcome } from '../../store/index.ts'

const TRY_EVERY_MS = 5_000

/** Some hundred bytes each. Those beyond it stay without an outcome until the next start. */
const COUNT_MAX = 10_000

interface UnkeptOutcome {
  readonly key: PayloadKey
  readonly outcome: RunOutcome
}

interface UnkeptOutcomeDeps {
  readonly payloads: Pick<PayloadStore, 'get' | 'settle'>
  readonly log: Log
  /** Has a payload for itself; refuses while it runs. */
  readonly exclusively: (uid: string, work: () => Promise<void>) => Promise<void>
}

/**
 * Gives outcomes to the store again until it takes them, such as when a cluster is back. A payload without one is shown
 * as running for as long as the process lives, and the next start would run it although its caller was answered.
 */
export class UnkeptOutcomes {
  readonly #deps: UnkeptOutcomeDeps
  readonly #left = new Map<string, UnkeptOutcome>()
  #timer: NodeJS.Timeout | undefined
  #trying: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: UnkeptOutcomeDeps) {
    this.#deps = deps
  }

  /** Remembers an outcome until it is kept; a later one of the same payload takes its place. */
  add(key: PayloadKey, outcome: RunOutcome): void {
    this.#left.delete(key.uid)
    this.#left.set(key.uid, { key, outcome })
    if (this.#left.size > COUNT_MAX) {
      for (const uid of this.#left.keys().take(1)) this.#left.delete(uid)
    }
    this.#tryLater()
  }

  /** Tries no more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#trying
  }

  #tryLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#trying = this.#tryAll().finally(() => {
        this.#timer = undefined
        if (this.#left.size > 0) this.#tryLater()
      })
    }, TRY_EVERY_MS).unref()
  }

  async #tryAll(): Promise<void> {
    for (const [uid, unkept] of [...this.#left]) {
      if (this.#isClosed) return
      try {
        await this.#deps.exclusively(uid, () => this.#keep(unkept))
        if (this.#left.get(uid) === unkept) this.#left.delete(uid)
      } catch (error) {
        if (!(error instanceof Refusal)) {
          this.#left.delete(uid)
          this.#deps.log.error({ error, payload: uid }, 'the result of a payload is lost')
          continue
        }
        // Behind the others: one that cannot be kept at the moment holds none of them up.
        if (this.#left.delete(uid)) this.#left.set(uid, unkept)
        return
      }
    }
  }

  async #keep({ key, outcome }: UnkeptOutcome): Promise<void> {
    const { payloads } = this.#deps
    const kept = await payloads.get(key.connectorUid, key.uid)
    // Somebody may have run it again since, and another process that has taken it over.
    const isLatest = kept?.outcome === undefined || kept.outcome.start < outcome.start
    if (isLatest) await payloads.settle(key, outcome)
  }
}
