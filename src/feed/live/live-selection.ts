import type { Principal } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { ComponentEntry, StreamIndex } from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { feedName, requireStream } from '../feed-rights.ts'
import { streamsOf } from '../find-streams.ts'

/** Something that a listener names by ID or UID. */
export interface LiveName {
  readonly id?: string
  readonly uid?: string
}

/** A component that a listener wants to hear of: some streams, or all that it has and will have. */
export interface LiveItem {
  readonly component: LiveName
  /** Empty: all. */
  readonly streams: readonly LiveName[]
}

/** What a listener wants to hear of. */
export type LiveSelection = readonly LiveItem[]

/** What is there of a selection. */
export interface SelectedStreams {
  readonly handles: ReadonlySet<StreamHandle>
  /** The components that were found. */
  readonly componentUids: ReadonlySet<string>
  /** What is not there, as the listener named it. */
  readonly missing: readonly { readonly component: LiveName; readonly stream?: LiveName }[]
  /** Streams with a greater handle are made since. */
  readonly lastHandle: number
}

/** Streams that one listener may follow or wait for: some screens full. */
const LIVE_STREAMS_MAX = 1_000

/** Finds the streams of a selection; refuses those that the caller may not read, and too many. */
export function selectStreams(
  index: StreamIndex,
  principal: Principal,
  selection: LiveSelection,
): SelectedStreams {
  const handles = new Set<StreamHandle>()
  const componentUids = new Set<string>()
  const missing: { component: LiveName; stream?: LiveName }[] = []
  // What is named and not there counts too: it is looked for at every change, and followed once it is made.
  let missingStreams = 0
  for (const { component: name, streams } of selection) {
    if (handles.size + missingStreams > LIVE_STREAMS_MAX) refuseMany()
    const component = findComponent(index, principal, name)
    if (component === undefined) {
      missing.push({ component: name })
      missingStreams += Math.max(streams.length, 1)
      continue
    }
    componentUids.add(component.uid)
    const use = { method: 'GET', shown: feedName(name.id ?? name.uid ?? '') } as const
    if (streams.length === 0) {
      for (const handle of streamsOf(index, principal, component, use)) handles.add(handle)
    }
    for (const stream of streams) {
      const handle = findStream(index, component, stream)
      if (handle === 0) {
        missing.push({ component: name, stream })
        missingStreams += 1
        continue
      }
      requireStream(index, principal, handle, use)
      handles.add(handle)
    }
  }
  if (handles.size + missingStreams > LIVE_STREAMS_MAX) refuseMany()
  return { handles, componentUids, missing, lastHandle: index.lastHandle }
}

function findComponent(
  index: StreamIndex,
  { orgUid }: Principal,
  { id, uid }: LiveName,
): ComponentEntry | undefined {
  if (uid !== undefined) return index.componentByUid(orgUid, uid)
  return index.resolveComponent(orgUid, id ?? '')
}

function findStream(
  index: StreamIndex,
  component: ComponentEntry,
  { id, uid }: LiveName,
): StreamHandle | 0 {
  if (uid === undefined) return index.resolveStream(component, id ?? '')
  const handle = index.streamByUid(component.orgUid, uid)
  return handle !== 0 && index.componentOf(handle).uid === component.uid ? handle : 0
}

function refuseMany(): never {
  const what = `A live connection can follow at most ${LIVE_STREAMS_MAX} streams. Select fewer`
  return refuse('bad_input', { what: `${what} with "stream" after their "comp"` })
}
