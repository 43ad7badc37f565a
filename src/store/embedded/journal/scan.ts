/**
 * Reads a segment's bytes frame by frame. A write that a crash cut off was never acknowledged and is skipped without a
 * report. Other mismatches are reported as damage, and the scan continues with the next valid frame.
 * docs/format/journal.md says how the two are distinguished.
 */
import { crc32 } from 'node:zlib'
import { DIRECTORY_BYTES } from './directory.ts'
import {
  countZeroSectors,
  FRAME_FOOTER_BYTES,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  frameBytes,
  readFooter,
  readFrameHeader,
  SECTOR_BYTES,
} from './frame.ts'
import { readSegmentHeader, SEGMENT_HEADER_BYTES } from './segment.ts'

/** A frame that checks. */
interface ScannedFrame {
  readonly offset: number
  readonly end: number
  readonly sequence: number
  /** The payload without its directory. */
  readonly records: Uint8Array
}

/** Bytes that do not check. */
export interface ScannedDamage {
  readonly offset: number
  readonly bytes: number
  readonly what: string
  /** What would be a frame's payload, and where its directory would be; undefined when there is none. */
  readonly frame: { readonly bytes: Uint8Array; readonly directoryAt: number } | undefined
}

/** What a scan found. */
export interface SegmentScan {
  /** The sequence that the header promises for the first frame, when the header checks. */
  readonly firstSequence: number | undefined
  readonly frames: ScannedFrame[]
  readonly damages: ScannedDamage[]
  /** What was passed over at the end as a write that a crash cut off, if anything. */
  readonly cutOff: ScannedDamage | undefined
}

interface Place {
  readonly bytes: Uint8Array
  /** Everything from here to the end of the file is zero. */
  readonly contentEnd: number
  salt: number | undefined
}

/** Scans a whole segment file. */
export function scanSegment(bytes: Uint8Array): SegmentScan {
  const contentEnd = endOfContent(bytes)
  const header = readSegmentHeader(bytes)
  const place: Place = { bytes, contentEnd, salt: header?.salt }
  const frames: ScannedFrame[] = []
  const damages: ScannedDamage[] = []
  if (header === undefined && !isTornHeader(place, 0)) {
    damages.push({
      offset: 0,
      bytes: SEGMENT_HEADER_BYTES,
      frame: undefined,
      what: 'the segment header does not check; its frames are read without it',
    })
  }
  let at = SEGMENT_HEADER_BYTES
  let passedAt = at
  while (at < contentEnd) {
    passedAt = at
    const frame = frameHeaderAt(place, at)
    at =
      frame === undefined
        ? skipDamage(place, at, damages)
        : readFrame(place, at, frame, { frames, damages })
  }
  const isCutOff = contentEnd > SEGMENT_HEADER_BYTES && !isAccounted(passedAt, { frames, damages })
  const cutOff = isCutOff ? describeCutOff(place, passedAt) : undefined
  const { firstSequence } = header ?? {}
  const what = describeShortened(place, header?.fileBytes)
  if (what === undefined) return { firstSequence, frames, damages, cutOff }
  const last = damages.at(-1)
  if (last !== undefined && last.offset + last.bytes === bytes.length) {
    damages[damages.length - 1] = { ...last, what: `${last.what}; ${what}` }
  } else {
    const atEnd = { offset: contentEnd, bytes: bytes.length - contentEnd, frame: undefined }
    damages.push({ ...(cutOff ?? atEnd), what })
  }
  return { firstSequence, frames, damages, cutOff: undefined }
}

/** Whether what begins at a place is a frame or a damage. */
function isAccounted(at: number, { frames, damages }: Pick<SegmentScan, 'frames' | 'damages'>) {
  return frames.at(-1)?.offset === at || damages.at(-1)?.offset === at
}

function describeCutOff({ bytes, contentEnd }: Place, offset: number): ScannedDamage {
  const payload = bytes.subarray(offset + FRAME_HEADER_BYTES, contentEnd)
  return {
    offset,
    bytes: contentEnd - offset,
    frame: { bytes: payload, directoryAt: payload.length - FRAME_FOOTER_BYTES - DIRECTORY_BYTES },
    what: 'a frame at the end of the segment is not whole',
  }
}

/**
 * A file that is shorter than it was made: its zeros are durable ahead of its first frame, so no crash
 * leaves it so, and acknowledged frames may have been behind its end.
 */
function describeShortened(place: Place, madeBytes: number | undefined): string | undefined {
  const { length } = place.bytes
  const isInHeader = place.contentEnd > 0 && length < SEGMENT_HEADER_BYTES
  if (!isInHeader && length >= (madeBytes ?? 0)) return undefined
  const made = madeBytes === undefined ? 'longer' : `${madeBytes} bytes long`
  return `the segment was made ${made} and has ${length} bytes; frames behind may be missing`
}

function endOfContent(bytes: Uint8Array): number {
  const words = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length >> 3)
  let end = bytes.length
  while (end > words.length * 8 && bytes[end - 1] === 0) end -= 1
  if (end > words.length * 8) return end
  let word = words.length
  // Object.is: the bits of -0 are no zeros.
  while (word > 0 && Object.is(words[word - 1], 0)) word -= 1
  end = word * 8
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return end
}

function frameHeaderAt(place: Place, at: number): FrameHeader | undefined {
  const header = readFrameHeader(place.bytes, at)
  if (header === undefined) return undefined
  if (place.salt !== undefined && header.salt !== place.salt) return undefined
  return header
}

function readFrame(
  place: Place,
  at: number,
  header: FrameHeader,
  found: { frames: ScannedFrame[]; damages: ScannedDamage[] },
): number {
  const { bytes } = place
  place.salt ??= header.salt
  const end = at + frameBytes(header.payloadBytes)
  const payloadEnd = at + FRAME_HEADER_BYTES + header.payloadBytes
  const payload = bytes.subarray(at + FRAME_HEADER_BYTES, payloadEnd)
  const isWhole = payload.length === header.payloadBytes && crc32(payload) === header.payloadCrc
  if (isWhole) {
    const records = payload.subarray(0, payload.length - DIRECTORY_BYTES)
    found.frames.push({ offset: at, end, sequence: header.sequence, records })
    if (readFooter(bytes, payloadEnd, header) === 'wrong') {
      found.damages.push({
        offset: payloadEnd,
        bytes: end - payloadEnd,
        frame: undefined,
        what: `the footer of frame ${header.sequence} does not check; its samples do and are kept`,
      })
    }
    return end
  }
  const next = frameHeaderAt(place, end) === undefined ? findFrame(place, at + 8) : end
  if (next === undefined && isTornFrame(place, at, header)) return place.contentEnd
  const damageEnd = next ?? Math.min(Math.max(end, place.contentEnd), bytes.length)
  found.damages.push({
    offset: at,
    bytes: damageEnd - at,
    frame: { bytes: payload, directoryAt: payload.length - DIRECTORY_BYTES },
    what: `the samples of frame ${header.sequence} do not check`,
  })
  return damageEnd
}

/** Whether a frame that does not check is one whose write a crash cut off. */
function isTornFrame(place: Place, at: number, header: FrameHeader): boolean {
  const payloadEnd = at + FRAME_HEADER_BYTES + header.payloadBytes
  // The whole frame had room in the file before its write began.
  if (payloadEnd > place.bytes.length) return false
  if (readFooter(place.bytes, payloadEnd, header) === 'missing') return true
  const span = { start: at + FRAME_HEADER_BYTES, end: payloadEnd }
  return countZeroSectors(place.bytes, 0, span) > header.zeroSectors
}

function skipDamage(place: Place, at: number, damages: ScannedDamage[]): number {
  const next = findFrame(place, at + 8)
  if (next === undefined && isTornHeader(place, at)) return place.contentEnd
  const end = next ?? place.contentEnd
  // The footer's last bytes may be zeros of their own, which contentEnd does not count.
  const frameEnd = at + Math.ceil((end - at) / 8) * 8
  const bytes = place.bytes.subarray(at + FRAME_HEADER_BYTES, frameEnd)
  const directoryAt = bytes.length - FRAME_FOOTER_BYTES - DIRECTORY_BYTES
  damages.push({
    offset: at,
    bytes: end - at,
    frame: { bytes, directoryAt },
    what: 'a frame header does not check',
  })
  return end
}

/** Whether a header that does not check ends in the zeros of a write that a crash cut off. */
function isTornHeader(place: Place, at: number): boolean {
  if (place.contentEnd < at + FRAME_HEADER_BYTES) return true
  const boundary = Math.ceil((at + 1) / SECTOR_BYTES) * SECTOR_BYTES
  const before = place.bytes.subarray(at, Math.min(boundary, at + FRAME_HEADER_BYTES))
  if (before.every((byte) => byte === 0)) return true
  const after = place.bytes.subarray(boundary, at + FRAME_HEADER_BYTES)
  return after.length > 0 && after.every((byte) => byte === 0)
}

/** The next place, 8-byte aligned, where a frame header checks. */
function findFrame(place: Place, start: number): number | undefined {
  for (let at = start; at + FRAME_HEADER_BYTES <= place.contentEnd; at += 8) {
    if (frameHeaderAt(place, at) !== undefined) return at
  }
  return undefined
}
