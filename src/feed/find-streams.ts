import { feedCoverage, type Method, type Principal, requirePermit } from '../access/index.ts'
import { refuse } from '../base/index.ts'
import type { ComponentEntry, StreamIndex } from '../catalog/index.ts'
import type { StreamHandle } from '../store/index.ts'
import { allowsStream, feedName, requireStream } from './feed-rights.ts'

/** One stream by UIDs, which those have too whose IDs are blank or cannot stand in an address. */
interface UidPath {
  readonly componentUid: string
  readonly streamUid: string
}

/** One stream, by its IDs or by its UIDs. */
export type OneStreamPath = { readonly compId: string; readonly streamId: string } | UidPath

/** The streams a path addresses: one, or by IDs and without streamId all of a component. */
export type StreamPath =
  | { readonly compId: string; readonly streamId: string | undefined }
  | UidPath

/** The path that leads to a stream in an address: by its IDs where both can stand there, else by UIDs. */
export function addressPath(index: StreamIndex, handle: StreamHandle): OneStreamPath {
  const { compId, uid: componentUid } = index.componentOf(handle)
  const streamId = index.streamIdOf(handle)
  if (canStandInAddress(compId) && canStandInAddress(streamId)) return { compId, streamId }
  return { componentUid, streamUid: index.streamUid(handle) }
}

/** Blank IDs name nothing, and clients take dots out of an address before they send it. */
function canStandInAddress(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..'
}

/** The streams of a path that the caller may use a method on, in definition order. */
interface FoundStreams {
  readonly component: ComponentEntry
  readonly handles: readonly StreamHandle[]
}

/**
 * Finds the streams of a path; refuses what does not exist, and what the caller may not touch. A
 * caller with rights on some streams of a component finds those.
 */
export function findStreams(
  index: StreamIndex,
  principal: Principal,
  path: StreamPath,
  method: Method,
): FoundStreams {
  if ('componentUid' in path) return findByUids(index, principal, path, method)
  const { compId, streamId } = path
  const component = index.resolveComponent(principal.orgUid, compId)
  if (component === undefined) refuse('component_not_found', { compId })
  if (streamId !== undefined) {
    const handle = index.resolveStream(component, streamId)
    if (handle === 0) refuse('stream_not_found', { compId, streamId })
    requireStream(index, principal, handle, { method, shown: feedName(compId) })
    return { component, handles: [handle] }
  }
  const shown = feedName(compId)
  return { component, handles: streamsOf(index, principal, component, { method, shown }) }
}

function findByUids(
  index: StreamIndex,
  principal: Principal,
  { componentUid, streamUid }: UidPath,
  method: Method,
): FoundStreams {
  requirePermit(principal, `component/${componentUid}/stream/${streamUid}/feed`, method)
  const component = index.componentByUid(principal.orgUid, componentUid)
  if (component === undefined) refuse('component_not_found', { compId: componentUid.slice(0, 60) })
  const handle = index.streamByUid(principal.orgUid, streamUid)
  const isOfComponent = handle !== 0 && index.componentOf(handle).uid === component.uid
  if (handle === 0 || !isOfComponent) {
    const shown = { compId: componentUid.slice(0, 60), streamId: streamUid.slice(0, 60) }
    refuse('stream_not_found', shown)
  }
  return { component, handles: [handle] }
}

/** The streams of a component that the caller may use a method on; refuses when it may on none. */
export function streamsOf(
  index: StreamIndex,
  principal: Principal,
  component: ComponentEntry,
  { method, shown }: { readonly method: Method; readonly shown: string },
): readonly StreamHandle[] {
  const coverage = feedCoverage(principal, component.uid, method)
  if (coverage === 'all') return component.streams
  const allowed =
    coverage === 'none'
      ? []
      : component.streams.filter((handle) => allowsStream(index, principal, handle, method))
  if (allowed.length === 0) {
    requirePermit(principal, `component/${component.uid}/feed`, method, shown)
  }
  return allowed
}
