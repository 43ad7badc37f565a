import type { MemoryBudget } from '../../../base/index.ts'
import { SLICE_BYTES } from '../../../intake/index.ts'

/**
 * Long enough for a put of a thousand samples; longer bodies take the general way. No longer than
 * what is read before other calls get a turn: later it could be the bytes of another call.
 */
export const FRONT_BODY_BYTES_MAX = SLICE_BYTES

/** Memory for bodies that arrive in pieces, all connections together, where there is plenty. */
const LENT_BYTES_MAX = 64 * 1024 * 1024
const SMALLEST_BYTES = 32 * 1024
/** How many buffers of a size stay for the next body. */
const KEPT_MAX = 16

/** The part of the memory budget that is for callers who have not said who they are. */
export type UnauthenticatedBudget = Pick<
  MemoryBudget,
  'addUnauthenticated' | 'endUnauthenticated' | 'refuseUnauthenticated'
>

/**
 * Buffers for the requests that arrive in more than one piece. They are used again: new ones for
 * every call would make the collector run by their amount.
 */
export class BodyMemory {
  readonly #kept = new Map<number, Buffer[]>()
  readonly #budget: UnauthenticatedBudget
  #lentBytes = 0

  /** Lends what the budget has room for: nobody has said yet who sends these bodies. */
  constructor(budget: UnauthenticatedBudget) {
    this.#budget = budget
  }

  /** A buffer of at least `bytesMin` bytes, or undefined when too much is in use. */
  take(bytesMin: number): Buffer | undefined {
    let bytes = SMALLEST_BYTES
    while (bytes < bytesMin) bytes *= 2
    if (this.#lentBytes + bytes > LENT_BYTES_MAX) return undefined
    if (!this.#budget.addUnauthenticated(bytes)) return undefined
    this.#lentBytes += bytes
    return this.#kept.get(bytes)?.pop() ?? Buffer.allocUnsafeSlow(bytes)
  }

  /** Takes a buffer back; nobody may read it from here on. */
  give(buffer: Buffer): void {
    this.#lentBytes -= buffer.length
    this.#budget.endUnauthenticated(buffer.length)
    const kept = this.#kept.get(buffer.length)
    if (kept === undefined) this.#kept.set(buffer.length, [buffer])
    else if (kept.length < KEPT_MAX) kept.push(buffer)
  }
}
