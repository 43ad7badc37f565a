import { freeBytes, nextIteration } from '../../base/index.ts'

/** Bytes moved before others get a turn: memory that is touched for the first time is slow. */
const MOVED_BYTES_MAX = 1024 * 1024

/** Where a body that arrives in pieces is put together, without a second copy at its end. */
export class BodyBytes {
  #memory: Buffer
  #length = 0

  /** Has room for `capacity` bytes. */
  constructor(capacity: number) {
    this.#memory = Buffer.allocUnsafeSlow(capacity)
  }

  get length(): number {
    return this.#length
  }

  get capacity(): number {
    return this.#memory.length
  }

  /** Makes room for more bytes; those that are there stay, and nobody adds any meanwhile. */
  async reserve(capacity: number): Promise<void> {
    const before = this.#memory
    const memory = Buffer.allocUnsafeSlow(capacity)
    for (let at = 0; at < this.#length; ) {
      if (at > 0) await nextIteration()
      at += before.copy(memory, at, at, Math.min(at + MOVED_BYTES_MAX, this.#length))
    }
    this.#memory = memory
    freeBytes(before)
  }

  /** Adds a piece, which must fit. */
  add(piece: Buffer): void {
    this.#length += piece.copy(this.#memory, this.#length)
  }

  /** All bytes so far. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  /** Gives the memory back; nobody may read the bytes any more. */
  free(): void {
    freeBytes(this.#memory)
  }
}

let spent: Buffer[] = []

/**
 * Frees a piece that was copied, after this iteration of the event loop: anyone who has read it from the socket
 * may still be at work on it.
 */
export function freeLater(piece: Buffer): void {
  spent.push(piece)
  if (spent.length > 1) return
  setImmediate(() => {
    const pieces = spent
    spent = []
    for (const one of pieces) freeBytes(one)
  })
}
