import { RefTable } from './ref-table.ts'

const PARTS = 64
const PART_SHIFT = 26
/** What parts get beyond their share: hashes do not fall evenly. */
const SPREAD = 1.03
/** Refs that wait to be placed: with them every part has hundreds that are placed together. */
const WAITING_MAX = 1 << 16

/**
 * A table of refs in parts, by the high bits of their hashes: each grows by itself, so that no call waits for
 * millions of refs to be placed anew.
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

  /** Makes room for so many more at once. */
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
