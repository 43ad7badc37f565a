/** Numbers of eight bytes. */

const HIGH = 2 ** 32
/** 2^32 nanoseconds are 4,294 milliseconds and 967,296 nanoseconds. */
const HIGH_MS = 4_294
const HIGH_REST_NS = 967_296
const NS_PER_MS = 1_000_000

/** A time in nanoseconds as milliseconds, without its fraction. */
export function millisecondsAt(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4)
  const low = bytes.readUInt32LE(at)
  return high * HIGH_MS + Math.floor((high * HIGH_REST_NS + low) / NS_PER_MS)
}

/** The fraction that millisecondsAt() leaves out, in nanoseconds. */
export function restAt(bytes: Buffer, at: number): number {
  return (bytes.readUInt32LE(at + 4) * HIGH_REST_NS + bytes.readUInt32LE(at)) % NS_PER_MS
}

/** An unsigned integer, rounded beyond 2^53. */
export function unsignedAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * HIGH + bytes.readUInt32LE(at)
}

/** A signed integer, rounded beyond 2^53. */
export function signedAt(bytes: Buffer, at: number): number {
  return bytes.readInt32LE(at + 4) * HIGH + bytes.readUInt32LE(at)
}

/** Whether a double that was read from a signed integer has other digits. */
export function isRounded(bytes: Buffer, at: number, value: number): boolean {
  return !Number.isSafeInteger(value) && BigInt(value) !== bytes.readBigInt64LE(at)
}
