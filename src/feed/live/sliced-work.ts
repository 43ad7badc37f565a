import { type Clock, Pacer } from '../../base/index.ts'

/** Puts wait no longer than this for sending to listeners. */
const SLICE_MS = 2

/** Work in slices with turns for others in between, and how long it took without them. */
export class SlicedWork {
  readonly #clock: Clock
  readonly #pacer = new Pacer(SLICE_MS)
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
    this.end()
    return this.#pacer.due?.then(() => this.begin())
  }

  /** Ends a slice: what follows is no work until the next begins. */
  end(): void {
    const now = this.#clock.elapsed()
    this.#busyMs += now - this.#begunAtMs
    this.#pacer.count(now - this.#begunAtMs)
    this.#begunAtMs = now
  }

  /** All the time that was worked since it was taken last. */
  takeBusyMs(): number {
    this.end()
    const busyMs = this.#busyMs
    this.#busyMs = 0
    return busyMs
  }
}
