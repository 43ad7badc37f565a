import { type Clock, systemClock } from '../../src/base/index.ts'

/** The machine's clock, on which a test lets time pass at once: what is over its time ends without the wait. */
export class HurriedClock implements Clock {
  #aheadMs = 0

  now() {
    return systemClock.now()
  }

  elapsed(): number {
    return systemClock.elapsed() + this.#aheadMs
  }

  /** Lets seconds pass. */
  pass(seconds: number): void {
    this.#aheadMs += seconds * 1_000
  }
}
