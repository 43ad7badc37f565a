import { mix, SEED } from '../id-hash.ts'
import { hashOfBytes } from '../series-cache.ts'
import { BACKSLASH, SPACE } from './line-bytes.ts'

/** Finds the end of the measurement and tags of a line and hashes them on the way, four bytes at a time. */
export class HeadScan {
  /** As hashOfBytes() gives it, of the bytes that were scanned last. */
  hash = 0

  /** Where measurement and tags end: at a space without a backslash before it, at a control character, or at the limit. */
  scan(view: DataView, from: number, limit: number): number {
    let hash = SEED
    for (let at = from; at + 4 <= limit; at += 4) {
      const word = view.getInt32(at, true)
      const marks = marksOf(word)
      if (marks === 0) {
        hash = mix(hash, word)
        continue
      }
      // The lowest mark is certain, those above it may be carried over.
      const bits = (31 - Math.clz32(marks & -marks)) & 24
      const end = at + (bits >> 3)
      if (view.getUint8(end) === BACKSLASH) break
      if (bits > 0) hash = mix(hash, word & ((1 << bits) - 1))
      this.hash = mix(hash, end - from)
      return end
    }
    const end = endOfHead(view, from, limit)
    this.hash = hashOfBytes(view, from, end)
    return end
  }
}

function endOfHead(view: DataView, from: number, limit: number): number {
  let at = from
  while (at < limit) {
    const byte = view.getUint8(at)
    if (byte <= SPACE) return at
    at += byte === BACKSLASH && at + 1 < limit && view.getUint8(at + 1) === SPACE ? 2 : 1
  }
  return at
}

/** The top bits of bytes that are a backslash, a space, or below it. */
function marksOf(word: number): number {
  const slashes = word ^ 0x5c5c5c5c
  return (((slashes - 0x01010101) & ~slashes) | ((word - 0x21212121) & ~word)) & 0x80808080
}
