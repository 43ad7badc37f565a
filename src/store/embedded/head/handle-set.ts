import { growColumn } from '../../../base/index.ts'

const HANDLES_PER_BYTE_SHIFT = 3

/** A set of stream handles that only grows, a bit each: puts ask it for every sample. */
export class HandleSet {
  #bits = new Uint8Array(0)
  #count = 0

  /** Handles that were added. */
  get count(): number {
    return this.#count
  }

  add(handle: number): void {
    if (this.has(handle)) return
    this.#count += 1
    const byte = handle >>> HANDLES_PER_BYTE_SHIFT
    this.#bits = growColumn(this.#bits, byte + 1)
    this.#bits[byte] |= 1 << (handle & 7)
  }

  has(handle: number): boolean {
    const byte = handle >>> HANDLES_PER_BYTE_SHIFT
    return byte < this.#bits.length && (this.#bits[byte] & (1 << (handle & 7))) !== 0
  }

  /** Whether nothing was added. */
  get isEmpty(): boolean {
    return this.#count === 0
  }
}
