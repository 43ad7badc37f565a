/** The last value that a row keeps beside its samples; docs/format/samples-db.md. */
import { crc32 } from 'node:zlib'
import type { SampleColumns } from '../../ports/sample-port.ts'

/** Few samples are as quickly decoded as their last value is checked. */
const DECODED_AS_QUICKLY = 8

/** Longer texts are read from the chunk instead of being kept twice. */
const TEXT_LENGTH_MAX = 256

const NUMBER_KIND = 0
const TEXT_KIND = 1
const CRC_BYTES = 4
const NUMBER_BYTES = 1 + 8 + CRC_BYTES

const seedView = new DataView(new ArrayBuffer(12))

/** The checksum of bytes that belong to the last sample of one row. */
function checksum(bytes: Uint8Array, stream: number, last: number): number {
  seedView.setUint32(0, stream, true)
  seedView.setFloat64(4, last, true)
  return crc32(bytes, crc32(seedView))
}

/** Whether a row with this number of samples may keep its last value. */
export function keepsLastValue(count: number): boolean {
  return count > DECODED_AS_QUICKLY
}

/** Packs the last value of a row; null where its samples are to be decoded instead. */
export function packLastValue(
  { count, times, numbers, texts }: SampleColumns,
  stream: number,
): Uint8Array | null {
  if (!keepsLastValue(count)) return null
  const text = texts?.[count - 1]
  // UTF-8 has no way to write half a surrogate pair.
  if (text !== undefined && (text.length > TEXT_LENGTH_MAX || !text.isWellFormed())) return null
  const value = text === undefined ? undefined : Buffer.from(text)
  const packed = new Uint8Array(value === undefined ? NUMBER_BYTES : 1 + value.length + CRC_BYTES)
  const view = new DataView(packed.buffer)
  packed[0] = value === undefined ? NUMBER_KIND : TEXT_KIND
  if (value === undefined) view.setFloat64(1, numbers[count - 1], true)
  else packed.set(value, 1)
  const end = packed.length - CRC_BYTES
  view.setUint32(end, checksum(packed.subarray(0, end), stream, times[count - 1]), true)
  return packed
}

/**
 * The value that a row keeps, or undefined when it is none, does not check, or was kept by format 1,
 * which turned texts into numbers: then the samples decide.
 */
export function unpackLastValue(
  kept: Uint8Array | null,
  stream: number,
  last: number,
): number | string | undefined {
  if (kept === null || kept.length <= CRC_BYTES) return undefined
  const view = new DataView(kept.buffer, kept.byteOffset, kept.byteLength)
  const end = kept.length - CRC_BYTES
  const bytes = kept.subarray(0, end)
  if (view.getUint32(end, true) !== checksum(bytes, stream, last)) return undefined
  if (kept[0] === TEXT_KIND) return Buffer.from(bytes.subarray(1)).toString('utf8')
  return kept[0] === NUMBER_KIND && kept.length === NUMBER_BYTES
    ? view.getFloat64(1, true)
    : undefined
}
