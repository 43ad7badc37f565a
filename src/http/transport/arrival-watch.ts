import type { Socket } from 'node:net'
import type { Clock } from '../../base/index.ts'

/** A body that has not arrived in full. */
export interface Arrival {
  readonly socket: Pick<Socket, 'bytesRead'>
  /** Whether bytes are there that the service has not taken: then it is not the sender who is slow. */
  isHeldBack(): boolean
  /** Ends the request and its connection. */
  giveUp(): void
}

interface Progress {
  readonly bytesAtFirst: number
  waitedMs: number
}

/** How long a body may take whatever its rate: small devices on bad lines send for a while. */
const GRACE_MS = 60_000
/** Beyond that, what has to have come on average; a line that is slower can send shorter bodies. */
const BYTES_PER_SECOND_MIN = 200
const CHECK_EVERY_MS = 5_000

/**
 * Ends requests whose body comes so slowly that it seems to be sent only to hold memory. The rate
 * decides and no total time: a file of gigabytes may take days.
 */
export class ArrivalWatch {
  readonly #clock: Clock
  /** What is younger than the last check has no progress yet; most bodies never get one. */
  readonly #arrivals = new Map<Arrival, Progress | undefined>()
  readonly #timer: NodeJS.Timeout
  #checkedAtMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#checkedAtMs = clock.elapsed()
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref()
  }

  /** Bodies that are arriving. */
  get count(): number {
    return this.#arrivals.size
  }

  /** Watches a body until it has arrived or is given up. */
  begin(arrival: Arrival): void {
    this.#arrivals.set(arrival, undefined)
  }

  /** The body has arrived, or will not. */
  end(arrival: Arrival): void {
    this.#arrivals.delete(arrival)
  }

  /** Looks at every body that is arriving; called by the timer. */
  check(): void {
    const now = this.#clock.elapsed()
    const passedMs = now - this.#checkedAtMs
    this.#checkedAtMs = now
    for (const [arrival, progress] of this.#arrivals) {
      const { bytesRead } = arrival.socket
      if (progress === undefined) {
        this.#arrivals.set(arrival, { bytesAtFirst: bytesRead, waitedMs: 0 })
        continue
      }
      if (!arrival.isHeldBack()) progress.waitedMs += passedMs
      const dueMs = progress.waitedMs - GRACE_MS
      const bytes = bytesRead - progress.bytesAtFirst
      if (dueMs <= 0 || bytes >= (dueMs / 1_000) * BYTES_PER_SECOND_MIN) continue
      this.#arrivals.delete(arrival)
      arrival.giveUp()
    }
  }

  /** Stops watching. */
  close(): void {
    clearInterval(this.#timer)
  }
}

/** What a sender is told whose body came too slowly. */
export function tooSlow(): Error {
  return Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}
