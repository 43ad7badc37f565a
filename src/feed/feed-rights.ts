import {
  allows,
  allowsEveryFeed,
  feedCoverage,
  type Method,
  type Principal,
  requirePermit,
} from '../access/index.ts'
import { inSlices, refuse } from '../base/index.ts'
import type { StreamIndex } from '../catalog/index.ts'
import type { StreamHandle } from '../store/index.ts'

function streamResource(index: StreamIndex, handle: StreamHandle): string {
  return `component/${index.componentOf(handle).uid}/stream/${index.streamUid(handle)}/feed`
}

/** Whether the caller may use a method on the feed of a stream. */
export function allowsStream(
  index: StreamIndex,
  principal: Principal,
  handle: StreamHandle,
  method: Method,
): boolean {
  if (allowsEveryFeed(principal, method)) return true
  const coverage = feedCoverage(principal, index.componentOf(handle).uid, method)
  if (coverage !== 'by_stream') return coverage === 'all'
  return allows(principal, streamResource(index, handle), method)
}

/** The feed of a component as the caller named it: an error names no UID that the caller did not give. */
export function feedName(compId: string): string {
  return `the feed of component "${compId}"`
}

/** Refuses unless the caller may use a method on the feed of a stream, which messages call `shown`. */
export function requireStream(
  index: StreamIndex,
  principal: Principal,
  handle: StreamHandle,
  use: { readonly method: Method; readonly shown: string },
): void {
  const { method, shown } = use
  if (allowsStream(index, principal, handle, method)) return
  requirePermit(principal, streamResource(index, handle), method, shown)
}

/** Refuses unless the caller may use a method on every stream of a list of samples. */
export function requireStreams(
  index: StreamIndex,
  principal: Principal,
  streams: { readonly handles: Uint32Array; readonly count: number },
  method: Method,
): Promise<void> | undefined {
  if (allowsEveryFeed(principal, method)) return undefined
  const allowed = new Set<StreamHandle>()
  const coverage = new Map<number, boolean>()
  const use = { method, shown: 'the feed of a stream in this request' }
  const require = (handle: StreamHandle): void => {
    const component = index.componentRefOf(handle)
    let isCovered = coverage.get(component)
    if (isCovered === undefined) {
      if (!index.has(handle)) {
        refuse('conflict', {
          what: 'A stream was deleted while the request was running. Send it again',
        })
      }
      isCovered = feedCoverage(principal, index.componentOf(handle).uid, method) === 'all'
      coverage.set(component, isCovered)
    }
    if (!isCovered) requireStream(index, principal, handle, use)
  }
  return inSlices(streams.count, (from, until) => {
    for (let at = from; at < until; at++) {
      const handle = streams.handles[at] as StreamHandle | 0
      if (handle === 0 || handle === streams.handles[at - 1] || allowed.has(handle)) continue
      require(handle)
      allowed.add(handle)
    }
  })
}

/**
 * Refuses unless the caller may create by a put: streams of a component that is there where it may
 * put to all of that component, components where it may put to any.
 */
export function requireCreation(
  principal: Principal,
  what: string,
  component?: { readonly uid: string },
): void {
  const resource = `component/${component?.uid ?? '*'}/feed`
  if (allows(principal, resource, 'PUT')) return
  const needed = component === undefined ? resource : 'the whole feed of its component'
  refuse('forbidden', {
    what: `Cannot create ${what}. It needs PUT on ${needed}, which this credential does not allow`,
  })
}
