/** How often leases that are held for half a minute are renewed. */
export const RENEW_EVERY_MS = 5_000

/** What keeps a lease: a task that is done from time to time, once at a time. What fails is tried again the next time. */
export class Renewal {
  readonly #renew: () => Promise<void>
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor(renew: () => Promise<void>) {
    this.#renew = renew
    this.#timer = setInterval(() => {
      this.#running ??= this.#once()
    }, RENEW_EVERY_MS).unref()
  }

  /** Does it no more; what is under way is not waited for. */
  end(): void {
    clearInterval(this.#timer)
  }

  /** Does it no more, and waits for what is under way. */
  async close(): Promise<void> {
    this.end()
    await this.#running
  }

  async #once(): Promise<void> {
    try {
      await this.#renew()
    } catch {
      // As while the cluster is away.
    } finally {
      this.#running = undefined
    }
  }
}
