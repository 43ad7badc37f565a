import {
  headUidOf,
  isHeadUid,
  memberUidOf,
  newOrderedUid,
  ORDINAL_END,
  ordinalOf,
} from '../../base/index.ts'
import type { ComponentEntry } from '../index/stream-index.ts'
import type { ComponentBody } from '../shape/component-shape.ts'

/**
 * Gives UIDs to the streams that are added to a component: its own with the next ordinal, so that the store
 * needs no index of them. Components of before have UIDs that tell no family; their streams have UIDs by
 * themselves, as those have for which a client has asked.
 */
export function streamUidsFor(componentUid: string, lastOrdinal: number): () => string {
  if (!isHeadUid(componentUid)) return newOrderedUid
  let last = lastOrdinal
  return () => {
    last += 1
    return last < ORDINAL_END ? memberUidOf(componentUid, last) : newOrderedUid()
  }
}

/** The last ordinal that a component has given to a stream, also to one that is gone. */
export function lastOrdinalOf(
  body: Pick<ComponentBody, 'lastOrdinal'>,
  entry: ComponentEntry | undefined,
): number {
  return Math.max(body.lastOrdinal, entry?.lastOrdinal ?? 0)
}

/** The component once a stream is gone: no other stream gets its UID. */
export function withoutStream(
  component: ComponentBody,
  { componentUid, uid }: { readonly componentUid: string; readonly uid: string },
): ComponentBody {
  if (!isHeadUid(componentUid) || headUidOf(uid) !== componentUid) return component
  return { ...component, lastOrdinal: Math.max(component.lastOrdinal, ordinalOf(uid)) }
}
