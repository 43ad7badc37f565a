import type { CatalogStore, CatalogWrite } from '../../store/index.ts'

const KEY = { orgUid: '', kind: 'derivation_cursor', uid: 'background' }

/** How far the touched spans of sources are derived, as the catalog keeps it; 0 at first. */
export async function readCursor(catalog: Pick<CatalogStore, 'get'>): Promise<number> {
  const cursor = (await catalog.get(KEY))?.body.cursor
  return typeof cursor === 'number' ? cursor : 0
}

/** What keeps a cursor. */
export function cursorWrite(cursor: number): CatalogWrite {
  return { op: 'put', ...KEY, body: { cursor }, expectedRevision: 'any' }
}
