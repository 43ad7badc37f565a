const PAIRS_MIN = 1 << 10

/**
 * A hash table of small positive numbers (0 marks a free place) whose keys lie in columns elsewhere.
 * A ref and its hash lie side by side in `cells`, so that a look costs one cache line: the ref at an
 * even place, the hash behind it. Linear probing at no more than half load; a delete moves followers
 * back, so there are no tombs. To look up: start at `homeOf(hash)`, go on by `after(place)` until a
 * place holds 0, and look at a key only where the kept hash is the one sought.
 */
export class RefTable {
  cells: Uint32Array
  /** The last even place. */
  #mask: number
  #used = 0

  /** Begins with room for half as many pairs as are told, a power of two. */
  constructor(pairs = PAIRS_MIN) {
    this.cells = new Uint32Array(pairs * 2)
    this.#mask = (pairs - 1) * 2
  }

  homeOf(hash: number): number {
    return (hash << 1) & this.#mask
  }

  after(place: number): number {
    return (place + 2) & this.#mask
  }

  /** Makes room for so many more at once. */
  reserve(count: number): void {
    let pairs = this.cells.length / 2
    while ((this.#used + count) * 2 > pairs) pairs *= 2
    if (pairs * 2 > this.cells.length) this.#widen(pairs * 2)
  }

  add(ref: number, hash: number): void {
    if ((this.#used + 1) * 4 > this.cells.length) this.#widen(this.cells.length * 2)
    this.#used += 1
    this.#place(ref, hash)
  }

  /** Takes out a ref that was added with this hash; one that is not there is no error. */
  delete(ref: number, hash: number): void {
    const { cells } = this
    let hole = this.homeOf(hash)
    while (cells[hole] !== ref) {
      if (cells[hole] === 0) return
      hole = this.after(hole)
    }
    this.#used -= 1
    for (let at = this.after(hole); cells[at] !== 0; at = this.after(at)) {
      const home = this.homeOf(cells[at + 1])
      // A follower may move back only if the hole still lies on the way from its home.
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue
      cells[hole] = cells[at]
      cells[hole + 1] = cells[at + 1]
      hole = at
    }
    cells[hole] = 0
  }

  #place(ref: number, hash: number): void {
    const { cells } = this
    let at = (hash << 1) & this.#mask
    while (cells[at] !== 0) at = this.after(at)
    cells[at] = ref
    cells[at + 1] = hash
  }

  #widen(length: number): void {
    const old = this.cells
    this.cells = new Uint32Array(length)
    this.#mask = this.cells.length - 2
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== 0) this.#place(old[at], old[at + 1])
    }
  }
}
