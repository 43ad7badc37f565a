import type { FrameBuffer } from './frame-buffer.ts'
import { KeptRooms } from './kept-room.ts'
import { APPENDS, type LetIn, lengthWithRoomBehind, roomBehind } from './removals-room.ts'
import { SEGMENT_HEADER_BYTES } from './segment.ts'
import type { ReadySegment, SegmentSupply } from './segment-supply.ts'

/** A frame, as far as its place depends on it. */
type PlacedFrame = Pick<FrameBuffer, 'isLetIn' | 'keptBytes'>

/**
 * Where the next frame goes: behind the last one in the segment that is being filled, or into the next. All that is
 * kept fits at any time either behind the last frame or into the segment that is ready, whatever else comes.
 */
export class JournalEnd {
  readonly rooms = new KeptRooms()
  readonly #supply: SegmentSupply
  #segment: ReadySegment | undefined
  #offset = 0
  #isRotationDue = false

  constructor(supply: SegmentSupply) {
    this.#supply = supply
  }

  /** The segment that is being filled. */
  get segment(): ReadySegment | undefined {
    return this.#segment
  }

  /** Where the next frame begins in it. */
  get offset(): number {
    return this.#offset
  }

  /** Lets the next frame begin a segment. */
  rotate(): void {
    this.#isRotationDue = this.#segment !== undefined
  }

  /** Goes on with the segment that is being filled; false where no other was to begin. */
  goOn(): boolean {
    const wasDue = this.#isRotationDue
    this.#isRotationDue = false
    return wasDue
  }

  /** How long the next segment must be for all of some frames; undefined: there is room for them. */
  lackingFor(bytes: number): number | undefined {
    if (this.#fitsHere(bytes, APPENDS)) return undefined
    // The next one may be there and too short: a call that needs more than a usual segment has one made for it.
    const inNext = bytesInNext(bytes, APPENDS)
    return this.#supply.isReadyFor(inNext) ? undefined : inNext
  }

  /** How long the next segment must be for what is kept. */
  get keptBytes(): number {
    return this.rooms.bytes === 0 ? 0 : SEGMENT_HEADER_BYTES + this.rooms.bytes
  }

  /** How long the next segment must be for a frame that begins it, and for what is kept. */
  nextBytesFor(bytes: number, frame: PlacedFrame): number {
    return bytesInNext(bytes + this.#keptBeside(frame), frame)
  }

  /** Switches to the next segment when the frame does not fit. Returns the one to begin, if any. */
  switchFor(bytes: number, frame: PlacedFrame): ReadySegment | undefined | 'none_ready' {
    const kept = this.#keptBeside(frame)
    if (this.#fitsHere(bytes + kept, frame)) return undefined
    const isKeptInNext = kept > 0 && this.#supply.isReadyFor(this.keptBytes)
    if (isKeptInNext && this.#fitsHere(bytes, frame)) return undefined
    const next = this.#supply.take(bytesInNext(bytes + kept, frame))
    if (next === undefined) return 'none_ready'
    if (this.#segment !== undefined && !this.#isRotationDue) this.#supply.grow(this.#segment.bytes)
    this.#segment = next
    this.#offset = SEGMENT_HEADER_BYTES
    this.#isRotationDue = false
    return next
  }

  /** Takes note of a frame that goes where the last one ended: its records need no room any more. */
  advance(bytes: number, frame: Pick<FrameBuffer, 'pending'>): void {
    this.#offset += bytes
    if (this.rooms.bytes > 0) for (const { room } of frame.pending) room?.release()
  }

  /** What is kept for others than those in a frame. */
  #keptBeside(frame: PlacedFrame): number {
    return this.rooms.bytes === 0 ? 0 : this.rooms.bytes - frame.keptBytes
  }

  /** Whether the segment that is being filled has room for a frame. */
  #fitsHere(bytes: number, frame: LetIn): boolean {
    const current = this.#segment
    if (current === undefined || this.#isRotationDue) return false
    const behind = this.#supply.isReady ? 0 : roomBehind(frame, current.bytes)
    return this.#offset + bytes + behind <= current.bytes
  }
}

function bytesInNext(bytes: number, frame: LetIn): number {
  return lengthWithRoomBehind(frame, SEGMENT_HEADER_BYTES + bytes)
}
