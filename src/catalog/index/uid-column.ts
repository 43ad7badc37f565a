import { randomInt } from 'node:crypto'
import { growColumn, invariant, readUid, showUid, UID_WORDS } from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'

const parsed = new Uint32Array(UID_WORDS)

/** UUIDs by ref in 16 bytes each, with the way back from UUID to ref. */
export class UidColumn {
  #words = new Uint32Array(UID_WORDS * 1024)
  readonly #tables = new RefTables()
  /** What the greatest UUID that was ever kept begins with. */
  #greatestStart = 0
  #greatestNext = 0

  /** Makes room for so many more at once. */
  reserve(count: number): void {
    this.#words = growColumn(this.#words, (count + 1) * UID_WORDS)
    this.#tables.reserve(count)
  }

  set(ref: number, uid: string): void {
    if (!readUid(uid, parsed)) invariant(false, `"${uid}" is no UUID`)
    this.setWords(ref, parsed)
  }

  /** As set, with the words of the UUID. */
  setWords(ref: number, words: Uint32Array): void {
    this.#tables.add(ref, this.#keep(ref, words))
  }

  /** As set, with the words of the UUID, for millions at once; to be followed by settle(). */
  load(ref: number, words: Uint32Array): void {
    this.#tables.addLater(ref, this.#keep(ref, words))
  }

  /** Ends a load. */
  settle(): void {
    this.#tables.settle()
  }

  delete(ref: number): void {
    this.#tables.delete(ref, hashOf(this.#words, ref * UID_WORDS))
    this.#words.fill(0, ref * UID_WORDS, (ref + 1) * UID_WORDS)
  }

  /**
   * The ref of a UUID, 0 when it has none or the text is no UUID. A guess costs little and, when it
   * or its successor is right, saves a look into the table.
   */
  find(uid: string, guess = 0): number {
    return readUid(uid, parsed) ? this.findWords(parsed, guess) : 0
  }

  /** As find, for the words of a UUID. */
  findWords(words: Uint32Array, guess = 0): number {
    if (guess > 0 && this.#has(guess, words)) return guess
    if (guess > 0 && this.#has(guess + 1, words)) return guess + 1
    const hash = hashOf(words, 0)
    const table = this.#tables.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#has(cells[at], words)) return cells[at]
    }
    return 0
  }

  /** Whether a UUID is beyond all that were ever kept, as one is that was made after them: nobody has it then. */
  isBeyond(words: Uint32Array): boolean {
    if (words[0] !== this.#greatestStart) return words[0] > this.#greatestStart
    return words[1] > this.#greatestNext
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

  /** Copies the words of a ref. */
  copyWords(ref: number, into: Uint32Array): void {
    const base = ref * UID_WORDS
    for (let word = 0; word < UID_WORDS; word++) into[word] = this.#words[base + word]
  }

  textOf(ref: number): string {
    return showUid(this.#words, ref * UID_WORDS)
  }

  /** Keeps the words of a ref; tells their hash. */
  #keep(ref: number, words: Uint32Array): number {
    const base = ref * UID_WORDS
    if (base >= this.#words.length) this.#words = growColumn(this.#words, base + UID_WORDS)
    const own = this.#words
    own[base] = words[0]
    own[base + 1] = words[1]
    own[base + 2] = words[2]
    own[base + 3] = words[3]
    if (this.isBeyond(words)) {
      this.#greatestStart = words[0]
      this.#greatestNext = words[1]
    }
    return hashOf(words, 0)
  }
}

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
