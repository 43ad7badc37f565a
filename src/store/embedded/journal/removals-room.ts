import type { FrameBuffer } from './frame-buffer.ts'

/**
 * The end of the last segment there is room for, kept for removals: on a full disk they lead to room.
 * Thousands of them fit.
 */
const REMOVALS_ROOM_BYTES = 1024 * 1024

/** Of a short segment so much at most. */
const REMOVALS_ROOM_SHARE = 8

/** A frame, as far as the room that it may take depends on it. */
export type LetIn = Pick<FrameBuffer, 'isLetIn'>

/** A frame that brings samples. */
export const APPENDS: LetIn = { isLetIn: false }

/** What a frame leaves free in a segment that may be the last: nothing when it only removes, or has room kept for it. */
export function roomBehind(frame: LetIn, segmentBytes: number): number {
  if (frame.isLetIn) return 0
  return Math.min(REMOVALS_ROOM_BYTES, Math.floor(segmentBytes / REMOVALS_ROOM_SHARE))
}

/** Minimum length of a segment that has `bytes` bytes and the free room that a frame must leave behind them. */
export function lengthWithRoomBehind(frame: LetIn, bytes: number): number {
  if (frame.isLetIn) return bytes
  const withShare = Math.ceil((bytes * REMOVALS_ROOM_SHARE) / (REMOVALS_ROOM_SHARE - 1))
  return Math.min(withShare, bytes + REMOVALS_ROOM_BYTES)
}
