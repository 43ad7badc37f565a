import { isDeepStrictEqual } from 'node:util'
import { storedClaim, type WholeRecord } from '../store/index.ts'
import { MOVE_KEY } from './move-record.ts'

/**
 * Kinds that speak of the store itself, by its cursors and handles: progress of derivation and alerts restarts in another,
 * and of streams that were deleted it has nothing to forget.
 */
const OWN_KINDS: readonly string[] = [
  MOVE_KEY.kind,
  'derivation_cursor',
  'deleted_streams',
  'alert_progress',
]

/** Whether a document is moved. */
export function isMoved({ kind }: { readonly kind: string }): boolean {
  return !OWN_KINDS.includes(kind)
}

/** Whether two stores keep the same of a document, component or stream; handles are each store's own. */
export function isSameRecord(a: WholeRecord, b: WholeRecord | undefined): boolean {
  return b !== undefined && isDeepStrictEqual(shapeOf(a), shapeOf(b))
}

function shapeOf(record: WholeRecord): object {
  if ('handle' in record) {
    const { handle: _handle, ...stream } = record
    return stream
  }
  if (!('claims' in record)) return { ...record, addressedAs: [...record.addressedAs].sort() }
  return { ...record, claims: record.claims.map(storedClaim).sort() }
}
