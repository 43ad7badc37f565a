/** UIDs of components and streams in memory. */
import { randomInt } from 'node:crypto'
import {
  growColumn,
  invariant,
  ORDINAL_END,
  readUid,
  showUid,
  UID_WORDS,
} from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'

const ORDINAL_MASK = ORDINAL_END - 1
const LAST_WORD = UID_WORDS - 1
/** Room for the words of UIDs that are looked at: none is made for each. */
const parsed = new Uint32Array(UID_WORDS)
/** The UID that `parsed` was read from last: it is mostly looked for before it is kept. */
let parsedUid = ''
const words = new Uint32Array(UID_WORDS)
const others = new Uint32Array(UID_WORDS)

/** Reads a UID into `parsed`; false when it is no UUID. */
function parse(uid: string): boolean {
  if (uid === parsedUid) return true
  parsedUid = readUid(uid, parsed) ? uid : ''
  return parsedUid !== ''
}

/** UUIDs by ref in 16 bytes each, with the way back from UUID to ref. */
export class UidColumn {
  #words = new Uint32Array(UID_WORDS * 1024)
  readonly #tables = new RefTables()
  /** What the greatest UUID that was ever kept begins with. */
  #greatestStart = 0
  #greatestNext = 0

  /** Grows the table once, before many entries are added. */
  reserve(count: number): void {
    this.#words = growColumn(this.#words, (count + 1) * UID_WORDS)
    this.#tables.reserve(count)
  }

  set(ref: number, uid: string): void {
    if (!parse(uid)) invariant(false, `"${uid}" is no UUID`)
    this.#tables.add(ref, this.#keep(ref, parsed, 0))
  }

  /** As set, with words that begin at a place, for millions at once; to be followed by settle(). */
  load(ref: number, words: Uint32Array, at: number): void {
    this.#tables.addLater(ref, this.#keep(ref, words, at))
  }

  /** Ends a load. */
  settle(): void {
    this.#tables.settle()
  }

  delete(ref: number): void {
    this.#tables.delete(ref, hashOf(this.#words, ref * UID_WORDS))
    this.#words.fill(0, ref * UID_WORDS, (ref + 1) * UID_WORDS)
  }

  /** The ref of a UUID, 0 when it has none or the text is no UUID. */
  find(uid: string): number {
    return parse(uid) ? this.findWords(parsed) : 0
  }

  /** As find; nothing is looked up for a UUID that was made after all that were ever kept. */
  findUnlessNew(uid: string): number {
    return parse(uid) && !this.#isBeyond(parsed, 0) ? this.findWords(parsed) : 0
  }

  /** As find, for the words of a UUID. */
  findWords(words: Uint32Array): number {
    const hash = hashOf(words, 0)
    const table = this.#tables.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#has(cells[at], words)) return cells[at]
    }
    return 0
  }

  /** Copies the words of a ref. */
  copyWords(ref: number, into: Uint32Array): void {
    const base = ref * UID_WORDS
    for (let word = 0; word < UID_WORDS; word++) into[word] = this.#words[base + word]
  }

  textOf(ref: number): string {
    return showUid(this.#words, ref * UID_WORDS)
  }

  /** Which of `count` shards a ref belongs to: the same in every process, and after a restart. */
  shardOf(ref: number, count: number): number {
    const base = ref * UID_WORDS
    const own = this.#words
    const mixed = own[base] ^ own[base + 1] ^ own[base + 2] ^ own[base + 3]
    return (Math.imul(mixed, SHARD_SPREAD) >>> 8) % count
  }

  #has(ref: number, words: Uint32Array): boolean {
    const base = ref * UID_WORDS
    const own = this.#words
    return (
      own[base] === words[0] &&
      own[base + 1] === words[1] &&
      own[base + 2] === words[2] &&
      own[base + 3] === words[3]
    )
  }

  #isBeyond(words: Uint32Array, at: number): boolean {
    if (words[at] !== this.#greatestStart) return words[at] > this.#greatestStart
    return words[at + 1] > this.#greatestNext
  }

  /** Keeps the words of a ref; their hash. */
  #keep(ref: number, words: Uint32Array, at: number): number {
    const base = ref * UID_WORDS
    if (base >= this.#words.length) this.#words = growColumn(this.#words, base + UID_WORDS)
    const own = this.#words
    own[base] = words[at]
    own[base + 1] = words[at + 1]
    own[base + 2] = words[at + 2]
    own[base + 3] = words[at + 3]
    if (this.#isBeyond(words, at)) {
      this.#greatestStart = words[at]
      this.#greatestNext = words[at + 1]
    }
    return hashOf(words, at)
  }
}

/** Spreads UIDs over shards; odd. The catalog keeps shards, so it never changes. */
const SHARD_SPREAD = 0x9e3779b1

/** Another in every process, so that nobody can choose UIDs that all fall into one slot. */
const SEED = randomInt(2 ** 31)

/** Of all four words, because UIDs that are made one after the other begin alike. */
function hashOf(words: Uint32Array, at: number): number {
  let hash = SEED
  for (let word = at; word < at + UID_WORDS; word++) {
    hash = Math.imul(hash ^ words[word], 0x85ebca6b)
    hash ^= hash >>> 15
  }
  return Math.imul(hash, 0xc2b2ae35) >>> 0
}

/**
 * The UIDs of streams by handle. A UID that is counted from that of the component is kept as its ordinal, four bytes;
 * other UIDs are kept whole. Streams that were created together have handles in the order of their ordinals: these
 * are found without a table.
 */
export class StreamUids {
  /** Ordinals; from ORDINAL_END on the places of UIDs that are kept whole. */
  #codes = new Uint32Array(1024)
  /** By component, what its first stream had as handle beyond ordinal, and ORDINAL_END more; 0: it had none. */
  #offsets = new Uint32Array(1024)
  /** Streams with ordinals whose handles do not follow from the offset. */
  readonly #strays = new RefTables()
  readonly #whole = new UidColumn()
  readonly #handlesOfWhole: number[] = [0]
  readonly #freePlaces: number[] = []
  readonly #components: UidColumn
  readonly #componentOf: (handle: number) => number

  /** `components` are their UIDs; `componentOf` is that of a handle, 0 when it has none. */
  constructor(components: UidColumn, componentOf: (handle: number) => number) {
    this.#components = components
    this.#componentOf = componentOf
  }

  /** Grows the columns once, before many entries are added. */
  reserve(counts: { readonly components: number; readonly streams: number }): void {
    this.#codes = growColumn(this.#codes, counts.streams + 1)
    this.#offsets = growColumn(this.#offsets, counts.components + 1)
  }

  set(handle: number, component: number, uid: string): void {
    if (!readUid(uid, words)) invariant(false, `"${uid}" is no UUID`)
    const ordinal = this.#ordinalIn(component)
    if (ordinal > 0) {
      this.setOrdinal(handle, component, ordinal)
      return
    }
    const place = this.#freePlaces.pop() ?? this.#handlesOfWhole.length
    this.#handlesOfWhole[place] = handle
    this.#whole.set(place, uid)
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
      this.#strays.add(handle, hashOfOrdinal(component, ordinal))
  }

  delete(handle: number, component: number): void {
    const code = this.#codes[handle]
    this.#codes[handle] = 0
    if (code >= ORDINAL_END) {
      const place = code - ORDINAL_END
      this.#whole.delete(place)
      this.#handlesOfWhole[place] = 0
      this.#freePlaces.push(place)
    } else {
      this.#strays.delete(handle, hashOfOrdinal(component, code))
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
      const component = this.#components.findWords(words)
      const handle = component === 0 ? 0 : this.#findOrdinal(component, ordinal)
      if (handle > 0) return handle
    }
    return this.#handlesOfWhole[this.#whole.find(uid)]
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
      this.#whole.copyWords(code - ORDINAL_END, into)
    } else {
      this.#components.copyWords(this.#componentOf(handle), into)
      into[LAST_WORD] |= code
    }
  }

  #findOrdinal(component: number, ordinal: number): number {
    const guess = (this.#offsets[component] ?? 0) - ORDINAL_END + ordinal
    if (guess > 0 && this.#hasOrdinal(guess, component, ordinal)) return guess
    const hash = hashOfOrdinal(component, ordinal)
    const table = this.#strays.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#hasOrdinal(cells[at], component, ordinal))
        return cells[at]
    }
    return 0
  }

  #hasOrdinal(handle: number, component: number, ordinal: number): boolean {
    return this.#codes[handle] === ordinal && this.#componentOf(handle) === component
  }

  /** The ordinal of the UID in `words` if it is counted from that of a component, else 0. */
  #ordinalIn(component: number): number {
    this.#components.copyWords(component, others)
    if (words[0] !== others[0] || words[1] !== others[1] || words[2] !== others[2]) return 0
    const isAlike = ((words[LAST_WORD] ^ others[LAST_WORD]) & ~ORDINAL_MASK) === 0
    const isCountable = (others[LAST_WORD] & ORDINAL_MASK) === 0
    return isAlike && isCountable ? words[LAST_WORD] & ORDINAL_MASK : 0
  }
}

function hashOfOrdinal(component: number, ordinal: number): number {
  const mixed = Math.imul(component, 0x9e3779b1) ^ Math.imul(ordinal, 0x85ebca6b)
  const last = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return (last ^ (last >>> 16)) >>> 0
}
