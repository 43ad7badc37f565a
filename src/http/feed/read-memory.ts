import {
  ANSWER_BYTES_MAX,
  type MemoryBudget,
  type MemoryShare,
  refuse,
  SMALL_CALL_BYTES_MAX,
} from '../../base/index.ts'
import type { TextMemory } from '../../store/index.ts'

/** Texts up to this total length are read without counting their memory. */
const UNCOUNTED_BYTES_MAX = 32 * 1024

/** What texts take while they are read, for each byte of an answer: packed, plain, and as strings. */
const READ_BYTES_PER_BYTE = 3

const RETRY_AFTER_SECONDS = 5

/** Who holds the memory of a call. */
export interface MemoryHolder {
  /** Takes the memory that a long answer holds, to give it back when the answer has left. */
  readonly hold: (share: MemoryShare) => void
  /** Whether nobody waits for the answer any more. */
  readonly isGone?: () => boolean
}

/**
 * What one read holds of the memory budget: the texts from where the store reads them, then the answer
 * that is made of them. Never of the part for small calls, as nobody knows when a response is read.
 */
export class ReadMemory implements TextMemory {
  readonly #budget: MemoryBudget
  readonly #holder: MemoryHolder
  #share: MemoryShare | undefined
  #bytes = 0

  constructor(budget: MemoryBudget, holder: MemoryHolder) {
    this.#budget = budget
    this.#holder = holder
  }

  /** The bytes of the longest answer. */
  get answerBytesMax(): number {
    return Math.min(ANSWER_BYTES_MAX, this.#budget.shareBytesMax)
  }

  /** What the read holds. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * As TextMemory has it; refuses as well what nobody waits for. The share stays as large as it was:
   * calls that let go of what they need again at once would wait for each other.
   */
  resize(bytes: number): Promise<void> | undefined {
    // One that needs more than there can be for a call, while it reads or writes, has all of it.
    const counted = Math.min(bytes, this.#budget.shareBytesMax)
    if (bytes <= this.#bytes || counted <= (this.#share?.bytes ?? 0)) {
      this.#bytes = bytes
      return undefined
    }
    if (this.#holder.isGone?.() === true) {
      refuse('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    const { answerBytesMax } = this
    if (bytes > READ_BYTES_PER_BYTE * answerBytesMax) refuseLong(answerBytesMax)
    const growing = this.#grow(counted)
    if (growing === undefined) this.#bytes = bytes
    return growing?.then(() => {
      this.#bytes = bytes
    })
  }

  /** Gives back what is beyond an answer that is written; until then it has what reading took. */
  settle(answerBytes: number): void {
    this.#bytes = answerBytes
    if (this.#share !== undefined && answerBytes < this.#share.bytes) {
      this.#share.resizeNow(answerBytes)
    }
  }

  #grow(bytes: number): Promise<void> | undefined {
    if (this.#share !== undefined) {
      return this.#share.resizeNow(bytes) ? undefined : this.#share.resize(bytes)
    }
    if (bytes <= UNCOUNTED_BYTES_MAX) return undefined
    const share = this.#budget.takeNow(bytes)
    if (share === undefined) return this.#takeLater(bytes)
    this.#keep(share)
    return undefined
  }

  async #takeLater(bytes: number): Promise<void> {
    const share = await this.#budget.take(Math.max(bytes, SMALL_CALL_BYTES_MAX + 1))
    share.resizeNow(bytes)
    this.#keep(share)
  }

  #keep(share: MemoryShare): void {
    this.#share = share
    this.#holder.hold(share)
  }
}

/** Refuses texts that take more than an answer can have. */
export function refuseLong(bytesMax: number): never {
  const what = `The requested texts have more than ${bytesMax} bytes`
  refuse('bad_input', { what: `${what}. Use a smaller "limit"` })
}
