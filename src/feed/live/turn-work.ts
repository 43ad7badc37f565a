import { type Clock, nextTurn } from '../../base/index.ts'

/** Puts wait no longer than this for listeners to be told. */
const SLICE_MS = 2

/** Work in slices with turns for others in between, and how long it took without them. */
export class TurnWork {
  readonly #clock: Clock
  #begunAtMs = 0
  #busyMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Begins a slice. */
  begin(): void {
    this.#begunAtMs = this.#clock.elapsed()
  }

  /** Lets others have a turn when the slice is over. */
  rest(): Promise<void> | undefined {
    const ms = this.#clock.elapsed() - this.#begunAtMs
    return ms < SLICE_MS ? undefined : this.#letOthers()
  }

  /** Ends a slice: what follows is no work until the next begins. */
  end(): void {
    const now = this.#clock.elapsed()
    this.#busyMs += now - this.#begunAtMs
    this.#begunAtMs = now
  }

  /** All the time that was worked since it was taken last. */
  takeBusyMs(): number {
    this.end()
    const busyMs = this.#busyMs
    this.#busyMs = 0
    return busyMs
  }

  async #letOthers(): Promise<void> {
    this.end()
    await nextTurn()
    this.begin()
  }
}
