/**
 * UIDs of payloads in the form of a UUID of version 8: milliseconds, a count within them and the process that
 * gave them. Their order is that in which one process gave them, and by its clock among processes.
 */
import { randomBytes } from 'node:crypto'

const COUNT_END = 0x1000

/** Gives UIDs for one writer, each after the one before it. */
export class OrderedUids {
  /** Twelve digits that no other writer has. */
  readonly writer = randomBytes(6).toString('hex')
  #ms = 0
  #count = 0

  /** The UID of a payload that came at a time. */
  next(time: number): string {
    this.#step(time)
    return this.#text('8000')
  }

  /** The UID of a run of a payload that has run again since; no payload has it. */
  nextEarlier(time: number): string {
    this.#step(time)
    return this.#text('9000')
  }

  #step(time: number): void {
    this.#count += 1
    if (time <= this.#ms && this.#count < COUNT_END) return
    this.#ms = Math.max(time, this.#ms + 1)
    this.#count = 0
  }

  #text(kind: string): string {
    const ms = hex(this.#ms, 12)
    return `${ms.slice(0, 8)}-${ms.slice(8)}-8${hex(this.#count, 3)}-${kind}-${this.writer}`
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
