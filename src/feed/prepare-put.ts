import { nextTurn, refuse } from '../base/index.ts'
import { POINT, RANDOM, type StreamIndex, VALUE_CODE, type ValueType } from '../catalog/index.ts'
import type { Removal, StreamHandle } from '../store/index.ts'
import type { AssignedTimes } from './assigned-times.ts'
import {
  describeSample,
  type IncomingSamples,
  VALUE_EMPTY,
  VALUE_NULL,
  VALUE_NUMBER,
} from './incoming-samples.ts'
import { placeIntervals, placePoint } from './place-samples.ts'
import { factsOf, type StreamFacts } from './stream-facts.ts'
import { inferValueType, settleValue } from './value-rules.ts'

/** The samples of one stream of a put that cannot be appended as they came. */
export interface StreamSamples {
  /** 0: the stream is about to be created. */
  readonly handle: StreamHandle | 0
  readonly facts: StreamFacts
  readonly indexes: readonly number[]
}

/** What placing the samples of a stream has shown. */
export interface PreparedStream {
  readonly removals: readonly Removal[]
  /** The stream's type; '' when it has none and only nulls came. */
  readonly valueType: ValueType
}

/** How the samples of a put are placed. */
export interface Placing {
  readonly uploadTime: number
  readonly isAutofill: boolean
  readonly assignedTimes: AssignedTimes
}

/** Whether a stream takes numbers as they are. */
function isPlain(streams: StreamIndex, handle: StreamHandle): boolean {
  return (
    streams.valueCodeOf(handle) === VALUE_CODE.DOUBLE &&
    streams.kindOf(handle) === RANDOM &&
    !streams.isDerived(handle)
  )
}

/** Samples by stream, made when the first is needed: most puts have none. */
interface OddStreams {
  byHandle: Map<StreamHandle, number[]> | undefined
}

/** Samples looked at before other calls get a turn: a few milliseconds of the slowest kind. */
export const SAMPLES_PER_TURN = 16_384

/**
 * Settles the values of plain streams in place and answers the samples of the others, by stream.
 * A put of numbers to plain streams, which nearly all are, passes with one look at each sample.
 */
export function gatherOddStreams(streams: StreamIndex, samples: IncomingSamples): StreamSamples[] {
  const odd: OddStreams = { byHandle: undefined }
  gatherSlice(streams, samples, { from: 0, until: samples.count, odd })
  return listOdd(streams, odd)
}

/** As gatherOddStreams, with turns for other calls in between. */
export async function gatherOddStreamsInTurns(
  streams: StreamIndex,
  samples: IncomingSamples,
): Promise<StreamSamples[]> {
  const odd: OddStreams = { byHandle: undefined }
  for (let from = 0; from < samples.count; from += SAMPLES_PER_TURN) {
    if (from > 0) await nextTurn()
    const until = Math.min(samples.count, from + SAMPLES_PER_TURN)
    gatherSlice(streams, samples, { from, until, odd })
  }
  return listOdd(streams, odd)
}

function listOdd(streams: StreamIndex, { byHandle }: OddStreams): StreamSamples[] {
  if (byHandle === undefined) return []
  const gathered: StreamSamples[] = []
  for (const [handle, indexes] of byHandle) {
    gathered.push({ handle, indexes, facts: factsOf(streams, handle) })
  }
  return gathered
}

function gatherSlice(
  streams: StreamIndex,
  samples: IncomingSamples,
  slice: { readonly from: number; readonly until: number; readonly odd: OddStreams },
): void {
  const { handles, kinds, isNumeric } = samples
  const { from, until, odd } = slice
  for (let index = from; index < until; index++) {
    const handle = handles[index] as StreamHandle | 0
    if (handle === 0) continue
    if (isPlain(streams, handle)) {
      if (!isNumeric && kinds[index] !== VALUE_NUMBER) settleValue(samples, index, 'DOUBLE')
      continue
    }
    odd.byHandle ??= new Map()
    const indexes = odd.byHandle.get(handle)
    if (indexes === undefined) odd.byHandle.set(handle, [index])
    else indexes.push(index)
  }
}

/** Gives a time to every sample that came without one, in their order. */
export function assignTimes(
  streams: StreamIndex,
  samples: IncomingSamples,
  placing: Placing,
): void {
  if (samples.isTimed) return
  const { handles, times } = samples
  for (let index = 0; index < samples.count; index++) {
    // Streams that do not exist yet, and point streams, get theirs from prepareStream.
    if (handles[index] === 0 || !Number.isNaN(times[index])) continue
    if (streams.kindOf(handles[index]) === POINT) continue
    times[index] = placing.assignedTimes.next(handles[index], placing.uploadTime)
  }
}

/** Checks, types and places the samples of one stream, in place; refuses what it cannot take. */
export async function prepareStream(
  samples: IncomingSamples,
  stream: StreamSamples,
  placing: Placing,
): Promise<PreparedStream> {
  const { facts, handle, indexes } = stream
  if (facts.isDerived) {
    const where = describeSample(samples, indexes[0])
    refuse('bad_input', { what: `Cannot accept ${where}: its stream is derived by an expression` })
  }
  const valueType = facts.valueType === '' ? inferValueType(samples, indexes) : facts.valueType
  for (let from = 0; from < indexes.length; from += SAMPLES_PER_TURN) {
    if (from > 0) await nextTurn()
    settleSlice(samples, indexes.slice(from, from + SAMPLES_PER_TURN), valueType)
  }
  const { uploadTime, isAutofill, assignedTimes } = placing
  if (!samples.isTimed) fillTimes(samples, indexes, uploadTime)
  if (facts.kind === POINT) {
    const assignTime = () => (handle === 0 ? uploadTime : assignedTimes.next(handle, uploadTime))
    return { valueType, removals: placePoint(samples, indexes, { handle, assignTime }) }
  }
  if (facts.baseCycle === undefined) return { valueType, removals: [] }
  const placement = { handle, cycle: facts.baseCycle, isAutofill }
  return { valueType, removals: placeIntervals(samples, indexes, placement) }
}

function settleSlice(
  samples: IncomingSamples,
  indexes: readonly number[],
  valueType: ValueType,
): void {
  for (const index of indexes) {
    if (valueType !== '') settleValue(samples, index, valueType)
    else if (samples.kinds[index] === VALUE_EMPTY) samples.kinds[index] = VALUE_NULL
  }
}

/** Times of samples whose stream does not exist yet, or keeps only one. */
function fillTimes(samples: IncomingSamples, indexes: readonly number[], uploadTime: number): void {
  let nextTime = uploadTime
  for (const index of indexes) {
    if (Number.isNaN(samples.times[index])) samples.times[index] = nextTime++
  }
}
