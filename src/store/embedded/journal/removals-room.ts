import type { FrameBuffer } from './frame-buffer.ts'

/**
 * The end of the last segment there is room for, kept for removals: on a full disk they lead to room.
 * Thousands of them fit.
 */
const REMOVALS_ROOM_BYTES = 1024 * 1024

/** Of a short segment so much at most. */
const REMOVALS_ROOM_SHARE = 8

/** A frame, as far as the room that it may take depends on it. */
export type Removing = Pick<FrameBuffer, 'onlyRemoves'>

/** A frame that brings samples. */
export const APPENDS: Removing = { onlyRemoves: false }

/** What a frame leaves free in a segment that may be the last: nothing when it only removes. */
export function roomBehind(frame: Removing, segmentBytes: number): number {
  if (frame.onlyRemoves) return 0
  return Math.min(REMOVALS_ROOM_BYTES, Math.floor(segmentBytes / REMOVALS_ROOM_SHARE))
}
