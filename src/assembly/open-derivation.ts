/** A piece of the composition root: what derives streams from others. */
import { type Clock, type Log, newUid } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { StreamDeriver } from '../derivation/index.ts'
import type { Feed } from '../feed/index.ts'
import type { CatalogStore, SampleStore } from '../store/index.ts'
import type { RemoteCommits } from './commit-listeners.ts'

/** Opens what derives streams from others; it is not started. */
export function openDerivation(parts: {
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  readonly samples: SampleStore
  readonly feed: Feed
  /** What other processes commit; undefined where no other derives over the same storage. */
  readonly remoteCommits: RemoteCommits | undefined
  readonly clock: Clock
  readonly log: Log
}): StreamDeriver {
  const { catalog, catalogStore, clock, remoteCommits, feed, log, samples } = parts
  const isShared = remoteCommits !== undefined
  const derivation = new StreamDeriver({
    catalog,
    catalogStore,
    clock,
    feed,
    isShared,
    store: samples,
    // A folder is locked: anyone who held a lease before is gone, and need not be waited for.
    holder: isShared ? newUid() : 'the one process of this folder',
    onFailure: (error) => log.error({ error }, 'could not calculate derived streams'),
  })
  remoteCommits?.onChanges((changes) => derivation.status.forgetWritten(changes))
  return derivation
}
