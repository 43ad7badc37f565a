import type { Socket } from 'node:net'
import type { Clock } from '../../base/index.ts'

/** A body that has not arrived in full, or an answer that has not left. */
export interface Passage {
  /** How much of it has passed, counted from anywhere. */
  readonly passedBytes: number
  /** What is kept in memory for it until its end. */
  readonly heldBytes?: number
  /** Whether it is the service who is slow, and not the other side. */
  isHeldBack(): boolean
  /** Ends the request and its connection. */
  giveUp(): void
}

interface Progress {
  readonly bytesAtFirst: number
  waitedMs: number
}

/** How long a body may take whatever its rate: small devices on bad lines send for a while. */
const ARRIVAL_GRACE_MS = 60_000
/** How long an answer may: as long as a connection may be silent, since systems report late what was read. */
export const DEPARTURE_GRACE_MS = 120_000
/** Beyond that, what has to have passed on average; a line that is slower can send shorter bodies. */
const BYTES_PER_SECOND_MIN = 200
/** What is held in memory has to pass in about this time: no small device asks for megabytes. */
const HELD_SECONDS_MAX = 3_600
const CHECK_EVERY_MS = 5_000

/**
 * Ends requests whose body or answer passes so slowly that it seems to be there only to hold memory.
 * The rate decides and no total time: a file of gigabytes may take days.
 */
export class PaceWatch {
  readonly #clock: Clock
  readonly #graceMs: number
  /** What is younger than the last check has no progress yet; most never get one. */
  readonly #passages = new Map<Passage, Progress | undefined>()
  readonly #timer: NodeJS.Timeout
  #checkedAtMs: number

  constructor(clock: Clock, graceMs = ARRIVAL_GRACE_MS) {
    this.#clock = clock
    this.#graceMs = graceMs
    this.#checkedAtMs = clock.elapsed()
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref()
  }

  /** How many are on their way. */
  get count(): number {
    return this.#passages.size
  }

  /** Watches one until it has passed or is given up. */
  begin(passage: Passage): void {
    this.#passages.set(passage, undefined)
  }

  /** It has passed, or will not. */
  end(passage: Passage): void {
    this.#passages.delete(passage)
  }

  /** Looks at all that are on their way; called by the timer. */
  check(): void {
    const now = this.#clock.elapsed()
    const sinceMs = now - this.#checkedAtMs
    this.#checkedAtMs = now
    for (const [passage, progress] of this.#passages) {
      const { passedBytes, heldBytes = 0 } = passage
      if (progress === undefined) {
        this.#passages.set(passage, { bytesAtFirst: passedBytes, waitedMs: 0 })
        continue
      }
      if (!passage.isHeldBack()) progress.waitedMs += sinceMs
      const dueSeconds = (progress.waitedMs - this.#graceMs) / 1_000
      const rate = Math.max(BYTES_PER_SECOND_MIN, heldBytes / HELD_SECONDS_MAX)
      const bytes = passedBytes - progress.bytesAtFirst
      if (dueSeconds <= 0 || bytes >= dueSeconds * rate) continue
      this.#passages.delete(passage)
      passage.giveUp()
    }
  }

  /** Stops watching. */
  close(): void {
    clearInterval(this.#timer)
  }
}

/** The error for a sender whose body came too slowly. */
export function tooSlow(): Error {
  return Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}

/** What a socket of Node's has besides its documented part. */
interface QueueOwner {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/**
 * How much of what was written to a connection the system has taken. Node reports only complete writes;
 * what is left of one under way its handle knows.
 */
export function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as QueueOwner
  return socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength)
}
