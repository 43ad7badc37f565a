/** A piece of the composition root: streams, their samples and their files. */
import { type Identity, peopleOf } from '../auth/index.ts'
import { type Clock, type Config, type Log, newUid } from '../base/index.ts'
import { type Catalog, openCatalog } from '../catalog/index.ts'
import { VALUE_CODE } from '../catalog/shape/index.ts'
import { resultBodies } from '../connectors/index.ts'
import { Corrections, correctionBodies } from '../correct/index.ts'
import { JobBook } from '../derivation/index.ts'
import {
  catalogClockMark,
  Devices,
  expiringStreams,
  Feed,
  LastContacts,
  makeDeleteProfileJob,
} from '../feed/index.ts'
import {
  FileService,
  FileUsage,
  fileUrl,
  makeFileSweep,
  readFileRecord,
  withFileBodies,
} from '../files/index.ts'
import {
  type BlobStore,
  type CatalogStore,
  type KnownDamage,
  type LeasedJob,
  type SampleStore,
  SharedWatch,
  type StreamHandle,
} from '../store/index.ts'
import type { RemoteCommits } from './commit-listeners.ts'
import { openDerivation } from './open-derivation.ts'
import { openScrub } from './open-scrub.ts'
import type { OpenedStorage } from './opened-storage.ts'

/** What streams, samples and files are opened over. */
interface DataParts {
  /** Puts another store of samples in the place of the storage's. */
  readonly wrapSamples?: (store: SampleStore) => Promise<SampleStore>
  readonly config: Config
  readonly clock: Clock
  readonly identity: Identity
  readonly catalogStore: CatalogStore
  readonly damage: KnownDamage
  readonly remoteCommits: RemoteCommits | undefined
  readonly log: Log
  readonly storage: OpenedStorage
}

/** Opens the catalog, samples, and files. Long: the order of opening is its content. */
export async function openData(parts: DataParts, opened: AsyncDisposableStack) {
  const { config, clock, catalogStore, damage, remoteCommits, log, storage } = parts
  const catalog = await openFollowingCatalog(parts)
  const stores = await storage.openStores()
  const { backups, blobs, payloads } = stores
  const { index } = catalog
  const isFileStream = (handle: StreamHandle) => index.valueCodeOf(handle) === VALUE_CODE.FILE
  const fileStreams = () => index.handlesOfValueCode(VALUE_CODE.FILE)
  const store = (await parts.wrapSamples?.(stores.samples)) ?? stores.samples
  opened.defer(() => store.close())
  const fileUsage = new FileUsage({
    store,
    fileStreams,
    log,
    bytesMax: config.quotas.fileBytes,
    sharedClock: storage.isShared ? clock : undefined,
    orgOf: (handle) => (index.has(handle) ? index.componentOf(handle).orgUid : undefined),
  })
  const samples = withFileBodies({ store, blobs, isFileStream, usage: fileUsage })
  const watch = new SharedWatch(samples, ['derivation', 'alerts'], storage.isShared)
  catalog.onStreamsDeleted(async (streams) => {
    const ofFiles = streams.filter(({ handle }) => isFileStream(handle))
    const handles = streams.map(({ handle }) => handle)
    await fileUsage.whileDeparting(ofFiles, () => samples.forget(handles))
    await backups.mayEndDeletion()
  })
  const contacts = startContacts({ catalog, catalogStore, clock, log, samples, storage }, opened)
  const feed: Feed = new Feed({
    catalog,
    store: samples,
    clock,
    onLanded: [contacts.note],
    assignable: stores.timeSlot,
    derive: (batch, limits) => derivation.derivePut(batch, limits),
    showFile: (text, place) => fileUrl({ ...place, name: readFileRecord(text).name }),
  })
  const { showFile } = feed
  const devices = new Devices({ catalog, clock, contacts, showFile, store: samples })
  const derivation = openDerivation({
    blobs,
    catalog,
    catalogStore,
    clock,
    remoteCommits,
    feed,
    log,
    samples: watch.viewFor('derivation'),
  })
  opened.defer(() => derivation.close())
  const book = new JobBook(catalogStore)
  const corrections = new Corrections({ book, catalog, clock, jobs: derivation.jobs, samples })
  await catalog.resumeDeletions()
  const { fileBytesMax } = config
  const files = new FileService({
    feed,
    store: samples,
    blobs,
    log,
    fileBytesMax,
    usage: fileUsage,
    onDamage: (finding) => damage.note(finding),
  })
  const fileSweep = startFileSweep(
    {
      blobs,
      catalogStore,
      clock: stores.sharedClock ?? clock,
      fileStreams,
      isStarted: config.index === 'all',
      log,
      samples,
    },
    opened,
  )
  const { places, scrub } = await openScrub({
    blobs,
    catalog,
    catalogStore,
    clock,
    damage,
    fileStreams,
    log,
    samples,
    parts: [
      { name: 'catalog', store: storage.catalog },
      { name: 'samples', store: stores.samples },
      { name: 'payloads', store: payloads },
    ],
  })
  opened.defer(() => scrub.close())
  return {
    catalog,
    corrections,
    damage,
    devices,
    samples,
    alertSamples: watch.viewFor('alerts'),
    feed,
    files,
    fileSweep,
    fileUsage,
    derivation,
    payloads,
    places,
    scrub,
    stores,
  }
}

/** Opens the catalog, which follows what other processes commit where there are any. */
async function openFollowingCatalog(parts: DataParts): Promise<Catalog> {
  const { config, clock, identity, catalogStore, remoteCommits, storage } = parts
  const catalog = await openCatalog({
    store: catalogStore,
    people: peopleOf(identity),
    clock,
    createMax: config.createMax,
    isShared: storage.isShared,
    isLazy: config.index === 'used',
  })
  remoteCommits?.onChanges(() => catalog.refresh())
  remoteCommits?.onLook(() => catalog.catchUps.begin())
  return catalog
}

/** Keeps when components were last in contact. */
function startContacts(
  parts: Pick<DataParts, 'catalogStore' | 'clock' | 'log' | 'storage'> & {
    readonly catalog: Catalog
    readonly samples: SampleStore
  },
  opened: AsyncDisposableStack,
): LastContacts {
  const { catalog, catalogStore, clock, log, samples, storage } = parts
  const contacts = new LastContacts({
    catalogStore,
    clock,
    index: catalog.index,
    isShared: storage.isShared,
    samples,
    onFailure: (error) => log.warn({ error }, 'could not save the last contacts of devices'),
  })
  contacts.start()
  opened.defer(() => contacts.close())
  return contacts
}

/** Removes bodies of files that nothing names, in the background. */
function startFileSweep(
  parts: {
    readonly blobs: BlobStore
    readonly catalogStore: CatalogStore
    readonly clock: Clock
    readonly fileStreams: () => Iterable<StreamHandle>
    readonly isStarted: boolean
    readonly log: Log
    readonly samples: SampleStore
  },
  opened: AsyncDisposableStack,
): LeasedJob {
  const { blobs, catalogStore, clock, fileStreams, isStarted, log, samples } = parts
  const fileSweep = makeFileSweep({
    blobs,
    store: samples,
    catalog: catalogStore,
    clock,
    holder: newUid(),
    fileStreams,
    others: () => keptBodies(catalogStore, clock),
    onFailure: (error) => log.error({ error }, 'could not delete orphaned files'),
  })
  if (isStarted) fileSweep.start()
  opened.defer(() => fileSweep.close())
  return fileSweep
}

/** Bodies that no sample names, and that are needed. */
async function* keptBodies(catalogStore: CatalogStore, clock: Clock): AsyncGenerator<string> {
  yield* resultBodies(catalogStore)
  yield* correctionBodies(new JobBook(catalogStore), clock.now())
}

/** Lets samples go that are older than their delete profile says, in the background. */
export function startDeleteProfiles(
  parts: {
    readonly catalog: Catalog
    readonly catalogStore: CatalogStore
    readonly samples: SampleStore
    readonly feed: Feed
    readonly clock: Clock
    readonly isStarted: boolean
    readonly log: Log
  },
  opened: AsyncDisposableStack,
): LeasedJob {
  const { catalog, catalogStore, samples, clock, isStarted, log } = parts
  const { retention } = parts.feed
  const job = makeDeleteProfileJob({
    samples,
    retention,
    clock,
    catalog: catalogStore,
    holder: newUid(),
    mark: catalogClockMark(catalogStore),
    streams: (isDue) => expiringStreams(catalog.index, retention, isDue),
    onJump: (jumpMs) =>
      log.warn(
        { jumpMs },
        'the clock jumped, delete profiles pause until it is stable for an hour',
      ),
    onFailure: (error) => log.error({ error }, 'could not apply delete profiles'),
  })
  if (isStarted) job.start()
  opened.defer(() => job.close())
  return job
}
