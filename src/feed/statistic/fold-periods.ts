import { EARLIEST_TIME, TIME_END } from '../../base/index.ts'
import type { SampleReads, StreamHandle, Summaries, TextMemory } from '../../store/index.ts'
import { type Cycle, firstIntervalEnd, intervalOf, type Periods } from '../../time/index.ts'

/**
 * How the samples of a stream lie in the periods of a cycle. A random sample belongs to the period
 * that holds its time; that of an interval stream to the one that holds the start of its base
 * interval, though it is stored at the interval's end.
 */
export interface Placement {
  /** The first sample time that belongs at or after an instant; ascending, within sample times. */
  sampleTimeAt(instant: number): number
  /** The instant by which a stored sample is placed. */
  instantOf(sampleTime: number): number
}

/** A stream whose samples are read by periods. */
export interface PlacedStream {
  readonly handle: StreamHandle
  readonly placement: Placement
  /** Where its texts are counted. */
  readonly memory?: TextMemory
}

/** The placement of a stream with a base cycle, or of one without. */
export function placementOf(baseCycle: Cycle | undefined): Placement {
  if (baseCycle === undefined) {
    return { sampleTimeAt: clampTime, instantOf: (sampleTime) => sampleTime }
  }
  return {
    sampleTimeAt: (instant) => clampTime(firstIntervalEnd(baseCycle, instant) ?? TIME_END),
    instantOf: (sampleTime) => intervalOf(baseCycle, sampleTime)?.from ?? sampleTime,
  }
}

function clampTime(time: number): number {
  return Math.min(Math.max(time, EARLIEST_TIME), TIME_END)
}

/** Periods with what fold knows of each; period i is summed up in entry entries[i], -1: no sample. */
export interface FoldedPeriods {
  readonly periods: Periods
  readonly entries: Int32Array
  readonly summaries: Summaries
}

/** Sums up periods, which ascend but need not touch each other. */
export async function foldPeriods(
  store: SampleReads,
  stream: PlacedStream,
  periods: Periods,
): Promise<FoldedPeriods> {
  const { edges, entries } = foldEdges(stream.placement, periods)
  const summaries = await store.fold(stream.handle, edges, stream.memory)
  for (let i = 0; i < entries.length; i++) {
    if (entries[i] >= 0 && summaries.count[entries[i]] === 0) entries[i] = -1
  }
  return { periods, entries, summaries }
}

function foldEdges(
  placement: Placement,
  { count, froms, untils }: Periods,
): { edges: Float64Array; entries: Int32Array } {
  const edges = new Float64Array(2 * count)
  const entries = new Int32Array(count).fill(-1)
  let length = 0
  let end = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const isTouching = i > 0 && froms[i] === untils[i - 1]
    const start = isTouching ? end : placement.sampleTimeAt(froms[i])
    end = placement.sampleTimeAt(untils[i])
    if (start >= end) continue
    if (length === 0 || edges[length - 1] !== start) edges[length++] = start
    edges[length++] = end
    entries[i] = length - 2
  }
  return { edges: edges.subarray(0, length), entries }
}
