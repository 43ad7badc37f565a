/** A journal segment: its name and its header. The layout is described in docs/format/journal.md. */
import { crc32 } from 'node:zlib'
import { requireKnownFormat } from '../damage/known-format.ts'

/** Bytes before the first frame of a segment. */
export const SEGMENT_HEADER_BYTES = 32

const SEGMENT_MAGIC = 0x57_53_65_67
const FORMAT_VERSION = 1
const TWO_32 = 2 ** 32
/** Lengths are in whole units, so that four bytes suffice for every file. */
const LENGTH_UNIT = 8
const NAME = /^journal-(\d{12})\.seg$/

/** What a segment's header says. */
interface SegmentHeader {
  readonly number: number
  /** Drawn at random, so that no payload can hold bytes that pass for a frame. */
  readonly salt: number
  /** The sequence of the first frame. */
  readonly firstSequence: number
  /** How long the file was made; undefined in a segment of an earlier version, which did not store it. */
  readonly fileBytes?: number | undefined
}

/** The file name of a segment. */
export function segmentName(number: number): string {
  return `journal-${String(number).padStart(12, '0')}.seg`
}

/** The number in a segment's file name, or undefined for another file. */
export function segmentNumberOf(name: string): number | undefined {
  const match = NAME.exec(name)
  return match === null ? undefined : Number(match[1])
}

/** Writes a segment's header to the front of `bytes`. */
export function writeSegmentHeader(bytes: Uint8Array, header: SegmentHeader): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  view.setUint32(0, SEGMENT_MAGIC, true)
  view.setUint32(4, FORMAT_VERSION, true)
  view.setUint32(8, header.salt, true)
  view.setUint32(12, header.number % TWO_32, true)
  view.setUint32(16, header.firstSequence % TWO_32, true)
  view.setUint32(20, Math.floor(header.firstSequence / TWO_32), true)
  view.setUint32(24, Math.floor((header.fileBytes ?? 0) / LENGTH_UNIT), true)
  view.setUint32(28, crc32(bytes.subarray(0, 28)), true)
}

/** The header at the front of a segment, or undefined when it does not check. */
export function readSegmentHeader(bytes: Uint8Array): SegmentHeader | undefined {
  if (bytes.length < SEGMENT_HEADER_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0, true) !== SEGMENT_MAGIC) return undefined
  if (view.getUint32(28, true) !== crc32(bytes.subarray(0, 28))) return undefined
  const version = view.getUint32(4, true)
  requireKnownFormat('journal', version, FORMAT_VERSION)
  if (version !== FORMAT_VERSION) return undefined
  const units = view.getUint32(24, true)
  return {
    fileBytes: units === 0 ? undefined : units * LENGTH_UNIT,
    number: view.getUint32(12, true),
    salt: view.getUint32(8, true),
    firstSequence: view.getUint32(16, true) + view.getUint32(20, true) * TWO_32,
  }
}
