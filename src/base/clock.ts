import { type EpochMs, epochMs } from './epoch.ts'

/** Where the current time comes from; the only way any part may ask for it. */
export interface Clock {
  /** The current wall-clock time. */
  now(): EpochMs
  /** Milliseconds on a clock that never goes back; only differences mean anything. */
  elapsed(): number
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  elapsed: () => performance.now(),
}

/** A clock that stands still until asked to move, for tests. */
export class ManualClock implements Clock {
  #nowMs: number
  #elapsedMs = 0

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  now(): EpochMs {
    return epochMs(this.#nowMs)
  }

  elapsed(): number {
    return this.#elapsedMs
  }

  /** Sets the wall clock, as people and time servers do: no time passes. */
  jump(ms: number): void {
    this.#nowMs += ms
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.#nowMs += ms
    this.#elapsedMs += ms
  }
}
