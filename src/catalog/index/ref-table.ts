const PAIRS_MIN = 1 << 4
/** Pairs for each ref there is room for: probes stay short up to three quarters. */
const ROOM = 4 / 3
/** A table that is full doubles while it is short, as refs are placed anew once for it then. */
const SHORT_PAIRS = 1 << 12
const SHORT_GROWTH = 2
/** A longer one becomes a quarter longer: less room stands empty than by doubling. */
const GROWTH = 1.25
/** The bits of a hash that choose the place; the others have chosen the table. */
const PLACE_BITS = 26
const PLACE_MASK = 2 ** PLACE_BITS - 1
const PLACE_SCALE = 2 ** -PLACE_BITS

/**
 * A hash table of small positive numbers (0 marks a free place) whose keys lie in columns elsewhere.
 * A ref and its hash lie side by side in `cells`, so that a look costs one cache line: the ref at an
 * even place, the hash behind it. Linear probing at no more than three quarters load; a delete moves
 * followers back, so there are no tombs. To look up: start at `homeOf(hash)`, go on by `after(place)`
 * until a place holds 0, and look at a key only where the kept hash is the one sought.
 */
export class RefTable {
  cells: Uint32Array
  #pairs: number
  #used = 0

  /** Begins with room for three quarters as many refs as pairs are told. */
  constructor(pairs = PAIRS_MIN) {
    this.cells = new Uint32Array(pairs * 2)
    this.#pairs = pairs
  }

  /** Any length will do, not only powers of two: places lie in the order of the hashes. */
  homeOf(hash: number): number {
    return ((hash & PLACE_MASK) * PLACE_SCALE * this.#pairs) << 1
  }

  after(place: number): number {
    return place + 2 === this.cells.length ? 0 : place + 2
  }

  /** Makes room for so many more at once. */
  reserve(count: number): void {
    const pairs = Math.ceil((this.#used + count) * ROOM) + 1
    if (pairs > this.#pairs) this.#widen(pairs)
  }

  add(ref: number, hash: number): void {
    if ((this.#used + 1) * ROOM > this.#pairs) this.#widen(Math.ceil(this.#pairs * this.#growth()))
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
      if (this.#distance(home, at) < this.#distance(hole, at)) continue
      cells[hole] = cells[at]
      cells[hole + 1] = cells[at + 1]
      hole = at
    }
    cells[hole] = 0
  }

  #distance(from: number, until: number): number {
    return from <= until ? until - from : until - from + this.cells.length
  }

  #place(ref: number, hash: number): void {
    const { cells } = this
    let at = this.homeOf(hash)
    while (cells[at] !== 0) at = this.after(at)
    cells[at] = ref
    cells[at + 1] = hash
  }

  #growth(): number {
    return this.#pairs < SHORT_PAIRS ? SHORT_GROWTH : GROWTH
  }

  #widen(pairs: number): void {
    const old = this.cells
    this.cells = new Uint32Array(pairs * 2)
    this.#pairs = pairs
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== 0) this.#place(old[at], old[at + 1])
    }
  }
}
