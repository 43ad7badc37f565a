import type { UnauthenticatedBudget } from './body-memory.ts'

/** What a connection may hold unasked: usual calls arrive in one piece and never come to more. */
const FREE_BYTES = 4 * 1024

/** The bytes of one connection that wait to be served, as the budget of unauthenticated clients counts them. */
export class UnauthenticatedHold {
  readonly #budget: UnauthenticatedBudget
  #countedBytes = 0

  constructor(budget: UnauthenticatedBudget) {
    this.#budget = budget
  }

  /** Sets the number of held bytes. Returns false, and changes nothing, when there is no room for them. */
  resize(bytes: number): boolean {
    const countedBytes = Math.max(0, bytes - FREE_BYTES)
    const more = countedBytes - this.#countedBytes
    if (more > 0 && !this.#budget.addUnauthenticated(more)) return false
    if (more < 0) this.#budget.endUnauthenticated(-more)
    this.#countedBytes = countedBytes
    return true
  }
}
