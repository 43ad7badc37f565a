import { growColumn } from '../../base/index.ts'

/** Last contacts by component, in epoch milliseconds; 0: none. */
export class ContactColumns {
  #contacts = new Float64Array(1024)
  /** As the catalog keeps them. */
  #kept = new Float64Array(1024)

  widen(length: number): void {
    this.#contacts = growColumn(this.#contacts, length)
    this.#kept = growColumn(this.#kept, length)
  }

  reset(ref: number): void {
    this.#contacts[ref] = 0
    this.#kept[ref] = 0
  }

  of(ref: number): number {
    return this.#contacts[ref]
  }

  note(ref: number, at: number): void {
    this.#contacts[ref] = at
  }

  learn(ref: number, at: number): void {
    if (at > this.#contacts[ref]) this.#contacts[ref] = at
    if (at > this.#kept[ref]) this.#kept[ref] = at
  }

  noteKept(ref: number, at: number): void {
    this.#kept[ref] = at
  }

  /** Whether the contact and the one that is kept differ by at least so much, in either direction. */
  isDue(ref: number, stepMs: number): boolean {
    const contact = this.#contacts[ref]
    return contact !== 0 && Math.abs(contact - this.#kept[ref]) >= stepMs
  }
}
