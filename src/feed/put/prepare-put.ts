import { inSlices, refuse } from '../../base/index.ts'
import type { Catalog, StreamIndex } from '../../catalog/index.ts'
import { POINT, RANDOM, VALUE_CODE, type ValueType } from '../../catalog/shape/index.ts'
import type { Removal, SampleBatch, StreamHandle } from '../../store/index.ts'
import { factsOf, type StreamFacts } from '../stream-facts.ts'
import { inferValueType, settleValue } from '../value/value-rules.ts'
import type { AssignedTimes } from './assigned-times.ts'
import {
  describeSample,
  type IncomingSamples,
  VALUE_NULL,
  VALUE_NUMBER,
} from './incoming-samples.ts'
import { placeIntervals, placePoint } from './place-samples.ts'

/** The samples of one stream of a put that cannot be appended as they came. */
export interface StreamSamples {
  /** 0: the stream is about to be created. */
  readonly handle: StreamHandle | 0
  readonly facts: StreamFacts
  readonly indexes: readonly number[]
}

/** What placing the samples of a stream has shown. */
export interface PreparedSamples {
  readonly removals: readonly Removal[]
  /** The stream's type; '' when it has none and only nulls came. */
  readonly valueType: ValueType
}

/** How the samples of a put are placed. */
export interface Placing {
  readonly uploadTime: number
  readonly isAutofill: boolean
  readonly assignedTimes: Pick<AssignedTimes, 'next' | 'first'>
}

/** Refuses when a stream of the call was deleted while the call ran. */
export function requireLiving(streams: StreamIndex, handle: StreamHandle): void {
  if (streams.has(handle)) return
  refuse('conflict', { what: 'A stream was deleted while the request was running. Send it again' })
}

/** Refuses when a stream of samples was deleted while the call ran; 0 stands for one to be made. */
export function requireAllLiving(
  streams: StreamIndex,
  { count, handles, removals }: Pick<SampleBatch, 'count' | 'handles' | 'removals'>,
): void {
  for (let index = 0; index < count; index++) {
    const handle = handles[index] as StreamHandle | 0
    if (handle !== 0 && !streams.has(handle)) requireLiving(streams, handle)
  }
  for (const { handle } of removals) requireLiving(streams, handle)
}

/**
 * Refuses to acknowledge samples whose stream another process has deleted, or whose IDs it has changed since the given
 * generation of the index. Otherwise the caller would not find samples that were confirmed as stored.
 */
export async function requireStillThere(
  { index, catchUps }: Pick<Catalog, 'index' | 'catchUps'>,
  batch: Pick<SampleBatch, 'count' | 'handles' | 'removals'>,
  generation?: number,
): Promise<void> {
  await catchUps.ensureFresh()
  requireAllLiving(index, batch)
  if (generation === undefined || generation === index.generation) return
  const isMoved = index.movedSince(generation)
  for (let at = 0; at < batch.count; at++) {
    if (!isMoved(batch.handles[at])) continue
    refuse('conflict', {
      what: 'The ID of a stream changed while the request was running. Send it again',
    })
  }
}

/** Whether a stream appends numbers as they came; a deleted one does not. */
function takesNumbers(streams: StreamIndex, handle: StreamHandle): boolean {
  return (
    streams.valueCodeOf(handle) === VALUE_CODE.DOUBLE &&
    streams.kindOf(handle) === RANDOM &&
    !streams.isDerived(handle)
  )
}

/** Gathers the samples that cannot be appended as they came; most puts have none. */
export class StreamsToPrepare {
  readonly #streams: StreamIndex
  readonly #samples: IncomingSamples
  #byHandle: Map<StreamHandle, number[]> | undefined

  constructor(streams: StreamIndex, samples: IncomingSamples) {
    this.#streams = streams
    this.#samples = samples
  }

  /**
   * Settles the values of streams of numbers in place and takes the samples of the others down. A put
   * of numbers to such streams, which nearly all are, passes with one look at each sample.
   */
  gather(from: number, until: number): void {
    const streams = this.#streams
    const { handles, kinds, isNumeric } = this.#samples
    for (let index = from; index < until; index++) {
      const handle = handles[index] as StreamHandle | 0
      if (handle === 0) continue
      if (!takesNumbers(streams, handle)) this.#add(handle, index)
      else if (!isNumeric && kinds[index] !== VALUE_NUMBER) {
        settleValue(this.#samples, index, 'DOUBLE')
      }
    }
  }

  get isEmpty(): boolean {
    return this.#byHandle === undefined
  }

  /** What was gathered, by stream; refuses when one of them was deleted. */
  list(): StreamSamples[] {
    if (this.#byHandle === undefined) return []
    const gathered: StreamSamples[] = []
    for (const [handle, indexes] of this.#byHandle) {
      requireLiving(this.#streams, handle)
      gathered.push({ handle, indexes, facts: factsOf(this.#streams, handle) })
    }
    return gathered
  }

  #add(handle: StreamHandle, index: number): void {
    this.#byHandle ??= new Map()
    const indexes = this.#byHandle.get(handle)
    if (indexes === undefined) this.#byHandle.set(handle, [index])
    else indexes.push(index)
  }
}

/** Gives a time to every sample that came without one, in their order. */
export function assignTimes(
  streams: StreamIndex,
  samples: IncomingSamples,
  placing: Placing,
): Promise<void> | undefined {
  if (samples.isTimed) return undefined
  const { handles, times } = samples
  return inSlices(samples.count, (from, until) => {
    for (let index = from; index < until; index++) {
      // Streams that do not exist yet, and point streams, get theirs from prepareStream.
      if (handles[index] === 0 || !Number.isNaN(times[index])) continue
      if (streams.kindOf(handles[index]) === POINT) continue
      times[index] = placing.assignedTimes.next(handles[index], placing.uploadTime)
    }
  })
}

/** Checks, types and places the samples of one stream, in place; refuses what it cannot take. */
export async function prepareStream(
  samples: IncomingSamples,
  stream: StreamSamples,
  placing: Placing,
): Promise<PreparedSamples> {
  const { facts, handle, indexes } = stream
  if (facts.isDerived) {
    const where = describeSample(samples, indexes[0])
    refuse('bad_input', { what: `Cannot accept ${where}: its stream is derived by an expression` })
  }
  const valueType =
    facts.valueType === '' ? await inferValueType(samples, indexes) : facts.valueType
  const settling = inSlices(indexes.length, (from, until) => {
    for (let at = from; at < until; at++) settle(samples, indexes[at], valueType)
  })
  if (settling !== undefined) await settling
  const { uploadTime, isAutofill, assignedTimes } = placing
  if (!samples.isTimed) fillTimes(samples, indexes, placing)
  if (facts.kind === POINT) {
    const assignTime = () =>
      handle === 0 ? assignedTimes.first(uploadTime) : assignedTimes.next(handle, uploadTime)
    return { valueType, removals: placePoint(samples, indexes, { handle, assignTime }) }
  }
  if (facts.baseCycle === undefined) return { valueType, removals: [] }
  const placement = { handle, cycle: facts.baseCycle, isAutofill }
  return { valueType, removals: await placeIntervals(samples, indexes, placement) }
}

function settle(samples: IncomingSamples, index: number, valueType: ValueType): void {
  if (valueType !== '') settleValue(samples, index, valueType)
  else if (samples.kinds[index] !== VALUE_NULL) samples.drop(index)
}

/** Times of samples whose stream does not exist yet, or keeps only one. */
function fillTimes(
  samples: IncomingSamples,
  indexes: readonly number[],
  { assignedTimes, uploadTime }: Placing,
): void {
  let from = uploadTime
  for (const index of indexes) {
    if (!Number.isNaN(samples.times[index])) continue
    const time = assignedTimes.first(from)
    samples.times[index] = time
    from = time + 1
  }
}
