import type { CatalogWrite } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import { componentBodyOf } from '../shape/component-shape.ts'
import { streamBodyOf } from '../shape/stream-shape.ts'

/**
 * Whether a write gives a component or stream that is there another ID, place or zone: whoever does not know of it
 * puts samples into another stream than they are meant for, or counts their days otherwise.
 */
export function changesPlace(write: CatalogWrite, index: StreamIndex): boolean {
  if (write.op !== 'put') return false
  const { orgUid, uid } = write
  if (write.kind === 'component') {
    const known = index.componentByUid(orgUid, uid)
    const { id, timeZoneId } = componentBodyOf(write)
    return known !== undefined && (known.compId !== id || known.timeZone !== timeZoneId)
  }
  if (write.kind !== 'stream') return false
  const handle = index.streamByUid(orgUid, uid)
  const { id, order } = streamBodyOf(write)
  return handle !== 0 && (index.streamIdOf(handle) !== id || index.orderOf(handle) !== order)
}
