import { type Disk, type FileRef, writeFully } from '../disk/disk.ts'
import { DIRECTORY_BYTES, writeDirectory } from './directory.ts'
import { FRAME_HEADER_BYTES, finishFrame, frameBytes } from './frame.ts'
import type { FrameWrite, JournalCommand, JournalReply, SegmentStart } from './journal-protocol.ts'
import { SEGMENT_HEADER_BYTES, writeSegmentHeader } from './segment.ts'

const PAYLOAD_START = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES

/** Writes the journal's frames, one after the other, each durable before it is answered. */
export class JournalWriter {
  readonly #disk: Disk
  readonly #buffers: Uint8Array[] = []
  #current: { file: FileRef; salt: number } | undefined
  /** The segment that the next frame begins. */
  #next: SegmentStart | undefined

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Takes note of what the next frame needs. */
  follow(command: Exclude<JournalCommand, { op: 'close' }>): void {
    if (command.op === 'buffer') this.#buffers[command.buffer] = new Uint8Array(command.memory)
    else this.#next = command.start
  }

  /** Makes a frame durable. Returns its sequence or the error. */
  write(order: FrameWrite): JournalReply {
    try {
      this.#writeFrame(order)
      return order.sequence
    } catch (error) {
      return { op: 'failed', what: error instanceof Error ? error.message : String(error) }
    }
  }

  close(): void {
    if (this.#current !== undefined) this.#disk.close(this.#current.file)
    this.#current = undefined
  }

  #writeFrame({ buffer, payloadBytes, sequence, fileOffset }: FrameWrite): void {
    const bytes = this.#buffers[buffer]
    const start = this.#next
    this.#next = undefined
    if (start !== undefined) this.#startSegment(start, bytes, sequence)
    if (this.#current === undefined) throw new Error('BUG: a frame came before its segment')
    const { file, salt } = this.#current
    writeDirectory(bytes, PAYLOAD_START, PAYLOAD_START + payloadBytes - DIRECTORY_BYTES)
    finishFrame(bytes, SEGMENT_HEADER_BYTES, { salt, sequence, payloadBytes, fileOffset })
    const end = SEGMENT_HEADER_BYTES + frameBytes(payloadBytes)
    const from = start === undefined ? SEGMENT_HEADER_BYTES : 0
    const position = start === undefined ? fileOffset : 0
    writeFully(this.#disk, { file, position }, bytes.subarray(from, end))
    this.#disk.sync(file)
  }

  #startSegment(start: SegmentStart, bytes: Uint8Array, firstSequence: number): void {
    this.close()
    this.#current = { file: start.file, salt: start.salt }
    const { number, salt, bytes: fileBytes } = start
    writeSegmentHeader(bytes, { number, salt, firstSequence, fileBytes })
  }
}
