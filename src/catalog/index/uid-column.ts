import { randomInt } from 'node:crypto'
import { growColumn, invariant, ORDINAL_END } from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'

const WORDS = 4
const UID_LENGTH = 36
const ORDINAL_MASK = ORDINAL_END - 1
const parsed = new Uint32Array(WORDS)

/** UUIDs by ref in 16 bytes each, with the way back from UUID to ref. */
export class UidColumn {
  #words = new Uint32Array(WORDS * 1024)
  readonly #tables = new RefTables()

  /** Makes room for so many more at once. */
  reserve(count: number): void {
    this.#words = growColumn(this.#words, (count + 1) * WORDS)
    this.#tables.reserve(count)
  }

  set(ref: number, uid: string): void {
    invariant(parseUid(uid), `"${uid}" is no UUID`)
    this.#words = growColumn(this.#words, (ref + 1) * WORDS)
    const words = this.#words
    const base = ref * WORDS
    words[base] = parsed[0]
    words[base + 1] = parsed[1]
    words[base + 2] = parsed[2]
    words[base + 3] = parsed[3]
    this.#tables.add(ref, hashOf(parsed, 0))
  }

  delete(ref: number): void {
    this.#tables.delete(ref, hashOf(this.#words, ref * WORDS))
    this.#words.fill(0, ref * WORDS, (ref + 1) * WORDS)
  }

  /**
   * The ref of a UUID, 0 when it has none or the text is no UUID. A guess costs little and, when it
   * or its successor is right, saves a look into the table.
   */
  find(uid: string, guess = 0): number {
    if (!parseUid(uid)) return 0
    if (guess > 0 && this.#isParsed(guess)) return guess
    if (guess > 0 && this.#isParsed(guess + 1)) return guess + 1
    const hash = hashOf(parsed, 0)
    const table = this.#tables.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#isParsed(cells[at])) return cells[at]
    }
    return 0
  }

  #isParsed(ref: number): boolean {
    const base = ref * WORDS
    const words = this.#words
    return (
      words[base] === parsed[0] &&
      words[base + 1] === parsed[1] &&
      words[base + 2] === parsed[2] &&
      words[base + 3] === parsed[3]
    )
  }

  textOf(ref: number): string {
    const at = ref * WORDS
    const high = (word: number) => hex16(this.#words[at + word] >>> 16)
    const low = (word: number) => hex16(this.#words[at + word])
    return `${high(0)}${low(0)}-${high(1)}-${low(1)}-${high(2)}-${low(2)}${high(3)}${low(3)}`
  }

  /** The ordinal of a UUID that is counted from that of a ref in another column, 0 when it is not. */
  ordinalOf(ref: number, heads: UidColumn, head: number): number {
    const [a, b] = [ref * WORDS, head * WORDS]
    const [own, first] = [this.#words, heads.#words]
    if (own[a] !== first[b] || own[a + 1] !== first[b + 1] || own[a + 2] !== first[b + 2]) return 0
    const isFamily = ((own[a + 3] ^ first[b + 3]) & ~ORDINAL_MASK) === 0
    return isFamily && (first[b + 3] & ORDINAL_MASK) === 0 ? own[a + 3] & ORDINAL_MASK : 0
  }

  /** Below, at or above zero as the UUID of one ref sorts before, with or after that of another. */
  compare(a: number, b: number): number {
    for (let word = 0; word < WORDS; word++) {
      const difference = this.#words[a * WORDS + word] - this.#words[b * WORDS + word]
      if (difference !== 0) return difference
    }
    return 0
  }
}

/**
 * Of all four words, because UIDs that are made one after the other begin alike, and another in every
 * process, so that nobody can choose UIDs that all fall into one slot.
 */
function hashOf(words: Uint32Array, at: number): number {
  let hash = SEED
  for (let word = at; word < at + WORDS; word++) {
    hash = Math.imul(hash ^ words[word], 0x85ebca6b)
    hash ^= hash >>> 15
  }
  return Math.imul(hash, 0xc2b2ae35) >>> 0
}

const SEED = randomInt(2 ** 31)

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The low 16 bits as four hex digits. */
function hex16(word: number): string {
  return HEX_BYTES[(word >>> 8) & 0xff] + HEX_BYTES[word & 0xff]
}

/** Reads a UUID into `parsed`; false when the text is none. A start reads millions of them. */
function parseUid(uid: string): boolean {
  if (uid.length !== UID_LENGTH) return false
  const a = digits(uid, 0)
  const b = digits(uid, 4)
  const c = digits(uid, 9)
  const d = digits(uid, 14)
  const e = digits(uid, 19)
  const f = digits(uid, 24)
  const g = digits(uid, 28)
  const h = digits(uid, 32)
  if ((a | b | c | d | e | f | g | h) < 0) return false
  parsed[0] = (a << 16) | b
  parsed[1] = (c << 16) | d
  parsed[2] = (e << 16) | f
  parsed[3] = (g << 16) | h
  const dash = 45
  return (
    uid.charCodeAt(8) === dash &&
    uid.charCodeAt(13) === dash &&
    uid.charCodeAt(18) === dash &&
    uid.charCodeAt(23) === dash
  )
}

const CODES = 128

/** The value of each hex digit by its character code, -1 for every other character. */
const DIGITS = Int32Array.from({ length: CODES }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code)),
)

/** Four hex digits as a number, negative when one of them is none. */
function digits(text: string, at: number): number {
  const a = text.charCodeAt(at)
  const b = text.charCodeAt(at + 1)
  const c = text.charCodeAt(at + 2)
  const d = text.charCodeAt(at + 3)
  if ((a | b | c | d) >= CODES) return -1
  // What is no digit is -1, whose sign stays through all of this.
  return (DIGITS[a] << 12) | (DIGITS[b] << 8) | (DIGITS[c] << 4) | DIGITS[d]
}
