/** Special values of points: NaN and the infinities, which the store keeps apart from numbers. */
import { epochMs, Pacer } from '../../base/index.ts'
import {
  type Removal,
  type SampleBatch,
  type SampleStore,
  type StreamHandle,
  specialCodeOf,
} from '../../store/index.ts'
import { type IncomingSamples, VALUE_SPECIAL } from '../put/incoming-samples.ts'
import type { RefusedPoints } from './refused-points.ts'

/** Takes the special values that are not refused out of the samples; undefined where there are none. */
export async function takeSpecials(
  samples: IncomingSamples,
  refused: RefusedPoints,
): Promise<SampleBatch | undefined> {
  if (samples.isNumeric || !samples.kinds.subarray(0, samples.count).includes(VALUE_SPECIAL)) {
    return undefined
  }
  const { count, handles, times, kinds } = samples
  const pacer = new Pacer()
  /** By stream, the last index of each time that has a special value. */
  const places = new Map<number, Map<number, number>>()
  for (let at = 0; at < count; at++) {
    if (kinds[at] !== VALUE_SPECIAL || refused.has(at)) continue
    const ofStream = places.get(handles[at]) ?? new Map<number, number>()
    places.set(handles[at], ofStream)
    ofStream.set(times[at], at)
    await pacer.spend(1)
  }
  // Of several points of a stream at one time the last counts, whether it is special or not.
  for (let at = 0; at < count; at++) {
    await pacer.spend(1)
    if (refused.has(at)) continue
    const ofStream = places.get(handles[at])
    const special = ofStream?.get(times[at])
    if (special !== undefined && special < at) ofStream?.delete(times[at])
    else if (special !== undefined || kinds[at] === VALUE_SPECIAL) refused.leaveOut(at)
  }
  const indexes = [...places.values()].flatMap((ofStream) => [...ofStream.values()])
  return indexes.length === 0 ? undefined : batchOf(samples, indexes)
}

function batchOf(samples: IncomingSamples, indexes: readonly number[]): SampleBatch {
  const count = indexes.length
  const batch = {
    count,
    handles: new Uint32Array(count),
    times: new Float64Array(count),
    numbers: new Float64Array(count),
    removals: [],
  }
  for (const [at, index] of indexes.entries()) {
    batch.handles[at] = samples.handles[index]
    batch.times[at] = samples.times[index]
    batch.numbers[at] = codeOfText(samples.texts?.[index] ?? '')
  }
  return batch
}

function codeOfText(hex: string): number {
  return specialCodeOf(Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8), 16))
}

/** The removals of numbers that special values replace. Most special values lie after all numbers of their stream. */
export async function removalsFor(store: SampleStore, batch: SampleBatch): Promise<Removal[]> {
  const { count, handles, times } = batch
  const streams = [...new Set(handles.subarray(0, count))] as StreamHandle[]
  const latest = await store.latest(streams, { isTimesOnly: true })
  const lastTimes = new Map(streams.map((handle, at) => [handle, latest[at]?.time]))
  const removals: Removal[] = []
  for (let at = 0; at < count; at++) {
    const handle = handles[at] as StreamHandle
    const last = lastTimes.get(handle)
    if (last === undefined || times[at] > last) continue
    removals.push({ handle, from: epochMs(times[at]), until: epochMs(times[at] + 1) })
  }
  return removals
}
