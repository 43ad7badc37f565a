/**
 * Byte tests for the parts of a sample. Those for samples as programs write them, without white space,
 * take and give positions as plain numbers, so that the parser's inner loop keeps them in registers.
 */
const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const ID_BYTES_MAX = 512

export const KEY_UNKNOWN = 0
export const KEY_COMP_ID = 1
export const KEY_STREAM_ID = 2
export const KEY_DATA = 3
export const KEY_TIME = 4

/** The length of each key with its closing quote. */
export const KEY_BYTES = [0, 7, 9, 5, 5] as const

/** Whether the bytes from `at` on spell the ASCII text. */
export function spells(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** Which key of the contract lies at `at`, its closing quote included. */
export function keyAt(bytes: Uint8Array, at: number): 0 | 1 | 2 | 3 | 4 {
  switch (bytes[at]) {
    case 0x63:
      return spells(bytes, at, 'compId"') ? KEY_COMP_ID : KEY_UNKNOWN
    case 0x73:
      return spells(bytes, at, 'streamId"') ? KEY_STREAM_ID : KEY_UNKNOWN
    case 0x64:
      return spells(bytes, at, 'data"') ? KEY_DATA : KEY_UNKNOWN
    case 0x74:
      return spells(bytes, at, 'time"') ? KEY_TIME : KEY_UNKNOWN
    default:
      return KEY_UNKNOWN
  }
}

/** Whether `compId":"` lies at `at`; its value begins 9 bytes on. */
export function isCompIdKey(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x63 &&
    bytes[at + 1] === 0x6f &&
    bytes[at + 2] === 0x6d &&
    bytes[at + 3] === 0x70 &&
    bytes[at + 4] === 0x49 &&
    bytes[at + 5] === 0x64 &&
    isTextFollowing(bytes, at + 6)
  )
}

/** Whether `streamId":"` lies at `at`; its value begins 11 bytes on. */
export function isStreamIdKey(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x73 &&
    bytes[at + 1] === 0x74 &&
    bytes[at + 2] === 0x72 &&
    bytes[at + 3] === 0x65 &&
    bytes[at + 4] === 0x61 &&
    bytes[at + 5] === 0x6d &&
    bytes[at + 6] === 0x49 &&
    bytes[at + 7] === 0x64 &&
    isTextFollowing(bytes, at + 8)
  )
}

/** Whether `time":` lies at `at`; its value begins 6 bytes on. */
export function isTimeKey(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x74 &&
    bytes[at + 1] === 0x69 &&
    bytes[at + 2] === 0x6d &&
    bytes[at + 3] === 0x65 &&
    isColonFollowing(bytes, at + 4)
  )
}

/** Whether `data":` lies at `at`; its value begins 6 bytes on. */
export function isDataKey(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x64 &&
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x74 &&
    bytes[at + 3] === 0x61 &&
    isColonFollowing(bytes, at + 4)
  )
}

function isColonFollowing(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === QUOTE && bytes[at + 1] === 0x3a
}

function isTextFollowing(bytes: Uint8Array, at: number): boolean {
  return isColonFollowing(bytes, at) && bytes[at + 2] === QUOTE
}

/** Where the ID that begins at `from` has its closing quote; -1 for one that needs a closer look. */
export function endOfUnescapedId(bytes: Uint8Array, from: number): number {
  const end = from + ID_BYTES_MAX
  let pos = from
  for (;;) {
    const byte = bytes[pos]
    if (byte === QUOTE) break
    // Also true for the end of the body, where the byte is undefined.
    if (!(byte >= 0x20) || byte === BACKSLASH || pos === end) return -1
    pos += 1
  }
  return pos === from ? -1 : pos
}

/** Longer white space inside of a sample is for the reference reader: it could hold the loop up. */
export const SPACE_BYTES_MAX = 16 * 1024

/** Where the white space at `from` ends, at `until` at the latest. */
export function endOfSpace(bytes: Uint8Array, from: number, until: number): number {
  let pos = from
  while (pos < until) {
    const byte = bytes[pos]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
    pos += 1
  }
  return pos
}

/** The number written by four digits in a little-endian word; negative when they are none. */
export function fourDigitsOf(word: number): number {
  const digits = word ^ 0x30303030
  if ((((digits + 0x06060606) | digits) & 0xf0f0f0f0) !== 0) return -1
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff
  return Math.imul(pairs & 0xff, 100) + (pairs >>> 16)
}

/** The digits of every epoch time in milliseconds between 2001 and 2286. */
export const TIME_DIGITS = 13

/** The time written in 13 digits at `at`, or -1 when something else is there. */
export function readEpochDigits(bytes: Uint8Array, at: number): number {
  const first = bytes[at] - ZERO
  const high = fourDigitsOf(wordAt(bytes, at + 1))
  const middle = fourDigitsOf(wordAt(bytes, at + 5))
  const low = fourDigitsOf(wordAt(bytes, at + 9))
  // Also true for the end of the body, where the first is no number.
  if (!(first >= 1 && first <= 9) || (high | middle | low) < 0) return -1
  return (first * 10_000 + high) * 100_000_000 + (middle * 10_000 + low)
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
}
