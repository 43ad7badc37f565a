/** Numbered places for things with names; the thing that was used longest ago gives way. */
export class BoundedSlots<T> {
  readonly #max: number
  readonly #byName = new Map<string, { readonly slot: number; readonly thing: T }>()

  constructor(max: number) {
    this.#max = max
  }

  /** The thing of a name. */
  find(name: string): T | undefined {
    return this.#byName.get(name)?.thing
  }

  /** The place of a thing; `isKept` when it is there already, not another of the same name. */
  place(name: string, thing: T): { readonly slot: number; readonly isKept: boolean } {
    const kept = this.#byName.get(name)
    const slot = kept?.slot ?? this.#freeSlot()
    this.#byName.delete(name)
    this.#byName.set(name, { slot, thing })
    return { slot, isKept: kept?.thing === thing }
  }

  #freeSlot(): number {
    if (this.#byName.size < this.#max) return this.#byName.size
    for (const [name, { slot }] of this.#byName) {
      this.#byName.delete(name)
      return slot
    }
    return 0
  }
}
