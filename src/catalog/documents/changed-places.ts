import type { CatalogWrite } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'

/**
 * Whether a write gives a component or stream that is there another ID, place or zone: a process that does not know of it
 * puts samples into another stream than they are meant for, or counts their days otherwise.
 */
export function changesPlace(write: CatalogWrite, index: StreamIndex): boolean {
  if (write.op === 'put_component') {
    const known = index.componentByUid(write.orgUid, write.uid)
    return known !== undefined && (known.compId !== write.id || known.timeZone !== write.timeZone)
  }
  if (write.op !== 'put_stream') return false
  const handle = index.streamByUid(write.orgUid, write.uid)
  if (handle === 0) return false
  return index.streamIdOf(handle) !== write.id || index.orderOf(handle) !== write.order
}
