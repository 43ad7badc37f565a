/** Streams whose assigned times run ahead of the clock, as after it was set wrong. */
import { ASSIGNED_AHEAD_MS_MAX } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import type { AssignedTimes } from './assigned-times.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { warnByStream } from './warn-by-stream.ts'

/** By handle: by how many milliseconds its assigned times are ahead. */
export type StreamsAhead = ReadonlyMap<number, number>

/**
 * The streams of samples without a time whose assigned times were ahead before this call. A call that brings many
 * such samples of one stream runs ahead by itself, and is not meant.
 */
export function findAhead(
  { count, handles, times }: IncomingSamples,
  assignedTimes: AssignedTimes,
  uploadTime: number,
): StreamsAhead | undefined {
  let found: Map<number, number> | undefined
  const limit = uploadTime + ASSIGNED_AHEAD_MS_MAX
  for (let index = 0; index < count; index += 1) {
    const handle = handles[index]
    if (handle === 0 || !Number.isNaN(times[index])) continue
    const last = assignedTimes.last(handle)
    if (last <= limit || found?.has(handle)) continue
    found ??= new Map()
    found.set(handle, last - uploadTime)
  }
  return found
}

/** Tells the caller of streams that are ahead, and what to do about it. */
export function warnOfAhead(index: StreamIndex, ahead: StreamsAhead, uploadTime: number): string[] {
  const living = [...ahead].filter(([handle]) => index.has(handle))
  const streams = living.map(([handle, aheadMs]) => {
    const { compId } = index.componentOf(handle)
    return { compId, streamId: index.streamIdOf(handle), aheadMs }
  })
  const now = new Date(uploadTime).toISOString()
  return warnByStream(
    streams,
    ({ aheadMs }) =>
      `the server assigned a time ${Math.round(aheadMs / 1_000)} s ahead of its clock because earlier samples ` +
      `are in the future. Delete the samples after ${now} to get current times again`,
    (count) => `${count} more streams were assigned times ahead of the clock`,
  )
}
