/**
 * The checksum of a row of components or streams: a CRC-32 of its fields. In JavaScript, because a start checks millions
 * of short rows: to join a row into one text for zlib takes eight times as long.
 */
const TABLE = new Int32Array(256)
for (let byte = 0; byte < 256; byte++) {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 0 ? rest >>> 1 : 0xedb88320 ^ (rest >>> 1)
  TABLE[byte] = rest
}

const NULL_MARK = 0
const NUMBER_MARK = 1
const TEXT_MARK = 2
/** Of what no column of ours holds: damage can turn a text into bytes. */
const OTHER_MARK = 3

/** What a checksum begins with. */
export const CHECK_START = -1

/** A field of a row, as SQLite gives it. */
export type Field = string | number | null

/** The checksum with one field more. */
export function addField(check: number, field: Field): number {
  if (field === null) return addByte(check, NULL_MARK)
  if (typeof field === 'number') return addNumber(check, field)
  return typeof field === 'string' ? addText(check, field) : addByte(check, OTHER_MARK)
}

/** The checksum with a whole number more. */
export function addNumber(check: number, value: number): number {
  const next = addWord(addByte(check, NUMBER_MARK), value)
  return addWord(next, Math.floor(value / 2 ** 32))
}

/** The checksum with a text more: as SQLite stores it, without halves of surrogate pairs. */
export function addText(check: number, text: string): number {
  let next = addWord(addByte(check, TEXT_MARK), text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    next = TABLE[(next ^ unit) & 255] ^ (next >>> 8)
    next = TABLE[(next ^ (unit >>> 8)) & 255] ^ (next >>> 8)
  }
  return next
}

/** The number that a row keeps of a checksum. */
export function endCheck(check: number): number {
  return ~check >>> 0
}

function addByte(check: number, byte: number): number {
  return TABLE[(check ^ byte) & 255] ^ (check >>> 8)
}

/** The checksum with 32 bits more, which are always there. */
export function addWord(check: number, word: number): number {
  let next = TABLE[(check ^ word) & 255] ^ (check >>> 8)
  next = TABLE[(next ^ (word >>> 8)) & 255] ^ (next >>> 8)
  next = TABLE[(next ^ (word >>> 16)) & 255] ^ (next >>> 8)
  return TABLE[(next ^ (word >>> 24)) & 255] ^ (next >>> 8)
}
