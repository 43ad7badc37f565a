import type { MemoryShare } from '../../base/index.ts'
import type { TextMemory } from '../../store/index.ts'

/** Texts up to here are read without being counted. */
const UNCOUNTED_BYTES_MAX = 32 * 1024

/** The memory of texts that are read for one table, as a share of what all calls may hold. */
export class TextShare implements TextMemory {
  readonly #share: MemoryShare
  #bytes = 0

  constructor(share: MemoryShare) {
    this.#share = share
  }

  get bytes(): number {
    return this.#bytes
  }

  resize(bytes: number): Promise<void> | undefined {
    const counted = bytes <= UNCOUNTED_BYTES_MAX ? 0 : bytes
    if (counted <= this.#share.bytes || this.#share.resizeNow(counted)) {
      this.#bytes = bytes
      return undefined
    }
    return this.#share.resize(counted).then(() => {
      this.#bytes = bytes
    })
  }

  /** Gives back what was handed over. */
  settle(): void {
    this.#bytes = 0
    this.#share.resizeNow(0)
  }

  release(): void {
    this.#share.release()
  }
}
