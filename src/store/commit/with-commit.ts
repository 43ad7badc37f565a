import type { CatalogStore } from '../ports/catalog-port.ts'

/** The same store with another way to commit. */
export function withCommit(store: CatalogStore, commit: CatalogStore['commit']): CatalogStore {
  return {
    components: store.components,
    get: (key) => store.get(key),
    findByClaim: (orgUid, claim) => store.findByClaim(orgUid, claim),
    list: (query) => store.list(query),
    walk: (query) => store.walk(query),
    commit,
    usage: (orgUid) => store.usage(orgUid),
    purgeExpired: (nowMs, limit) => store.purgeExpired(nowMs, limit),
    changesSince: (cursor, limit) => store.changesSince(cursor, limit),
    lastCursor: () => store.lastCursor(),
    acquireLease: (name, holder, ttlMs) => store.acquireLease(name, holder, ttlMs),
    releaseLease: (lease) => store.releaseLease(lease),
    holderOf: (name, ttlMs) => store.holderOf(name, ttlMs),
    close: () => store.close(),
  }
}
