import { randomInt } from 'node:crypto'

/** Up to this number of pairs, all are compared. Most calls of a device have fewer. */
const LISTED_MAX = 16
const SLOTS_MIN = 128
/** Another in every process, so that nobody can choose IDs that all fall into one slot. */
const SEED = randomInt(2 ** 31)
const NONE = new Int32Array(0)

/**
 * Numbers for pairs of a component's and a stream's ID, from 0 on in the order in which they come. Pairs of a
 * bulk call are all different: a key made of both for a map would cost more than looking at them.
 */
export class IdPairs {
  readonly #compIds: string[] = []
  readonly #streamIds: string[] = []
  #hashes = NONE
  /** The number of a pair and one, 0 where a slot is free; at most half of them are not. None while pairs are few. */
  #slots = NONE

  get size(): number {
    return this.#compIds.length
  }

  /** The number of a pair, which is added when it is not there. */
  take(compId: string, streamId: string): number {
    return this.size < LISTED_MAX
      ? this.#takeListed(compId, streamId)
      : this.#takeHashed(compId, streamId)
  }

  #takeListed(compId: string, streamId: string): number {
    const { size } = this
    for (let at = 0; at < size; at++) {
      if (this.#streamIds[at] === streamId && this.#compIds[at] === compId) return at
    }
    this.#compIds.push(compId)
    this.#streamIds.push(streamId)
    return size
  }

  #takeHashed(compId: string, streamId: string): number {
    if (this.#slots === NONE) this.#hashListed()
    const hash = hashOf(hashOf(SEED, compId), streamId)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = this.#slots[slot] - 1
      if (this.#hashes[slot] !== hash) continue
      if (this.#compIds[at] === compId && this.#streamIds[at] === streamId) return at
    }
    const added = this.size
    this.#compIds.push(compId)
    this.#streamIds.push(streamId)
    this.#slots[slot] = added + 1
    this.#hashes[slot] = hash
    if (this.size * 2 > this.#slots.length) this.#widen()
    return added
  }

  #hashListed(): void {
    this.#slots = new Int32Array(SLOTS_MIN)
    this.#hashes = new Int32Array(SLOTS_MIN)
    for (let at = 0; at < this.size; at++) {
      const hash = hashOf(hashOf(SEED, this.#compIds[at]), this.#streamIds[at])
      let slot = hash & (SLOTS_MIN - 1)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS_MIN - 1)
      this.#slots[slot] = at + 1
      this.#hashes[slot] = hash
    }
  }

  #widen(): void {
    const [slots, hashes] = [this.#slots, this.#hashes]
    this.#slots = new Int32Array(slots.length * 4)
    this.#hashes = new Int32Array(slots.length * 4)
    const mask = this.#slots.length - 1
    for (let from = 0; from < slots.length; from++) {
      if (slots[from] === 0) continue
      let slot = hashes[from] & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = slots[from]
      this.#hashes[slot] = hashes[from]
    }
  }
}

function hashOf(seed: number, id: string): number {
  let hash = seed
  for (let at = 0; at < id.length; at++) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x85ebca6b)
    hash ^= hash >>> 15
  }
  hash = Math.imul(hash ^ id.length, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
