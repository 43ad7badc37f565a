/** A whole number out of a row; undefined where the column is empty. */
export function wholeOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}

/** A whole number out of a column that is never empty. */
export function mustBeWhole(value: unknown): number {
  return Number(value)
}

/** The bytes of a column, undefined where it is empty. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined
}

/** Bytes as the driver takes them, without a copy. */
export function blobOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A whole number below 2^53 as a column of type bigint has it. */
export function longBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  const high = Math.floor(value / 2 ** 32)
  bytes.writeInt32BE(high, 0)
  bytes.writeUInt32BE(value - high * 2 ** 32, 4)
  return bytes
}
