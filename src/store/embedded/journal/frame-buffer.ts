import { DIRECTORY_BYTES } from './directory.ts'
import { FRAME_FOOTER_BYTES, FRAME_HEADER_BYTES } from './frame.ts'
import type { JournalRoom } from './kept-room.ts'
import { onlyRemoves, type SizedRecord, viewMemory, writeRecord } from './record.ts'
import { SEGMENT_HEADER_BYTES } from './segment.ts'

const INITIAL_BYTES = 1024 * 1024
const PAYLOAD_START = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES

/** A frame holds about this much, so that no call waits long for its neighbours; one call may be longer. */
const PAYLOAD_BYTES_MAX = 4 * 1024 * 1024

/**
 * Memory up to this stays: a put of a million numbers takes 20 MB. What is let go stays in memory for
 * long, as nobody can free what two threads share, and the journal's makes no garbage to collect.
 */
const KEPT_BYTES_MAX = 32 * 1024 * 1024

/** Longer memory grows by this, not to twice its length. */
const GROWN_BY_BYTES = 2 * 1024 * 1024

/** A record on its way to the disk, and who waits for it. */
export interface PendingRecord {
  readonly record: SizedRecord
  /** What was kept for it; undefined for one that takes what there is. */
  readonly room: JournalRoom | undefined
  resolve(): void
  reject(error: Error): void
}

/** The frame that is being filled while the journal thread writes another one. */
export class FrameBuffer {
  /** By which the journal thread knows it. */
  readonly number: number
  #pending: PendingRecord[] = []
  #memory = new SharedArrayBuffer(INITIAL_BYTES)
  #views = viewMemory(this.#memory)
  #recordBytes = 0

  constructor(number: number) {
    this.number = number
  }

  get memory(): SharedArrayBuffer {
    return this.#memory
  }

  get pending(): readonly PendingRecord[] {
    return this.#pending
  }

  /** Whether a record fits into the memory that is there. */
  fits(record: SizedRecord): boolean {
    return this.#bytesWith(record) <= this.#memory.byteLength
  }

  /** The payload's length with the directory that the journal thread adds. */
  get payloadBytes(): number {
    return this.#recordBytes + DIRECTORY_BYTES
  }

  /** Whether everything in it only takes things out. */
  get onlyRemoves(): boolean {
    return this.#pending.every(({ record }) => onlyRemoves(record))
  }

  /** Whether everything in it goes on when the disk is full: it only removes, or has room that was kept for it. */
  get isLetIn(): boolean {
    return this.#pending.every(({ record, room }) => room !== undefined || onlyRemoves(record))
  }

  /** What was kept for records in it. */
  get keptBytes(): number {
    let bytes = 0
    for (const { room } of this.#pending) if (room?.isKept === true) bytes += room.bytes
    return bytes
  }

  /** Adds a record, unless the frame already holds others and would become too long. */
  tryAdd(entry: PendingRecord): boolean {
    const recordBytes = this.#recordBytes + entry.record.bytes
    if (recordBytes > PAYLOAD_BYTES_MAX && this.#pending.length > 0) return false
    this.#reserve(this.#bytesWith(entry.record))
    writeRecord(this.#views, PAYLOAD_START + this.#recordBytes, entry.record)
    this.#recordBytes = recordBytes
    this.#pending.push(entry)
    return true
  }

  /** Empties the frame; hands over the records that were in it. */
  clear(): readonly PendingRecord[] {
    const cleared = this.#pending
    this.#pending = []
    this.#recordBytes = 0
    if (this.#memory.byteLength > KEPT_BYTES_MAX) this.#useMemory(INITIAL_BYTES)
    return cleared
  }

  #bytesWith(record: SizedRecord): number {
    const payloadBytes = this.#recordBytes + record.bytes + DIRECTORY_BYTES
    return PAYLOAD_START + payloadBytes + FRAME_FOOTER_BYTES
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#memory.byteLength) return
    const filled = new Uint8Array(this.#memory, 0, PAYLOAD_START + this.#recordBytes)
    const grown = Math.min(this.#memory.byteLength * 2, 2 * PAYLOAD_BYTES_MAX)
    this.#useMemory(Math.max(Math.ceil(bytes / GROWN_BY_BYTES) * GROWN_BY_BYTES, grown))
    this.#views.bytes.set(filled)
  }

  /** All parts of a frame are multiples of 8 bytes, and so is what is reserved. */
  #useMemory(bytes: number): void {
    this.#memory = new SharedArrayBuffer(bytes)
    this.#views = viewMemory(this.#memory)
  }
}
