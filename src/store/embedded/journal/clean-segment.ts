/**
 * Reads the frames of a segment in which everything checks, piece by piece, in little memory. What to
 * make of a segment in which something does not is known by scan.ts alone, which needs all of it.
 */
import { crc32 } from 'node:zlib'
import { freeBytes } from '../../../base/plain.ts'
import type { Disk } from '../disk/disk.ts'
import { DIRECTORY_BYTES } from './directory.ts'
import { FRAME_HEADER_BYTES, frameBytes, readFooter, readFrameHeader } from './frame.ts'
import { readSegmentHeader, SEGMENT_HEADER_BYTES } from './segment.ts'

/** How much is read at once, in whole words. */
export interface WindowLengths {
  readonly bytes: number
  /** For a long frame; a segment with a longer one is not read. */
  readonly bytesMax: number
}

/**
 * Many frames of bulk puts, still in the processor's cache when they are looked at; and more than the
 * longest frame of several calls.
 */
const WINDOW: WindowLengths = { bytes: 1024 * 1024, bytesMax: 8 * 1024 * 1024 }

/** The facts that a clean segment has beside its frames. */
export interface CleanSegment {
  /** The last sequence that it accounts for. */
  readonly lastSequence: number
  /** Where its last frame ends. */
  readonly end: number
}

/** A window over a file, which moves on; memory is kept for the next file. */
export class CleanSegmentReader {
  readonly #disk: Disk
  readonly #lengths: WindowLengths
  #room: Uint8Array = new Uint8Array(0)
  #path = ''
  /** What of the file is in view, and where it begins there. */
  #bytes: Uint8Array = this.#room
  #start = 0

  constructor(disk: Disk, lengths = WINDOW) {
    this.#disk = disk
    this.#lengths = lengths
  }

  /** Lets go of the memory that is kept. */
  release(): void {
    freeBytes(this.#room)
    this.#room = new Uint8Array(0)
    this.#bytes = this.#room
  }

  /**
   * Calls `onFrame` with the records of every frame, valid until it returns; undefined when anything
   * does not check, which may show after some of the frames.
   */
  read(path: string, onFrame: (records: Uint8Array) => void): CleanSegment | undefined {
    if (this.#room.length === 0) this.#room = new Uint8Array(this.#lengths.bytes)
    this.#path = path
    this.#moveTo(0)
    const header = readSegmentHeader(this.#bytes)
    if (header === undefined) return undefined
    let lastSequence = header.firstSequence - 1
    let end = SEGMENT_HEADER_BYTES
    for (;;) {
      const frame = this.#frameAt(end, header.salt)
      if (frame === 'none') break
      if (frame === 'unclear') return undefined
      onFrame(frame.records)
      lastSequence = frame.sequence
      end += frame.bytes
    }
    const fileBytes = this.#endOfZeros(end)
    if (fileBytes === undefined || fileBytes < (header.fileBytes ?? 0)) return undefined
    return { lastSequence, end }
  }

  #frameAt(
    at: number,
    salt: number,
  ): { records: Uint8Array; sequence: number; bytes: number } | 'none' | 'unclear' {
    this.#show(at, FRAME_HEADER_BYTES)
    const header = readFrameHeader(this.#bytes, at - this.#start)
    if (header === undefined || header.salt !== salt) return 'none'
    const bytes = frameBytes(header.payloadBytes)
    if (!this.#show(at, bytes)) return 'unclear'
    const payloadStart = at - this.#start + FRAME_HEADER_BYTES
    const payloadEnd = payloadStart + header.payloadBytes
    const payload = this.#bytes.subarray(payloadStart, payloadEnd)
    if (crc32(payload) !== header.payloadCrc) return 'unclear'
    if (readFooter(this.#bytes, payloadEnd, header) !== 'whole') return 'unclear'
    const records = payload.subarray(0, payload.length - DIRECTORY_BYTES)
    return { records, sequence: header.sequence, bytes }
  }

  /** Where the file ends, if it has nothing but zeros from a place on; else undefined. */
  #endOfZeros(from: number): number | undefined {
    let at = from
    for (;;) {
      this.#show(at, 1)
      const rest = this.#bytes.subarray(at - this.#start)
      if (rest.length === 0) return at
      if (!isAllZero(rest)) return undefined
      at += rest.length
    }
  }

  /** Reads `bytes` bytes from `at` on into the view; false when the file or the memory ends before. */
  #show(at: number, bytes: number): boolean {
    const isShown = (): boolean => at + bytes <= this.#start + this.#bytes.length
    if (isShown()) return true
    if (bytes > this.#lengths.bytesMax) return false
    if (bytes > this.#room.length) {
      this.release()
      this.#room = new Uint8Array(this.#lengths.bytesMax)
    }
    this.#moveTo(at)
    return isShown()
  }

  #moveTo(start: number): void {
    this.#bytes = this.#disk.readPart(this.#path, start, this.#room)
    this.#start = start
  }
}

function isAllZero(bytes: Uint8Array): boolean {
  // Places of frames are 8-byte aligned, and so is the memory.
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  for (let index = 0; index < words.length; index += 1) if (words[index] !== 0) return false
  for (let at = words.length * 4; at < bytes.length; at += 1) if (bytes[at] !== 0) return false
  return true
}
