import { isDeepStrictEqual } from 'node:util'
import { storedClaim, type WholeDocument } from '../store/index.ts'
import { MOVE_KEY } from './move-record.ts'

/**
 * Kinds that speak of the store itself, by its cursors and handles: how far it is derived is told anew in another,
 * and of streams that were deleted it has nothing to forget.
 */
const OWN_KINDS: readonly string[] = [MOVE_KEY.kind, 'derivation_cursor', 'deleted_streams']

/** Whether a document is moved. */
export function isMoved({ kind }: { readonly kind: string }): boolean {
  return !OWN_KINDS.includes(kind)
}

/** Whether two stores keep the same of a document; handles are each store's own. */
export function isSameDocument(a: WholeDocument, b: WholeDocument | undefined): boolean {
  return b !== undefined && isDeepStrictEqual(shapeOf(a), shapeOf(b))
}

function shapeOf({ handle: _handle, claims, ...document }: WholeDocument) {
  return { ...document, claims: claims.map(storedClaim).sort() }
}
