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
  const { revision } = put
  // Of claims that come from another store only the hash may be known, which tells no place in a family.
  if (revision !== undefined && put.claims?.some((claim) => claim.startsWith('#'))) return undefined
  const packed = taker.take(put)
  if (packed === undefined) return undefined
  const mayUseReserve = put.mayUseReserve === true
  const order = { op: 'put', orgUid, kind, uid, parentUid, expectedRevision, packed } as const
  return { ...order, mayUseReserve, ...(revision === undefined ? {} : { revision }) }
}
