import type { FrameWrite } from './journal-protocol.ts'

const CALLS = 0
const MESSAGES = 1
const FRAMES = 2
const BUFFER = 3
const PAYLOAD_BYTES = 4
const INTEGERS = 6
const SEQUENCE = 0
const FILE_OFFSET = 1

/** Bytes of memory that the two threads share for their orders. */
export const CONTROL_BYTES = INTEGERS * 4 + 2 * 8

/**
 * How the main thread calls the journal thread, which sleeps meanwhile. Orders for frames lie in
 * shared memory, as cloning a message costs several times as much as the call itself. One frame is
 * under way at a time, so there is room for one order.
 */
export class ControlCells {
  readonly #integers: Int32Array
  readonly #doubles: Float64Array
  #callsSeen = 0
  #messagesSeen = 0
  #framesSeen = 0

  constructor(memory: SharedArrayBuffer) {
    this.#integers = new Int32Array(memory, 0, INTEGERS)
    this.#doubles = new Float64Array(memory, INTEGERS * 4, 2)
  }

  /** Says that a message was posted; the thread looks at it with the next call. */
  noteMessage(): void {
    Atomics.add(this.#integers, MESSAGES, 1)
  }

  /** Writes an order down; the thread takes it with the next call. */
  order({ buffer, payloadBytes, sequence, fileOffset }: FrameWrite): void {
    this.#integers[BUFFER] = buffer
    this.#integers[PAYLOAD_BYTES] = payloadBytes
    this.#doubles[SEQUENCE] = sequence
    this.#doubles[FILE_OFFSET] = fileOffset
    Atomics.add(this.#integers, FRAMES, 1)
  }

  /** Wakes the thread. */
  call(): void {
    Atomics.add(this.#integers, CALLS, 1)
    Atomics.notify(this.#integers, CALLS)
  }

  /** Sleeps until there was a call since the last one. */
  awaitCall(): void {
    Atomics.wait(this.#integers, CALLS, this.#callsSeen)
    this.#callsSeen = Atomics.load(this.#integers, CALLS)
  }

  /** Whether messages were posted since this was asked last. */
  takeMessages(): boolean {
    const seen = this.#messagesSeen
    this.#messagesSeen = Atomics.load(this.#integers, MESSAGES)
    return seen !== this.#messagesSeen
  }

  /** The order that came since this was asked last. */
  takeWrite(): FrameWrite | undefined {
    const seen = this.#framesSeen
    this.#framesSeen = Atomics.load(this.#integers, FRAMES)
    if (seen === this.#framesSeen) return undefined
    return {
      buffer: this.#integers[BUFFER],
      payloadBytes: this.#integers[PAYLOAD_BYTES],
      sequence: this.#doubles[SEQUENCE],
      fileOffset: this.#doubles[FILE_OFFSET],
    }
  }
}
