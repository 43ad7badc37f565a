import type { CatalogDocument, CatalogStore, CatalogWrite } from '../ports/catalog-port.ts'

/** Commits writes among which no component or stream is put; the documents that were put, as written. */
export async function commitDocuments(
  store: Pick<CatalogStore, 'commit'>,
  writes: readonly CatalogWrite[],
): Promise<readonly CatalogDocument[]> {
  const { records } = await store.commit(writes)
  return records as readonly CatalogDocument[]
}
