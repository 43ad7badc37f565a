/** How the samples of a stream lie in time; the numbers are those of the index's columns. */
export const RANDOM = 0
export const INTERVAL = 1
export const POINT = 2
export type StreamKind = typeof RANDOM | typeof INTERVAL | typeof POINT

/** The names of the kinds in records, in the order of their numbers. */
export const STREAM_TYPES = ['rdm_stream', 'intvl_stream', 'point_stream'] as const
export type StreamType = (typeof STREAM_TYPES)[number]

/** The number of a kind's name. */
export function streamKindOf(streamType: StreamType): StreamKind {
  return STREAM_TYPES.indexOf(streamType) as StreamKind
}
