import { feedCoverage, type Method, type Principal, requirePermit } from '../access/index.ts'
import { refuse } from '../base/index.ts'
import type { ComponentEntry, StreamIndex } from '../catalog/index.ts'
import type { StreamHandle } from '../store/index.ts'
import { allowsStream, feedName, requireStream } from './feed-rights.ts'

/** The streams a path addresses: one, or without streamId all of a component. */
export interface StreamPath {
  readonly compId: string
  readonly streamId: string | undefined
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
