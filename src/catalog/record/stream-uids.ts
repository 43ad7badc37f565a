import {
  componentUidOf,
  countedUidOf,
  countsStreams,
  isCountedForm,
  newOrderedUid,
  ORDINAL_END,
  ordinalOf,
} from '../../base/index.ts'
import type { ComponentEntry, StreamIndex } from '../index/stream-index.ts'
import type { ComponentBody } from '../shape/component-shape.ts'

/**
 * Gives UIDs to the streams that are added to a component: its own with the next ordinal, so that the store
 * needs no index of them. Components may have UIDs from which none can be counted; their streams have UIDs of
 * their own, as those have for which a client has asked. What another stream has is passed over: no
 * client can ask for it any more (`isReserved`), but some could. Nobody knows the UID of a component that is
 * just being made: it needs no index.
 */
export function streamUidsFor(
  componentUid: string,
  lastOrdinal: number,
  index?: Pick<StreamIndex, 'hasLivingUid'>,
): () => string {
  if (!countsStreams(componentUid)) return newOrderedUid
  let last = lastOrdinal
  return () => {
    while (last + 1 < ORDINAL_END) {
      last += 1
      const uid = countedUidOf(componentUid, last)
      if (index?.hasLivingUid(uid) !== true) return uid
    }
    return newOrderedUid()
  }
}

/**
 * Whether a UID is one that a component gives to its own streams, now or later: who took it for another stream,
 * of another organization perhaps, would have two streams under one UID. Those that the component has given before
 * it does not give again, so it may have them back.
 */
export function isReserved(
  uid: string,
  own: { readonly uid: string; readonly lastOrdinal: number },
  index: Pick<StreamIndex, 'hasUid'>,
): boolean {
  if (!isCountedForm(uid)) return false
  const componentUid = componentUidOf(uid)
  if (componentUid !== own.uid) return index.hasUid(componentUid)
  const ordinal = ordinalOf(uid)
  return ordinal === 0 || ordinal > own.lastOrdinal
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
  if (!countsStreams(componentUid) || componentUidOf(uid) !== componentUid) return component
  return { ...component, lastOrdinal: Math.max(component.lastOrdinal, ordinalOf(uid)) }
}
