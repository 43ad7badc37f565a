import { refuse } from './errors.ts'
import { KeyedMutex } from './keyed-mutex.ts'

/** Previews of an organization that run, which is one, or wait: an editor shows the newest alone. */
const PREVIEWS_PER_ORG_MAX = 3

/** Previews of all organizations that run or wait: each may hold the texts of one row. */
const PREVIEWS_MAX = 20

/** A preview takes about as long at most. */
const RETRY_AFTER_SECONDS = 2

/** Runs one preview of an organization at a time, and refuses more than a few that wait. */
export class PreviewTurns {
  readonly #turns = new KeyedMutex<string>()
  /** Previews that run or wait, by organization. */
  readonly #counts = new Map<string, number>()

  async run<T>(orgUid: string, preview: () => Promise<T>): Promise<T> {
    this.#enter(orgUid)
    try {
      return await this.#turns.run([orgUid], preview)
    } finally {
      this.#leave(orgUid)
    }
  }

  #enter(orgUid: string): void {
    const own = this.#counts.get(orgUid) ?? 0
    let all = 0
    for (const count of this.#counts.values()) all += count
    if (own >= PREVIEWS_PER_ORG_MAX || all >= PREVIEWS_MAX) {
      refuse('preview_unavailable', {
        what: `Too many previews. An organization can run 1 at a time, with ${PREVIEWS_PER_ORG_MAX - 1} waiting. Try again later`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    this.#counts.set(orgUid, own + 1)
  }

  #leave(orgUid: string): void {
    const own = this.#counts.get(orgUid) ?? 0
    if (own > 1) this.#counts.set(orgUid, own - 1)
    else this.#counts.delete(orgUid)
  }
}
