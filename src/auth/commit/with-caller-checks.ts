import { type CatalogStore, withCommit } from '../../store/index.ts'
import { callerChecksIn } from '../audit-log.ts'

/**
 * The same store, which makes a commit that is an act of a caller only while the caller stands as when
 * the act was permitted: whatever the act has waited for, who lost the right meanwhile does not do it.
 */
export function withCallerChecks(store: CatalogStore): CatalogStore {
  return withCommit(store, async (writes, lease, limits) => {
    for (const callerCheck of callerChecksIn(writes)) await callerCheck.hold()
    return await store.commit(writes, lease, limits)
  })
}
