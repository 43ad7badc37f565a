import { type CatalogStore, withCommit } from '../../store/index.ts'
import { standingsIn } from '../audit-log.ts'

/**
 * The same store, which makes a commit that is an act of a caller only while the caller stands as when
 * the act was permitted: whatever the act has waited for, who lost the right meanwhile does not do it.
 */
export function withStandings(store: CatalogStore): CatalogStore {
  return withCommit(store, async (writes, lease, limits) => {
    for (const standing of standingsIn(writes)) await standing.hold()
    return await store.commit(writes, lease, limits)
  })
}
