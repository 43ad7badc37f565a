import type { Principal } from '../../access/index.ts'
import { nextIteration, refuse } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import type { SampleReads, StreamHandle } from '../../store/index.ts'
import { feedName } from '../feed-rights.ts'
import { streamsOf } from '../find-streams.ts'
import type { GetDeps } from '../get/get-feed.ts'
import { keepsTexts } from '../stream-facts.ts'

/** Which small lines a call asks for. */
export interface SparksCommand {
  readonly componentUid: string
  readonly from: number
  readonly until: number
  /** Stretches of the range that a line has. */
  readonly points: number
  /** Which streams of the component, in definition order. */
  readonly start: number
  readonly limit: number
}

/** A small line: the mean of each stretch, NaN where it has no number. */
interface Spark {
  readonly streamUid: string
  readonly mean: Float64Array
}

/** The small lines of a component. */
export interface Sparks {
  readonly sparks: readonly Spark[]
  /** How many streams there are in all. */
  readonly totalCount: number
}

/** Streams summed up before others get a turn. */
const STREAMS_PER_SLICE = 16

/** Small lines of the streams of a component that the caller may read; those without numbers have none. */
export async function getSparks(
  { catalog, store }: GetDeps,
  principal: Principal,
  command: SparksCommand,
): Promise<Sparks> {
  const { index } = catalog
  const { componentUid, start, limit } = command
  const component = index.componentByUid(principal.orgUid, componentUid)
  if (component === undefined) refuse('component_not_found', { compId: componentUid.slice(0, 60) })
  const use = { method: 'GET', shown: feedName(componentUid.slice(0, 60)) } as const
  const handles = streamsOf(index, principal, component, use)
  const edges = sparkEdges(command)
  const sparks: Spark[] = []
  for (const [at, handle] of handles.slice(start, start + limit).entries()) {
    if (at % STREAMS_PER_SLICE === STREAMS_PER_SLICE - 1) await nextIteration()
    const mean = await sparkOf({ index, store }, handle, edges)
    if (mean !== undefined) sparks.push({ streamUid: index.streamUid(handle), mean })
  }
  return { sparks, totalCount: handles.length }
}

/** The small line of a stream: the mean between edges, NaN where there is no number; undefined where there are none. */
export async function sparkOf(
  { index, store }: { readonly index: StreamIndex; readonly store: Pick<SampleReads, 'fold'> },
  handle: StreamHandle,
  edges: Float64Array,
): Promise<Float64Array | undefined> {
  if (!index.has(handle) || keepsTexts(index, handle)) return undefined
  const { mean, numberCount } = await store.fold(handle, edges)
  if (!numberCount.some((count) => count > 0)) return undefined
  return mean.map((value, at) => (numberCount[at] > 0 ? value : Number.NaN))
}

/** Whole milliseconds, each later than the one before. */
export function sparkEdges({
  from,
  until,
  points,
}: Pick<SparksCommand, 'from' | 'until' | 'points'>): Float64Array {
  const count = Math.max(1, Math.min(points, until - from))
  const step = (until - from) / count
  return Float64Array.from({ length: count + 1 }, (_, at) => Math.round(from + at * step))
}
