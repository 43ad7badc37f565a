/** Bytes that line protocol gives a meaning, and the sets they belong to. */

export const NEWLINE = 0x0a
export const RETURN = 0x0d
export const SPACE = 0x20
export const QUOTE = 0x22
export const HASH = 0x23
export const COMMA = 0x2c
export const MINUS = 0x2d
export const DOT = 0x2e
export const ZERO = 0x30
export const NINE = 0x39
export const EQUALS = 0x3d
export const BACKSLASH = 0x5c
const DELETE = 0x7f

/** Ends a measurement. */
export const ENDS_MEASUREMENT = 1
/** Ends a tag key, tag value, or field key. */
export const ENDS_KEY = 2
/** May follow a backslash in a measurement. */
export const ESCAPED_IN_MEASUREMENT = 4
/** May follow a backslash in a tag key, tag value, or field key. */
export const ESCAPED_IN_KEY = 8
/** Ends a number or a boolean. */
export const ENDS_VALUE = 16
/** Not allowed outside of quoted texts, except as the end of a line. */
export const NOT_PRINTABLE = 32

/** The sets of each byte. */
export const BYTE_SETS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sets = 0
  const isControl = byte < SPACE || byte === DELETE
  if (isControl) sets |= NOT_PRINTABLE | ENDS_MEASUREMENT | ENDS_KEY
  if (byte === SPACE || byte === COMMA) sets |= ENDS_MEASUREMENT | ESCAPED_IN_MEASUREMENT
  if (byte === SPACE || byte === COMMA || byte === EQUALS) sets |= ENDS_KEY | ESCAPED_IN_KEY
  if (byte === SPACE || byte === COMMA || byte === RETURN || byte === NEWLINE) sets |= ENDS_VALUE
  return sets
})
