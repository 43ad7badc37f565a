import { ID_BYTES_MAX } from './id-hash.ts'

/** A power of two. Many devices have streams of the same few names. */
const KEPT = 256

/** The texts of IDs by their bytes, those kept that came last: one text for all is made and hashed once. */
export class IdTexts {
  readonly #texts: string[] = new Array(KEPT).fill('')

  /** The text at from ≤ index < until, whose hash is returned. */
  textOf(bytes: Buffer, from: number, until: number, hash: number): string {
    const place = (hash ^ (hash >>> 16)) & (KEPT - 1)
    const kept = this.#texts[place]
    if (isAt(kept, bytes, from, until)) return kept
    const text = bytes.toString('utf8', from, until)
    if (until - from <= ID_BYTES_MAX) this.#texts[place] = text
    return text
  }
}

/** Whether the bytes are those of a text; never for one that has others than ASCII. */
function isAt(text: string, bytes: Buffer, from: number, until: number): boolean {
  if (text.length !== until - from) return false
  for (let at = 0; at < text.length; at++) {
    const byte = bytes[from + at]
    if (byte >= 0x80 || text.charCodeAt(at) !== byte) return false
  }
  return true
}
