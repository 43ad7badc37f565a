/** Hash tables of small numbers, refs, whose keys lie in columns elsewhere. */
const PAIRS_MIN = 1 << 4
/** Pairs for each ref there is room for: probes stay short up to three quarters. */
const ROOM = 4 / 3
/** A table that is full doubles while it is short, as refs are placed again once for it then. */
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

  /** `pairs` is the capacity; the table grows when three quarters of it are taken. */
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

  /** Grows the table once, before many entries are added. */
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

const PARTS = 64
const PART_SHIFT = 26
/** What parts get beyond their share: hashes do not fall evenly. */
const SPREAD = 1.03
/** Refs that wait to be placed: with them every part has hundreds that are placed together. */
const WAITING_MAX = 1 << 16

/**
 * A table of refs in parts, by the high bits of their hashes: each grows by itself, so that no call waits for
 * millions of refs to be placed again.
 */
export class RefTables {
  readonly #parts = Array.from({ length: PARTS }, () => new RefTable())
  /** Refs and hashes that are in no part yet, side by side. */
  #waiting: Uint32Array | undefined
  #waitingCount = 0

  /** The part in which a ref with this hash is looked for. */
  of(hash: number): RefTable {
    if (this.#waitingCount > 0) this.#placeWaiting()
    return this.#parts[hash >>> PART_SHIFT]
  }

  /** Grows the table once, before many entries are added. */
  reserve(count: number): void {
    if (count === 0) return
    for (const part of this.#parts) part.reserve(Math.ceil((count / PARTS) * SPREAD))
  }

  add(ref: number, hash: number): void {
    this.of(hash).add(ref, hash)
  }

  /**
   * As add, for millions at once: they are placed part by part, as memory is slow where each goes
   * elsewhere than the one before. To be followed by settle().
   */
  addLater(ref: number, hash: number): void {
    this.#waiting ??= new Uint32Array(WAITING_MAX * 2)
    const at = this.#waitingCount * 2
    this.#waiting[at] = ref
    this.#waiting[at + 1] = hash
    this.#waitingCount += 1
    if (this.#waitingCount === WAITING_MAX) this.#placeWaiting()
  }

  /** Places what still waits, and gives back the memory for it. */
  settle(): void {
    this.#placeWaiting()
    this.#waiting = undefined
  }

  /** Takes out a ref that was added with this hash; one that is not there is no error. */
  delete(ref: number, hash: number): void {
    this.of(hash).delete(ref, hash)
  }

  #placeWaiting(): void {
    const count = this.#waitingCount
    const waiting = this.#waiting
    if (waiting === undefined || count === 0) return
    const order = orderByPart(waiting, count)
    for (let at = 0; at < count; at++) {
      const pair = order[at] * 2
      const hash = waiting[pair + 1]
      this.#parts[hash >>> PART_SHIFT].add(waiting[pair], hash)
    }
    this.#waitingCount = 0
  }
}

/** The numbers of the pairs, those of one part together. */
function orderByPart(pairs: Uint32Array, count: number): Uint32Array {
  const ends = new Uint32Array(PARTS + 1)
  for (let at = 0; at < count; at++) ends[(pairs[at * 2 + 1] >>> PART_SHIFT) + 1] += 1
  for (let part = 1; part <= PARTS; part++) ends[part] += ends[part - 1]
  const order = new Uint32Array(count)
  for (let at = 0; at < count; at++) {
    const part = pairs[at * 2 + 1] >>> PART_SHIFT
    order[ends[part]] = at
    ends[part] += 1
  }
  return order
}
