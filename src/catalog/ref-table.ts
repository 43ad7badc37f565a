const SLOTS_MIN = 1 << 10

/**
 * A hash table of small positive numbers (0 marks a free slot) whose keys lie in columns elsewhere.
 * Linear probing at no more than half load; a delete moves followers back, so there are no tombs.
 * To look up: start at `hash & mask` and go on until a slot holds 0.
 */
export class RefTable {
  slots = new Uint32Array(SLOTS_MIN)
  mask = SLOTS_MIN - 1
  #used = 0
  readonly #hashOf: (ref: number) => number

  constructor(hashOf: (ref: number) => number) {
    this.#hashOf = hashOf
  }

  add(ref: number): void {
    if ((this.#used + 1) * 2 > this.slots.length) this.#widen()
    this.#place(ref)
    this.#used += 1
  }

  /** Takes out a ref whose key has not changed since it was added. */
  delete(ref: number): void {
    let hole = this.#hashOf(ref) & this.mask
    while (this.slots[hole] !== ref) {
      if (this.slots[hole] === 0) return
      hole = (hole + 1) & this.mask
    }
    this.#used -= 1
    for (let at = (hole + 1) & this.mask; this.slots[at] !== 0; at = (at + 1) & this.mask) {
      const home = this.#hashOf(this.slots[at]) & this.mask
      // A follower may move back only if the hole still lies on the way from its home.
      if (((at - home) & this.mask) < ((at - hole) & this.mask)) continue
      this.slots[hole] = this.slots[at]
      hole = at
    }
    this.slots[hole] = 0
  }

  #place(ref: number): void {
    let at = this.#hashOf(ref) & this.mask
    while (this.slots[at] !== 0) at = (at + 1) & this.mask
    this.slots[at] = ref
  }

  #widen(): void {
    const old = this.slots
    this.slots = new Uint32Array(old.length * 2)
    this.mask = this.slots.length - 1
    for (const ref of old) if (ref !== 0) this.#place(ref)
  }
}
