import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, isDiskFull, passingReason } from '../disk/disk.ts'
import type { SegmentStart } from './journal-protocol.ts'
import { segmentName } from './segment.ts'

/** On a nearly full disk, each try divides the requested length by this. */
const SHORTER_SHARE = 4

/** The first segments are short, so that a service that is hardly used takes little room. */
const FIRST_BYTES = 64 * 1024

/** First segments that a long call makes longer than this are as long as others. */
const SHORT_BYTES_MAX = 1024 * 1024

/**
 * A segment that was filled, or too short for a call, multiplies the length of the next by this, up to the usual
 * length.
 */
const GROWN_BY = 64

/** Room for a thousand removals. */
const LAST_SEGMENT_BYTES = 256 * 1024

/** Frames, and so lengths, are whole words. */
function roundLength(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

/** A segment whose zeros are on disk, ready for its first frame. */
export interface ReadySegment extends SegmentStart {
  readonly path: string
}

/** Keeps the next segment written ahead, so that a full disk shows before a frame begins. */
export class SegmentSupply {
  readonly #disk: Disk
  readonly #folder: string
  readonly #segmentBytes: number
  #nextBytes: number
  #nextNumber: number
  #ready: ReadySegment | undefined
  /** Whether the one that is ready was made of the last room there was. */
  #isReadyLast = false
  #preparing: Promise<void> | undefined
  #lastShort = 0
  /** Until a segment is made that is not short. */
  #isBeginning = true

  constructor(options: { disk: Disk; folder: string; segmentBytes: number; nextNumber: number }) {
    this.#disk = options.disk
    this.#folder = options.folder
    this.#segmentBytes = options.segmentBytes
    this.#nextBytes = Math.min(FIRST_BYTES, options.segmentBytes)
    this.#nextNumber = options.nextNumber
  }

  /** Whether a next segment is on disk. */
  get isReady(): boolean {
    return this.#ready !== undefined
  }

  /** Whether the next segment is on disk and has room for `bytes`. */
  isReadyFor(bytes: number): boolean {
    return this.#ready !== undefined && this.#ready.bytes >= bytes
  }

  /** The number of the last segment that is short as nothing was filled before; 0 when there is none. */
  get lastShort(): number {
    return this.#lastShort
  }

  /** How long the next segment is made, if the disk has room and no frame asks for more. */
  get nextBytes(): number {
    return this.#nextBytes
  }

  /** Makes the next segments longer, because one of `bytes` bytes was too short. */
  grow(bytes: number): void {
    const grown = Math.min(bytes * GROWN_BY, this.#segmentBytes)
    this.#nextBytes = Math.max(this.#nextBytes, grown)
  }

  /** Hands out the segment that is ready, if it has room for `bytes`. */
  take(bytes: number): ReadySegment | undefined {
    if (!this.isReadyFor(bytes)) return undefined
    const ready = this.#ready
    this.#ready = undefined
    return ready
  }

  /**
   * Makes a segment ready that has room for `bytes`; rejects when the disk does. Where there is no room
   * for a usual one, a shorter one does.
   */
  async prepare(bytes: number): Promise<void> {
    await this.#prepare(() => this.#lengthsFor(bytes), { bytes, isLast: false })
  }

  /** From the one that is wanted to the one that does. */
  #lengthsFor(bytes: number): number[] {
    // Who comes with that much fills more than one that is hardly longer.
    if (bytes > this.#nextBytes) this.grow(this.#nextBytes)
    return [1, SHORTER_SHARE, SHORTER_SHARE ** 2].map((share) =>
      Math.max(bytes, roundLength(this.#nextBytes / share)),
    )
  }

  /** Makes a short segment ready from the last room there is, for what makes room. */
  async prepareLast(bytes: number): Promise<void> {
    const length = Math.max(bytes, Math.min(this.#segmentBytes, LAST_SEGMENT_BYTES))
    await this.#prepare(() => [length], { bytes, isLast: true })
  }

  async #prepare(
    lengths: () => readonly number[],
    wanted: { readonly bytes: number; readonly isLast: boolean },
  ): Promise<void> {
    while (this.#preparing !== undefined) await this.#preparing.catch(() => {})
    const isEnough = !this.#isReadyLast || wanted.isLast
    if (this.#ready !== undefined && isEnough && this.#ready.bytes >= wanted.bytes) return
    this.#preparing = this.#createFirst(lengths(), wanted.isLast)
    try {
      await this.#preparing
    } finally {
      this.#preparing = undefined
    }
  }

  /** The longest that the disk has room for. */
  async #createFirst(lengths: readonly number[], isLast: boolean): Promise<void> {
    for (const [at, length] of lengths.entries()) {
      try {
        await this.#create(length, isLast)
        return
      } catch (error) {
        if (at === lengths.length - 1 || !isDiskFull(error)) throw error
      }
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
  async #create(bytes: number, isLast: boolean): Promise<void> {
    const number = this.#nextNumber
    const path = join(this.#folder, segmentName(number))
    const file = await this.#disk.createZeroed(path, bytes, { isLast }).catch((error: unknown) => {
      this.#unlinkIfPossible(path)
      if (passingReason(error) !== undefined) throw error
      throw new Error(`cannot prepare ${path}`, { cause: error })
    })
    this.#nextNumber += 1
    this.#discard()
    this.#ready = { file, path, number, salt: randomInt(1, 2 ** 32), bytes }
    this.#isReadyLast = isLast
    if (isLast || bytes >= Math.min(SHORT_BYTES_MAX, this.#segmentBytes)) this.#isBeginning = false
    if (this.#isBeginning) this.#lastShort = number
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
