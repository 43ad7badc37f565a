import { randomInt } from 'node:crypto'

const QUOTE = 0x22
/** Longer IDs get a closer look. */
export const ID_BYTES_MAX = 512

/** Another in every process, so that nobody can choose IDs that all fall into one slot. */
export const SEED = randomInt(2 ** 31)

/**
 * Takes four bytes at a time: the multiplications wait for each other. Upper bits are brought down
 * before one, as it would leave the uppermost by itself whatever the seed.
 */
export function mix(hash: number, word: number): number {
  const mixed = hash ^ word
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
}

/** Four bytes of an ID as a little-endian word, zeros in place of those behind its end. */
export function wordOf(bytes: Uint8Array, at: number, until: number): number {
  if (at + 3 < until) {
    return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
  }
  let word = 0
  for (let byte = at; byte < until; byte++) word |= bytes[byte] << (8 * (byte - at))
  return word
}

/** The hash of the ID at from ≤ index < until: of its words, the last filled up with zeros, and length. */
export function hashOfId(bytes: Uint8Array, from: number, until: number): number {
  let hash = SEED
  for (let at = from; at < until; at += 4) hash = mix(hash, wordOf(bytes, at, until))
  return mix(hash, until - from)
}

/** The hash of a stream by the hashes of its two IDs and a number for its organization. */
export function hashOfStream(comp: number, stream: number, org: number): number {
  const hash = mix(mix(comp, stream), org)
  return hash ^ (hash >>> 15)
}

/** Finds the end of IDs and hashes them on the way, four bytes at a time. */
export class IdScan {
  /** As hashOfId() gives it, of the ID that was scanned last. */
  hash = 0

  /**
   * The closing quote of the ID that begins at `from`; -1 for one that the slow path must read. That is an empty or too
   * long ID, one with a backslash or control character, and one at the very end of the body.
   */
  scan(view: DataView, from: number): number {
    const last = Math.min(view.byteLength - 4, from + ID_BYTES_MAX)
    let hash = SEED
    for (let at = from; at <= last; at += 4) {
      const word = view.getInt32(at, true)
      const marks = marksOf(word)
      if (marks === 0) {
        hash = mix(hash, word)
        continue
      }
      // The lowest mark is certain, those above it may be carried over.
      const bits = (31 - Math.clz32(marks & -marks)) & 24
      const end = at + (bits >> 3)
      if (view.getUint8(end) !== QUOTE || end === from || end - from > ID_BYTES_MAX) return -1
      if (bits > 0) hash = mix(hash, word & ((1 << bits) - 1))
      this.hash = mix(hash, end - from)
      return end
    }
    return -1
  }
}

/** The top bits of bytes that end a plain ID: quotes, backslashes and what is below a space. */
function marksOf(word: number): number {
  const quotes = word ^ 0x22222222
  const slashes = word ^ 0x5c5c5c5c
  return (
    (((quotes - 0x01010101) & ~quotes) |
      ((slashes - 0x01010101) & ~slashes) |
      ((word - 0x20202020) & ~word)) &
    0x80808080
  )
}
