import { refusal } from '../../../base/index.ts'

/** Clients give up after half a minute; an answer must come before that. */
const WAIT_MS_DEFAULT = 10_000

/** Each that waits keeps a connection and a timer. */
const WAITING_MAX = 1_000

const RETRY_AFTER_SECONDS = 5

interface Waiter {
  readonly settle: (error?: Error) => void
}

/**
 * Limits the file handles for bodies, because the journal and the databases must always find a handle. Further calls
 * wait in the order of arrival. Their number and time are bounded; after that they are refused and may retry.
 */
export class BodyHandles {
  readonly #handlesMax: number
  readonly #waitMs: number
  readonly #waiting = new Set<Waiter>()
  #count = 0

  constructor(handlesMax: number, waitMs = WAIT_MS_DEFAULT) {
    this.#handlesMax = handlesMax
    this.#waitMs = waitMs
  }

  /** Takes a handle, at once or when one is free, until the answered function is called; may refuse. */
  async take(): Promise<() => void> {
    if (this.#count < this.#handlesMax) this.#count += 1
    else await this.#wait()
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#give()
    }
  }

  #give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#count -= 1
    else next.settle()
  }

  #wait(): Promise<void> {
    if (this.#waiting.size >= WAITING_MAX) return Promise.reject(outOfHandles())
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.settle(outOfHandles()), this.#waitMs).unref()
      const waiter: Waiter = {
        settle: (error) => {
          this.#waiting.delete(waiter)
          clearTimeout(timer)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      this.#waiting.add(waiter)
    })
  }
}

/** The error for a call that finds no free file handle. */
export function outOfHandles(): Error {
  return refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
