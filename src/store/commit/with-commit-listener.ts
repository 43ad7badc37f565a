import type { CatalogStore, CatalogWrite } from '../ports/catalog-port.ts'
import { withCommit } from './with-commit.ts'

/**
 * The same store, which calls `onCommit` with the writes of every commit once it has settled and before
 * its caller goes on, so that caches drop outdated documents in time.
 * A commit that failed is reported too, with `isMade` false, as it may have been made all the same.
 */
export function withCommitListener(
  store: CatalogStore,
  onCommit: (writes: readonly CatalogWrite[], isMade: boolean) => void,
): CatalogStore {
  return withCommit(store, async (writes, lease, limits) => {
    let isMade = false
    try {
      const committed = await store.commit(writes, lease, limits)
      isMade = true
      return committed
    } finally {
      onCommit(writes, isMade)
    }
  })
}
