const PAIRS_MIN = 1 << 10

/** Additions that are placed together; what they fetch fits into a core's own cache. */
const WAITING_MAX = 512

/**
 * A hash table of small positive numbers (0 marks a free place) whose keys lie in columns elsewhere.
 * A ref and its hash lie side by side in `cells`, so that a look costs one cache line: the ref at an
 * even place, the hash behind it. Linear probing at no more than half load; a delete moves followers
 * back, so there are no tombs. To look up: start at `homeOf(hash)`, go on by `after(place)` until a
 * place holds 0, and look at a key only where the kept hash is the one sought.
 *
 * Additions wait until some are together or someone looks: a start adds millions, each to another
 * page of memory, and fetching those pages side by side takes a third of the time.
 */
export class RefTable {
  cells = new Uint32Array(PAIRS_MIN * 2)
  /** The last even place. */
  #mask = (PAIRS_MIN - 1) * 2
  /** Those that wait included. */
  #used = 0
  readonly #waitingRefs = new Uint32Array(WAITING_MAX)
  readonly #waitingHashes = new Uint32Array(WAITING_MAX)
  readonly #fetched = new Uint32Array(WAITING_MAX)
  #waiting = 0

  homeOf(hash: number): number {
    if (this.#waiting > 0) this.#placeWaiting()
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
    this.#waitingRefs[this.#waiting] = ref
    this.#waitingHashes[this.#waiting] = hash
    this.#waiting += 1
    if (this.#waiting === WAITING_MAX) this.#placeWaiting()
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

  /** Never makes other cells: whoever looks has them in hand already. */
  #placeWaiting(): void {
    const count = this.#waiting
    this.#waiting = 0
    if (count > 1) this.#fetch(count)
    for (let at = 0; at < count; at += 1) {
      this.#place(this.#waitingRefs[at], this.#waitingHashes[at])
    }
  }

  /**
   * Reads where those that wait will go: no read needs another, so the waits for memory overlap. What
   * was read is written down only so that the reads are not left out.
   */
  #fetch(count: number): void {
    const { cells } = this
    const [hashes, fetched] = [this.#waitingHashes, this.#fetched]
    const mask = this.#mask
    for (let at = 0; at < count; at += 1) fetched[at] = cells[(hashes[at] << 1) & mask]
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
