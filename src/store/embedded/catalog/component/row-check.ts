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

/** What a byte adds that one, two or three others follow: so four bytes are added without waiting for each other. */
const TABLE_1 = TABLE.map((rest) => TABLE[rest & 255] ^ (rest >>> 8))
const TABLE_2 = TABLE_1.map((rest) => TABLE[rest & 255] ^ (rest >>> 8))
const TABLE_3 = TABLE_2.map((rest) => TABLE[rest & 255] ^ (rest >>> 8))

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
  const { length } = text
  let next = addWord(addByte(check, TEXT_MARK), length)
  let at = 0
  for (; at + 1 < length; at += 2) {
    next = addWord(next, text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16))
  }
  if (at === length) return next
  const unit = text.charCodeAt(at)
  return addByte(addByte(next, unit), unit >>> 8)
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
  const next = check ^ word
  return (
    TABLE_3[next & 255] ^
    TABLE_2[(next >>> 8) & 255] ^
    TABLE_1[(next >>> 16) & 255] ^
    TABLE[next >>> 24]
  )
}
