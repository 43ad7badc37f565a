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
export function endOfPlainId(bytes: Uint8Array, from: number): number {
  let pos = from
  for (;;) {
    const byte = bytes[pos]
    if (byte === QUOTE) break
    // Also true for the end of the body, where the byte is undefined.
    if (!(byte >= 0x20) || byte === BACKSLASH) return -1
    pos += 1
  }
  return pos === from || pos - from > ID_BYTES_MAX ? -1 : pos
}

/** The digits of every epoch time in milliseconds between 2001 and 2286. */
export const TIME_DIGITS = 13

/** The time written in 13 digits at `at`, or -1 when something else is there. */
export function readEpochDigits(bytes: Uint8Array, at: number): number {
  if (bytes[at] === ZERO) return -1
  let high = 0
  let low = 0
  for (let pos = at; pos < at + 7; pos += 1) {
    const digit = bytes[pos] - ZERO
    if (digit >>> 0 > 9) return -1
    high = (Math.imul(high, 10) + digit) | 0
  }
  for (let pos = at + 7; pos < at + TIME_DIGITS; pos += 1) {
    const digit = bytes[pos] - ZERO
    if (digit >>> 0 > 9) return -1
    low = (Math.imul(low, 10) + digit) | 0
  }
  return high * 1_000_000 + low
}
