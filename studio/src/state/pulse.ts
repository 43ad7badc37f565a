/** The moments at which a board asks for what has changed, so that its panels ask together. */

/** What comes together is asked for together. */
const SOON_MS = 250
/** At most one pulse in ten seconds, however many panels a board has. The count of firing alerts is another request. */
const EVERY_MS = 10_500

interface Due {
  readonly act: () => void
  /** Not before this moment of the page's clock. */
  readonly notBefore: number
}

/** Runs what panels ask for at common moments. */
export class Pulse {
  readonly #due = new Map<object, Due>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastAt = Number.NEGATIVE_INFINITY

  /** Runs an action at the next moment that is not before `notBefore`; a key that waits already is not run twice. */
  ask(key: object, act: () => void, notBefore = 0): void {
    if (this.#due.has(key)) return
    this.#due.set(key, { act, notBefore })
    this.#plan()
  }

  /** Forgets what a panel that is gone has asked for. */
  drop(key: object): void {
    this.#due.delete(key)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#due.clear()
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#due.size === 0) return
    const restMs = this.#lastAt + EVERY_MS - performance.now()
    this.#timer = setTimeout(() => this.#beat(), Math.max(SOON_MS, restMs))
  }

  #beat(): void {
    this.#timer = undefined
    this.#lastAt = performance.now()
    const now = this.#lastAt
    for (const [key, { act, notBefore }] of [...this.#due]) {
      if (notBefore > now) continue
      this.#due.delete(key)
      act()
    }
    this.#plan()
  }
}
