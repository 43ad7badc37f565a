/**
 * The progress of a folder's stores, kept outside of them. Samples that are missing behind it were
 * acknowledged and is lost. Each number is written after its data is durable, and not synced by
 * itself: after a loss of power it may be too low, never too high. docs/format/folder.md.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const NAME = 'progress'
const RECORD_BYTES = 16
const SLOTS = [
  'catalogCursor',
  'begunSegment',
  'sealedSegment',
  'journalSequence',
  'payloadNumber',
] as const

/** What is counted: changes of the catalog, journal segments begun and sealed, journal frames, payloads. */
type ProgressSlot = (typeof SLOTS)[number]

/** How far a folder has come; 0 where that is not known. */
type Progress = Readonly<Record<ProgressSlot, number>>

/** Where a folder's progress is kept. */
export function progressFileOf(folder: string): string {
  return join(folder, NAME)
}

/** Reads a folder's progress. A damaged record counts as none. */
export function readProgress(folder: string): Progress {
  const bytes = readOrNothing(progressFileOf(folder))
  const value = (slot: ProgressSlot): number => {
    const at = SLOTS.indexOf(slot) * RECORD_BYTES
    const record = bytes.subarray(at, at + RECORD_BYTES)
    if (record.length < RECORD_BYTES) return 0
    return record.readUInt32LE(8) === checkOf(slot, record) ? Number(record.readBigUInt64LE(0)) : 0
  }
  return {
    catalogCursor: value('catalogCursor'),
    begunSegment: value('begunSegment'),
    sealedSegment: value('sealedSegment'),
    journalSequence: value('journalSequence'),
    payloadNumber: value('payloadNumber'),
  }
}

function readOrNothing(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** A checksum of zeros would pass for an unwritten record, hence the name in it. */
function checkOf(slot: ProgressSlot, record: Uint8Array): number {
  return crc32(record.subarray(0, 8), crc32(slot))
}

/** One number of a folder's progress, kept by the one who knows it. */
export class ProgressSlotFile {
  readonly #slot: ProgressSlot
  readonly #record = Buffer.alloc(RECORD_BYTES)
  readonly #file: number
  #told = 0

  constructor(folder: string, slot: ProgressSlot) {
    this.#slot = slot
    // Opened for reading and appending makes it; only a file opened without O_APPEND takes positions.
    closeSync(openSync(progressFileOf(folder), 'a', 0o600))
    this.#file = openSync(progressFileOf(folder), 'r+')
  }

  /** Records a number that is durable in its store. A smaller number changes nothing. */
  note(value: number): void {
    if (value > this.#told) this.#write(value)
  }

  /** Takes back recorded progress, before its data is removed on purpose. */
  forget(): void {
    this.#write(0)
  }

  #write(value: number): void {
    this.#record.writeBigUInt64LE(BigInt(value), 0)
    this.#record.writeUInt32LE(checkOf(this.#slot, this.#record), 8)
    try {
      writeSync(this.#file, this.#record, 0, RECORD_BYTES, this.#at)
      this.#told = value
    } catch {
      // On a disk that fails only the notice of a later loss is weaker.
    }
  }

  /** Makes the last number durable and lets the file go. */
  close(): void {
    try {
      fsyncSync(this.#file)
    } catch {
      // As above.
    }
    closeSync(this.#file)
  }

  get #at(): number {
    return SLOTS.indexOf(this.#slot) * RECORD_BYTES
  }
}
