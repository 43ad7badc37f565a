/** A UUID is four words of 32 bits in memory: a quarter of what its text takes. */
export const UID_WORDS = 4
const UID_LENGTH = 36

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The text of a UUID whose words begin at a place. */
export function showUid(words: Uint32Array, at: number): string {
  const high = (word: number) => hex16(words[at + word] >>> 16)
  const low = (word: number) => hex16(words[at + word])
  return `${high(0)}${low(0)}-${high(1)}-${low(1)}-${high(2)}-${low(2)}${high(3)}${low(3)}`
}

/** The low 16 bits as four hex digits. */
function hex16(word: number): string {
  return HEX_BYTES[(word >>> 8) & 0xff] + HEX_BYTES[word & 0xff]
}

/** Reads a UUID into four words; false when the text is none. A bulk load brings millions of them. */
export function readUid(uid: string, words: Uint32Array): boolean {
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
  words[0] = (a << 16) | b
  words[1] = (c << 16) | d
  words[2] = (e << 16) | f
  words[3] = (g << 16) | h
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
