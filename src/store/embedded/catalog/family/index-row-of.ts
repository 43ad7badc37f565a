import { memberUidOf, showUid } from '../../../../base/index.ts'
import type { IndexRow, PackedIndexRow } from '../../../catalog-port.ts'
import type { StreamHandle } from '../../../sample-port.ts'

/** A packed index row as one that can be kept. */
export function indexRowOf(row: PackedIndexRow): IndexRow {
  const { orgUid, ordinal, indexStart, id } = row
  const headUid = showUid(row.headWords, 0)
  const index = indexStart + (id.text ?? id.bytes.toString('latin1', id.from, id.until))
  if (ordinal === 0) {
    return { kind: 'component', orgUid, uid: headUid, parentUid: '', handle: undefined, index }
  }
  const uid = memberUidOf(headUid, ordinal)
  const handle = row.handle as StreamHandle
  return { kind: 'stream', orgUid, uid, parentUid: headUid, handle, index }
}
