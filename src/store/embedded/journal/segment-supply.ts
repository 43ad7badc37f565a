import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, passingReason } from '../disk/disk.ts'
import type { SegmentStart } from './journal-protocol.ts'
import { segmentName } from './segment.ts'

/** A segment whose zeros are on disk, ready for its first frame. */
export interface ReadySegment extends SegmentStart {
  readonly path: string
}

/** Keeps the next segment written ahead, so that a full disk shows before a frame begins. */
export class SegmentSupply {
  readonly #disk: Disk
  readonly #folder: string
  readonly #segmentBytes: number
  #nextNumber: number
  #ready: ReadySegment | undefined
  #preparing: Promise<void> | undefined

  constructor(options: { disk: Disk; folder: string; segmentBytes: number; nextNumber: number }) {
    this.#disk = options.disk
    this.#folder = options.folder
    this.#segmentBytes = options.segmentBytes
    this.#nextNumber = options.nextNumber
  }

  /** Whether a next segment is on disk. */
  get isReady(): boolean {
    return this.#ready !== undefined
  }

  /** Hands out the segment that is ready, if it has room for `bytes`. */
  take(bytes: number): ReadySegment | undefined {
    const ready = this.#ready
    if (ready === undefined || ready.bytes < bytes) return undefined
    this.#ready = undefined
    return ready
  }

  /** Makes a segment ready that has room for `bytes`; rejects when the disk does. */
  async prepare(bytes: number): Promise<void> {
    while (this.#preparing !== undefined) await this.#preparing.catch(() => {})
    if (this.#ready !== undefined && this.#ready.bytes >= bytes) return
    this.#preparing = this.#create(Math.max(bytes, this.#segmentBytes))
    try {
      await this.#preparing
    } finally {
      this.#preparing = undefined
    }
  }

  /** Takes the unused segment away again. */
  async close(): Promise<void> {
    await this.#preparing?.catch(() => {})
    this.#discard()
  }

  #discard(): void {
    if (this.#ready === undefined) return
    const { file, path } = this.#ready
    this.#ready = undefined
    this.#disk.close(file)
    this.#unlinkIfPossible(path)
  }

  /** A shorter one that is ready stays until the longer one is there: it is what a full disk has left. */
  async #create(bytes: number): Promise<void> {
    const number = this.#nextNumber
    const path = join(this.#folder, segmentName(number))
    const file = await this.#disk.createZeroed(path, bytes).catch((error: unknown) => {
      this.#unlinkIfPossible(path)
      if (passingReason(error) !== undefined) throw error
      throw new Error(`cannot prepare ${path}`, { cause: error })
    })
    this.#nextNumber += 1
    this.#discard()
    this.#ready = { file, path, number, salt: randomInt(1, 2 ** 32), bytes }
  }

  /** A disk that became read-only keeps the file; the next start drops it, as it holds nothing. */
  #unlinkIfPossible(path: string): void {
    try {
      this.#disk.unlink(path)
    } catch {
      // Nothing depends on it.
    }
  }
}
