import { type Clock, nextTurn } from '../../base/index.ts'

/** Puts wait no longer than this for listeners to be told. */
const SLICE_MS = 2

/** Work in slices with turns for others in between, and how long it took without them. */
export class TurnWork {
  readonly #clock: Clock
  #begunAtMs: number
  #busyMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#begunAtMs = clock.elapsed()
  }

  /** Lets others have a turn when the slice is over. */
  rest(): Promise<void> | undefined {
    const ms = this.#clock.elapsed() - this.#begunAtMs
    return ms < SLICE_MS ? undefined : this.#letOthers(ms)
  }

  /** All the time that was worked. */
  finish(): number {
    return this.#busyMs + this.#clock.elapsed() - this.#begunAtMs
  }

  async #letOthers(ms: number): Promise<void> {
    this.#busyMs += ms
    await nextTurn()
    this.#begunAtMs = this.#clock.elapsed()
  }
}
