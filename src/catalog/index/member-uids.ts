import {
  growColumn,
  invariant,
  ORDINAL_END,
  readUid,
  showUid,
  UID_WORDS,
} from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'
import { UidColumn } from './uid-column.ts'

const ORDINAL_MASK = ORDINAL_END - 1
const LAST_WORD = UID_WORDS - 1
const words = new Uint32Array(UID_WORDS)
const others = new Uint32Array(UID_WORDS)

/**
 * The UIDs of streams by handle. One that is counted from its component's is its ordinal, four bytes; others
 * are kept whole. Streams that were made together have handles in the order of their ordinals: these are found
 * without a table.
 */
export class MemberUids {
  /** Ordinals; from ORDINAL_END on the places of UIDs that are no member's. */
  #codes = new Uint32Array(1024)
  /** By component, what its first stream had as handle beyond ordinal, and ORDINAL_END more; 0: it had none. */
  #offsets = new Uint32Array(1024)
  /** Members whose handles are not told by the offset. */
  readonly #strays = new RefTables()
  readonly #strangers = new UidColumn()
  readonly #handlesOfStrangers: number[] = [0]
  readonly #freePlaces: number[] = []
  readonly #heads: UidColumn
  readonly #componentOf: (handle: number) => number

  /** `heads` are the UIDs of components; `componentOf` tells that of a handle, 0 when it has none. */
  constructor(heads: UidColumn, componentOf: (handle: number) => number) {
    this.#heads = heads
    this.#componentOf = componentOf
  }

  /** Makes room for so many at once. */
  reserve(counts: { readonly components?: number; readonly streams?: number }): void {
    this.#codes = growColumn(this.#codes, (counts.streams ?? 0) + 1)
    this.#offsets = growColumn(this.#offsets, (counts.components ?? 0) + 1)
  }

  set(handle: number, component: number, uid: string): void {
    if (!readUid(uid, words)) invariant(false, `"${uid}" is no UUID`)
    const ordinal = this.#ordinalIn(component)
    if (ordinal > 0) {
      this.setOrdinal(handle, component, ordinal)
      return
    }
    const place = this.#freePlaces.pop() ?? this.#handlesOfStrangers.length
    this.#handlesOfStrangers[place] = handle
    this.#strangers.set(place, uid)
    this.#codes = growColumn(this.#codes, handle + 1)
    this.#codes[handle] = ORDINAL_END + place
  }

  /** As set, for a UID that is counted from the component's. */
  setOrdinal(handle: number, component: number, ordinal: number): void {
    if (handle >= this.#codes.length) this.#codes = growColumn(this.#codes, handle + 1)
    if (component >= this.#offsets.length) this.#offsets = growColumn(this.#offsets, component + 1)
    this.#codes[handle] = ordinal
    const offset = handle - ordinal + ORDINAL_END
    if (this.#offsets[component] === 0) this.#offsets[component] = offset
    else if (this.#offsets[component] !== offset)
      this.#strays.add(handle, hashOf(component, ordinal))
  }

  delete(handle: number, component: number): void {
    const code = this.#codes[handle]
    this.#codes[handle] = 0
    if (code >= ORDINAL_END) {
      const place = code - ORDINAL_END
      this.#strangers.delete(place)
      this.#handlesOfStrangers[place] = 0
      this.#freePlaces.push(place)
    } else {
      this.#strays.delete(handle, hashOf(component, code))
    }
  }

  /** Says that a component has no streams any more. */
  forget(component: number): void {
    if (component < this.#offsets.length) this.#offsets[component] = 0
  }

  /** The stream of a UID, 0 when it has none or the text is no UUID. */
  find(uid: string): number {
    if (!readUid(uid, words)) return 0
    const ordinal = words[LAST_WORD] & ORDINAL_MASK
    if (ordinal > 0) {
      words[LAST_WORD] = (words[LAST_WORD] & ~ORDINAL_MASK) >>> 0
      const component = this.#heads.findWords(words)
      const handle = component === 0 ? 0 : this.#findOrdinal(component, ordinal)
      if (handle > 0) return handle
    }
    return this.#handlesOfStrangers[this.#strangers.find(uid)]
  }

  textOf(handle: number): string {
    this.#copyWords(handle, words)
    return showUid(words, 0)
  }

  /** Its ordinal when its UID is counted from the component's, else 0. */
  ordinalOf(handle: number): number {
    const code = this.#codes[handle]
    return code < ORDINAL_END ? code : 0
  }

  /** Below, at or above zero as the UID of one stream sorts before, with or after that of another. */
  compare(a: number, b: number): number {
    this.#copyWords(a, words)
    this.#copyWords(b, others)
    for (let word = 0; word < UID_WORDS; word++) {
      if (words[word] !== others[word]) return words[word] - others[word]
    }
    return 0
  }

  #copyWords(handle: number, into: Uint32Array): void {
    const code = this.#codes[handle] ?? 0
    if (code >= ORDINAL_END) {
      this.#strangers.copyWords(code - ORDINAL_END, into)
    } else {
      this.#heads.copyWords(this.#componentOf(handle), into)
      into[LAST_WORD] |= code
    }
  }

  #findOrdinal(component: number, ordinal: number): number {
    const guess = (this.#offsets[component] ?? 0) - ORDINAL_END + ordinal
    if (guess > 0 && this.#isMember(guess, component, ordinal)) return guess
    const hash = hashOf(component, ordinal)
    const table = this.#strays.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#isMember(cells[at], component, ordinal)) return cells[at]
    }
    return 0
  }

  #isMember(handle: number, component: number, ordinal: number): boolean {
    return this.#codes[handle] === ordinal && this.#componentOf(handle) === component
  }

  /** The ordinal of the UID in `words` if it is counted from that of a component, else 0. */
  #ordinalIn(component: number): number {
    this.#heads.copyWords(component, others)
    if (words[0] !== others[0] || words[1] !== others[1] || words[2] !== others[2]) return 0
    const isFamily = ((words[LAST_WORD] ^ others[LAST_WORD]) & ~ORDINAL_MASK) === 0
    const isHead = (others[LAST_WORD] & ORDINAL_MASK) === 0
    return isFamily && isHead ? words[LAST_WORD] & ORDINAL_MASK : 0
  }
}

function hashOf(component: number, ordinal: number): number {
  const mixed = Math.imul(component, 0x9e3779b1) ^ Math.imul(ordinal, 0x85ebca6b)
  const last = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return (last ^ (last >>> 16)) >>> 0
}
