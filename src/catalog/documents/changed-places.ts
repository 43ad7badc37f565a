import type { CatalogWrite } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'

/**
 * Whether a write changes the ID, place, or zone of an existing component or stream. A process that does not know of
 * the change puts samples into the wrong stream, or assigns them to the wrong day.
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
