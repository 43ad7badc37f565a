/** Companions: hidden streams of the sample stores that hold the special values of a stream, decision 023. */
import type { StreamHandle } from '../ports/sample-port.ts'

/** Handles of the catalog are below this. The companion of a stream is this much above it. */
export const COMPANION_BASE = 2 ** 30

/** The number under which a store keeps the special values of a stream. */
export function companionOf(handle: number): StreamHandle {
  return (handle + COMPANION_BASE) as StreamHandle
}

/** The stream that a number of a store belongs to. */
export function ownerOf(stream: number): StreamHandle {
  return (stream >= COMPANION_BASE ? stream - COMPANION_BASE : stream) as StreamHandle
}
