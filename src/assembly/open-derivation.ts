/** A piece of the composition root: what derives streams from others. */
import { type Clock, type Log, newUid } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { VALUE_CODE } from '../catalog/shape/index.ts'
import { correctionWork, undoWork } from '../correct/index.ts'
import { JobBook, StreamDeriver } from '../derivation/index.ts'
import type { Feed } from '../feed/index.ts'
import type { BlobStore, CatalogStore, SampleStore, StreamHandle } from '../store/index.ts'
import type { RemoteCommits } from './commit-listeners.ts'

/** Streams whose samples may be long. */
const TEXTS: ReadonlySet<number> = new Set([
  VALUE_CODE.STRING,
  VALUE_CODE.FILE,
  VALUE_CODE.BIG_DECIMAL,
])

/** Opens what derives streams from others; it is not started. */
export function openDerivation(parts: {
  readonly catalog: Catalog
  readonly blobs: BlobStore
  readonly catalogStore: CatalogStore
  readonly samples: SampleStore
  readonly feed: Feed
  /** What other processes commit; undefined where no other derives over the same storage. */
  readonly remoteCommits: RemoteCommits | undefined
  readonly clock: Clock
  readonly log: Log
}): StreamDeriver {
  const { blobs, catalog, catalogStore, clock, remoteCommits, feed, log, samples } = parts
  const isShared = remoteCommits !== undefined
  const book = new JobBook(catalogStore)
  const hasTexts = (handle: StreamHandle) => TEXTS.has(catalog.index.valueCodeOf(handle))
  const correcting = { blobs, book, clock, hasTexts, store: samples }
  const derivation = new StreamDeriver({
    catalog,
    catalogStore,
    clock,
    feed,
    isShared,
    book,
    works: { correct: correctionWork(correcting), undo: undoWork(correcting) },
    store: samples,
    // A folder is locked: anyone who held a lease before is gone, and need not be waited for.
    holder: isShared ? newUid() : 'the one process of this folder',
    onFailure: (error) => log.error({ error }, 'could not calculate derived streams'),
  })
  remoteCommits?.onChanges((changes) => derivation.status.forgetWritten(changes))
  return derivation
}
