import type { CatalogStore, CatalogWrite } from './catalog-port.ts'

/**
 * The same store, which tells `onCommit` of the writes of every commit once it has settled and before
 * its caller goes on: whoever keeps documents in memory forgets them in time, whichever part wrote.
 * A commit that failed is told too, with `isMade` false, as it may have been made all the same.
 */
export function tellCommits(
  store: CatalogStore,
  onCommit: (writes: readonly CatalogWrite[], isMade: boolean) => void,
): CatalogStore {
  return {
    get: (key) => store.get(key),
    findByClaim: (orgUid, claim) => store.findByClaim(orgUid, claim),
    list: (query) => store.list(query),
    commit: async (writes, lease) => {
      let isMade = false
      try {
        const documents = await store.commit(writes, lease)
        isMade = true
        return documents
      } finally {
        onCommit(writes, isMade)
      }
    },
    scanIndex: (kind, onRow, onCount) => store.scanIndex(kind, onRow, onCount),
    scanDocuments: (kind, onDocument) => store.scanDocuments(kind, onDocument),
    purgeExpired: (nowMs, limit) => store.purgeExpired(nowMs, limit),
    changesSince: (cursor, limit) => store.changesSince(cursor, limit),
    acquireLease: (name, holder, ttlMs) => store.acquireLease(name, holder, ttlMs),
    releaseLease: (lease) => store.releaseLease(lease),
    close: () => store.close(),
  }
}
