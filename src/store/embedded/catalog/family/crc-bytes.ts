/**
 * CRC-32 over stretches of bytes, without a view for each: a start checks millions of short rows, for which calls of
 * zlib's cost more than the sum itself.
 */
const POLYNOMIAL = 0xedb88320
const BYTE_VALUES = 256
const TABLES = 4

/** The state that a checksum begins with. */
export const CRC_START = -1

/** What each byte does to the state from one to four places further on. */
const steps = makeSteps()

function makeSteps(): Int32Array {
  const made = new Int32Array(BYTE_VALUES * TABLES)
  for (let byte = 0; byte < BYTE_VALUES; byte++) {
    let state = byte
    for (let bit = 0; bit < 8; bit++) state = (state >>> 1) ^ ((state & 1) === 0 ? 0 : POLYNOMIAL)
    made[byte] = state
  }
  for (let at = BYTE_VALUES; at < made.length; at++) {
    const before = made[at - BYTE_VALUES]
    made[at] = (before >>> 8) ^ made[before & 0xff]
  }
  return made
}

/** The state after a stretch more. */
export function addToCrc(state: number, bytes: Uint8Array, from: number, until: number): number {
  let crc = state
  let at = from
  for (; at + TABLES <= until; at += TABLES) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    crc =
      steps[768 + (crc & 0xff)] ^
      steps[512 + ((crc >>> 8) & 0xff)] ^
      steps[256 + ((crc >>> 16) & 0xff)] ^
      steps[crc >>> 24]
  }
  for (; at < until; at++) crc = (crc >>> 8) ^ steps[(crc ^ bytes[at]) & 0xff]
  return crc
}

/** The checksum of all that was added. */
export function crcOf(state: number): number {
  return ~state >>> 0
}
