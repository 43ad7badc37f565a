import { type CatalogStore, withCommit } from '../../store/index.ts'
import { callerChecksIn } from '../audit-log.ts'

/**
 * The same store, but a caller's commit succeeds only if the caller still has the permission that was checked at the
 * start. A caller who loses it while the commit waits is refused.
 */
export function withCallerChecks(store: CatalogStore): CatalogStore {
  return withCommit(store, async (writes, lease, limits) => {
    for (const callerCheck of callerChecksIn(writes)) await callerCheck.hold()
    return await store.commit(writes, lease, limits)
  })
}
