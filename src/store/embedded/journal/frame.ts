/**
 * One frame of a journal segment: header, payload, footer, all 8-byte aligned. Pure; the layout is
 * described in docs/format/journal.md.
 */
import { crc32 } from 'node:zlib'

/** Bytes before a frame's payload. */
export const FRAME_HEADER_BYTES = 32

/** Bytes after a frame's payload: they prove that the write went through to its end. */
export const FRAME_FOOTER_BYTES = 8

/** What a crash keeps or loses as a whole. */
export const SECTOR_BYTES = 512

const FRAME_MAGIC = 0x57_46_72_6d
// It ends in a byte of several bits: no single flip makes a whole footer look like a missing one.
const FOOTER_MAGIC = 0x57_46_6e_64
const TWO_32 = 2 ** 32

/** What a frame's header says. */
export interface FrameHeader {
  readonly salt: number
  readonly sequence: number
  readonly payloadBytes: number
  /** Sectors of the file within the payload that hold nothing but zeros by right. */
  readonly zeroSectors: number
  readonly payloadCrc: number
}

/** A frame's whole length in the file. */
export function frameBytes(payloadBytes: number): number {
  return FRAME_HEADER_BYTES + payloadBytes + FRAME_FOOTER_BYTES
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Counts the sectors inside [start, end) of `bytes` that are all zero; byte 0 lies at fileOffset. */
export function countZeroSectors(
  bytes: Uint8Array,
  fileOffset: number,
  span: { start: number; end: number },
): number {
  const first = Math.ceil((fileOffset + span.start) / SECTOR_BYTES) * SECTOR_BYTES - fileOffset
  let zeroSectors = 0
  for (let at = first; at + SECTOR_BYTES <= span.end; at += SECTOR_BYTES) {
    let within = 0
    while (within < SECTOR_BYTES && bytes[at + within] === 0) within += 1
    if (within === SECTOR_BYTES) zeroSectors += 1
  }
  return zeroSectors
}

/** Puts header and footer around a payload that already lies at frameStart + FRAME_HEADER_BYTES. */
export function finishFrame(
  bytes: Uint8Array,
  frameStart: number,
  frame: { salt: number; sequence: number; payloadBytes: number; fileOffset: number },
): void {
  const view = viewOf(bytes)
  const payloadStart = frameStart + FRAME_HEADER_BYTES
  const payloadEnd = payloadStart + frame.payloadBytes
  const zeroSectors = countZeroSectors(bytes, frame.fileOffset - frameStart, {
    start: payloadStart,
    end: payloadEnd,
  })
  view.setUint32(frameStart, FRAME_MAGIC, true)
  view.setUint32(frameStart + 4, frame.salt, true)
  view.setUint32(frameStart + 8, frame.sequence % TWO_32, true)
  view.setUint32(frameStart + 12, Math.floor(frame.sequence / TWO_32), true)
  view.setUint32(frameStart + 16, frame.payloadBytes, true)
  view.setUint32(frameStart + 20, zeroSectors, true)
  view.setUint32(frameStart + 24, crc32(bytes.subarray(payloadStart, payloadEnd)), true)
  view.setUint32(frameStart + 28, crc32(bytes.subarray(frameStart, frameStart + 28)), true)
  view.setUint32(payloadEnd, footerCheck(frame), true)
  view.setUint32(payloadEnd + 4, FOOTER_MAGIC, true)
}

function footerCheck(frame: { salt: number; sequence: number }): number {
  return (frame.salt ^ (frame.sequence % TWO_32)) >>> 0
}

/** The header at `at`, or undefined when what is there does not check. */
export function readFrameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (at + FRAME_HEADER_BYTES > bytes.length) return undefined
  const view = viewOf(bytes)
  if (view.getUint32(at, true) !== FRAME_MAGIC) return undefined
  if (view.getUint32(at + 28, true) !== crc32(bytes.subarray(at, at + 28))) return undefined
  return {
    salt: view.getUint32(at + 4, true),
    sequence: view.getUint32(at + 8, true) + view.getUint32(at + 12, true) * TWO_32,
    payloadBytes: view.getUint32(at + 16, true),
    zeroSectors: view.getUint32(at + 20, true),
    payloadCrc: view.getUint32(at + 24, true),
  }
}

/** What the footer of a frame looks like. */
type FooterState = 'whole' | 'missing' | 'wrong'

/** Looks at the footer at `at`: missing when a write ended before or inside it. */
export function readFooter(bytes: Uint8Array, at: number, header: FrameHeader): FooterState {
  const expected = new Uint8Array(FRAME_FOOTER_BYTES)
  const view = viewOf(expected)
  view.setUint32(0, footerCheck(header), true)
  view.setUint32(4, FOOTER_MAGIC, true)
  let same = 0
  while (same < FRAME_FOOTER_BYTES && bytes[at + same] === expected[same]) same += 1
  if (same === FRAME_FOOTER_BYTES) return 'whole'
  for (let index = same; index < FRAME_FOOTER_BYTES; index += 1) {
    if ((bytes[at + index] ?? 0) !== 0) return 'wrong'
  }
  return 'missing'
}
