import { type Principal, requirePermit } from '../../access/index.ts'
import { EARLIEST_TIME, TIME_END } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { refuseUnknown } from '../../catalog/record/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import { type Dependents, findDependents } from './find-dependents.ts'

/** Streams whose samples are counted in one call: each is a look into the store. */
const STREAMS_COUNTED_MAX = 1_000

const ALL_TIME = Float64Array.of(EARLIEST_TIME, TIME_END)

/** A component, or one of its streams, by UIDs. */
export interface ExtentPath {
  readonly componentUid: string
  readonly streamUid?: string
}

/** How much hangs on a component or stream: what goes when it is deleted, and what stops. */
export interface Extent extends Dependents {
  readonly streamCount: number
  readonly sampleCount: number
  /** Whether the samples of all its streams are counted, and not of the first ones only. */
  readonly isWhole: boolean
}

/** Counts the streams and samples of a component, or the samples of one stream, and lists what is derived from them. */
export async function measureExtent(
  { catalog, store }: { readonly catalog: Catalog; readonly store: Pick<SampleStore, 'fold'> },
  principal: Principal,
  { componentUid, streamUid }: ExtentPath,
): Promise<Extent> {
  const { index } = catalog
  const below = streamUid === undefined ? '' : `/stream/${streamUid}`
  requirePermit(principal, `component/${componentUid}${below}/feed`, 'GET')
  const component = index.componentByUid(principal.orgUid, componentUid)
  if (component === undefined) return refuseUnknown('component', componentUid)
  const handles = streamUid === undefined ? component.streams : [streamOf(streamUid)]
  let sampleCount = 0
  for (const handle of handles.slice(0, STREAMS_COUNTED_MAX)) {
    // A stream deleted meanwhile has no samples to count.
    if (index.has(handle)) sampleCount += (await store.fold(handle, ALL_TIME)).count[0]
  }
  const isWhole = handles.length <= STREAMS_COUNTED_MAX
  const dependents = await findDependents(catalog, principal, handles)
  return { streamCount: handles.length, sampleCount, isWhole, ...dependents }

  function streamOf(uid: string): StreamHandle {
    const handle = index.streamByUid(principal.orgUid, uid)
    if (handle !== 0 && index.componentOf(handle).uid === componentUid) return handle
    return refuseUnknown('stream', uid)
  }
}
