/** NaN, the infinities, and Prometheus' stale marker: values that only the query API shows. */

/** The bits of the stale marker, as specialTextAt() writes them. */
export const STALE_MARKER = '7ff0000000000002'

/** Whether the double at a place, little-endian, is not finite. */
export function isSpecialAt(bytes: Uint8Array, at: number): boolean {
  return (bytes[at + 7] & 0x7f) === 0x7f && bytes[at + 6] >= 0xf0
}

/** Its bits in 16 hex digits. A JavaScript number does not keep the bits of a NaN. */
export function specialTextAt(bytes: Buffer, at: number): string {
  const high = bytes.readUInt32LE(at + 4)
  const low = bytes.readUInt32LE(at)
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}
