import { headUidOf } from '../../../../base/index.ts'
import type { PutDocument } from '../../../catalog-port.ts'
import type { PackedOrder } from '../catalog-protocol.ts'
import { familyPlaceOf } from './family-place.ts'
import type { ShapeTaker } from './shape-taker.ts'

/** The order for a document that shares a row with its family, undefined for one with a row of its own. */
export function packedOrderOf(put: PutDocument, taker: ShapeTaker): PackedOrder | undefined {
  if (put.kind !== 'component' && put.kind !== 'stream') return undefined
  if (put.expiresAtMs !== undefined || put.index === undefined) return undefined
  const place = familyPlaceOf(put)
  if (place === undefined) return undefined
  const { orgUid, kind, uid, parentUid = '', expectedRevision } = put
  if (parentUid !== (place.ordinal === 0 ? '' : headUidOf(uid))) return undefined
  const packed = taker.take(put)
  if (packed === undefined) return undefined
  const mayUseReserve = put.mayUseReserve === true
  return { op: 'put', orgUid, kind, uid, parentUid, expectedRevision, mayUseReserve, packed }
}
