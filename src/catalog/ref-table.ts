const SLOTS_MIN = 1 << 10

/**
 * A hash table of small positive numbers (0 marks a free slot) whose keys lie in columns elsewhere.
 * Linear probing at no more than half load; a delete moves followers back, so there are no tombs.
 * To look up: start at `hash & mask`, go on until a slot holds 0, and look at a key only where the
 * kept hash is the one sought.
 */
export class RefTable {
  slots = new Uint32Array(SLOTS_MIN)
  hashes = new Uint32Array(SLOTS_MIN)
  mask = SLOTS_MIN - 1
  #used = 0

  add(ref: number, hash: number): void {
    if ((this.#used + 1) * 2 > this.slots.length) this.#widen()
    this.#place(ref, hash)
    this.#used += 1
  }

  /** Takes out a ref that was added with this hash; one that is not there is no error. */
  delete(ref: number, hash: number): void {
    const { slots, hashes, mask } = this
    let hole = hash & mask
    while (slots[hole] !== ref) {
      if (slots[hole] === 0) return
      hole = (hole + 1) & mask
    }
    this.#used -= 1
    for (let at = (hole + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      // A follower may move back only if the hole still lies on the way from its home.
      if (((at - hashes[at]) & mask) < ((at - hole) & mask)) continue
      slots[hole] = slots[at]
      hashes[hole] = hashes[at]
      hole = at
    }
    slots[hole] = 0
  }

  #place(ref: number, hash: number): void {
    const { slots, mask } = this
    let at = hash & mask
    while (slots[at] !== 0) at = (at + 1) & mask
    slots[at] = ref
    this.hashes[at] = hash
  }

  #widen(): void {
    const { slots, hashes } = this
    this.slots = new Uint32Array(slots.length * 2)
    this.hashes = new Uint32Array(slots.length * 2)
    this.mask = this.slots.length - 1
    for (let at = 0; at < slots.length; at++) {
      if (slots[at] !== 0) this.#place(slots[at], hashes[at])
    }
  }
}
