import { invariant } from '../base/index.ts'
import { RefTable } from './ref-table.ts'
import { widened } from './widened.ts'

const WORDS = 4
const UID_LENGTH = 36
const parsed = new Uint32Array(WORDS)

/** UUIDs by ref in 16 bytes each, with the way back from UUID to ref. */
export class UidColumn {
  #words = new Uint32Array(WORDS * 1024)
  readonly #table = new RefTable((ref) => this.#words[ref * WORDS])

  set(ref: number, uid: string): void {
    invariant(parseUid(uid), `"${uid}" is no UUID`)
    this.#words = widened(this.#words, (ref + 1) * WORDS)
    this.#words.set(parsed, ref * WORDS)
    this.#table.add(ref)
  }

  delete(ref: number): void {
    this.#table.delete(ref)
    this.#words.fill(0, ref * WORDS, (ref + 1) * WORDS)
  }

  /** The ref of a UUID, 0 when it has none or the text is no UUID. */
  find(uid: string): number {
    if (!parseUid(uid)) return 0
    const { slots, mask } = this.#table
    const words = this.#words
    for (let at = parsed[0] & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const base = slots[at] * WORDS
      const isSame =
        words[base] === parsed[0] &&
        words[base + 1] === parsed[1] &&
        words[base + 2] === parsed[2] &&
        words[base + 3] === parsed[3]
      if (isSame) return slots[at]
    }
    return 0
  }

  textOf(ref: number): string {
    let hex = ''
    for (let word = 0; word < WORDS; word++) {
      hex += this.#words[ref * WORDS + word].toString(16).padStart(8, '0')
    }
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
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

/** Reads a UUID into `parsed`; false when the text is none. */
function parseUid(uid: string): boolean {
  if (uid.length !== UID_LENGTH) return false
  let digits = 0
  let word = 0
  for (let at = 0; at < UID_LENGTH; at++) {
    const code = uid.charCodeAt(at)
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (code !== 45) return false
      continue
    }
    const digit = digitOf(code)
    if (digit < 0) return false
    word = (word << 4) | digit
    digits += 1
    if ((digits & 7) === 0) parsed[(digits >> 3) - 1] = word
  }
  return true
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  return -1
}
