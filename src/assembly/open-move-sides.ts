/** A piece of the composition root: the stores of a folder and of a cluster, opened to move everything between them. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, refuse } from '../base/index.ts'
import { openCatalog } from '../catalog/index.ts'
import { resultFolder } from '../connectors/index.ts'
import { type MoveSource, type MoveTarget, readMove, refuseUnfinishedMove } from '../move/index.ts'
import { fingerprintOfCluster, takesFingerprint } from '../store/cassandra/index.ts'
import {
  checkFolder,
  lockFolder,
  markFolder,
  migrateFolder,
  openBlobStore,
  openCatalogStore,
  openPayloadStore,
  openSampleStore,
  readFolderParts,
  readKeyFile,
  WholeDocuments,
} from '../store/embedded/index.ts'
import {
  type CatalogStore,
  holdForMove,
  keyFingerprint,
  type StreamHandle,
} from '../store/index.ts'
import { memoryBytesOf, storeLimitsFor } from './app-settings.ts'
import {
  type ClusterPlace,
  openClusterAndCatalog,
  openStoresOfCluster,
} from './open-cluster-stores.ts'

/** A cluster that does not answer for so long is reported as away, and nothing is changed. */
const CLUSTER_WAIT_MS = 15_000

/** How a cluster is opened. */
interface ClusterOpening {
  readonly place: ClusterPlace
  /** Who moves: the same after a kill, as the folder on the other side is locked by one process at a time. */
  readonly holder: string
  /** Called with the reason while the cluster is away. */
  readonly onWaiting: (what: string) => void
  /** Called when another process may write to the cluster: this one must end. */
  readonly onLost: () => void
}

/** Opens a data folder to be read whole; refuses one that is in use, or of which nothing is there. */
export async function openFolderSource(
  config: Config,
  opened: AsyncDisposableStack,
): Promise<MoveSource> {
  const folder = config.dataDir
  if (!['catalog.db', 'samples.db'].every((name) => existsSync(join(folder, name)))) {
    refuse('not_found', { what: `${folder} contains no Weir data. Set WEIR_DATA_DIR` })
  }
  const lock = lockFolder(folder)
  opened.defer(() => lock.release())
  refuseCutShort(folder)
  const side = await openFolder(config, opened)
  await refuseUnfinishedMove(side.catalog)
  const identity = `folder ${readFolderParts(folder).catalog.mark}`
  return { ...side, identity, watched: await watchIn(side) }
}

/** Takes a data folder to be filled: one that is missing, or holds nothing but an unfinished move. */
export async function takeFolderTarget(
  config: Config,
  opened: AsyncDisposableStack,
): Promise<{ open(): Promise<MoveTarget> }> {
  const folder = config.dataDir
  const lock = lockFolder(folder)
  opened.defer(() => lock.release())
  const { catalog, ...others } = readFolderParts(folder)
  const isFilled = Object.values(others).some(({ isThere }) => isThere)
  // The catalog comes first: what is there without it is not of a move.
  if (catalog.isThere ? !(await isOfMove(folder)) : isFilled) {
    const what = `Cannot move to ${folder}, which already contains data. Nothing was changed`
    refuse('conflict', { what })
  }
  return {
    open: async () => {
      const side = await openFolder(config, opened)
      return { ...side, settle: () => side.samples.sealAll(), holdKey: async () => {} }
    },
  }
}

/** Whether a folder is the target of a move, or was about to become it; looks without changing anything. */
async function isOfMove(folder: string): Promise<boolean> {
  try {
    using whole = new WholeDocuments(folder)
    const record = await readMove({
      get: async (key) => {
        const [found] = await whole.wholeOf([key])
        return found !== undefined && 'body' in found ? found : undefined
      },
    })
    if (record !== undefined) return true
    for await (const page of whole.everything()) if (page.length > 0) return false
    return true
  } catch {
    // Of another version, or damaged: nothing that a move would go on with.
    return false
  }
}

async function openFolder(config: Config, opened: AsyncDisposableStack) {
  const folder = config.dataDir
  checkFolder(folder)
  migrateFolder(folder)
  const catalog = await openCatalogStore({ folder })
  opened.defer(() => catalog.close())
  const samples = await openSampleStore({
    folder,
    isSealedWhenWatched: true,
    ...storeLimitsFor(memoryBytesOf(config)),
  })
  opened.defer(() => samples.close())
  const blobs = await openBlobStore({ folder: join(folder, 'files') })
  opened.defer(() => blobs.close())
  const payloads = await openPayloadStore({ folder })
  opened.defer(() => payloads.close())
  markFolder(folder)
  const whole = new WholeDocuments(folder)
  opened.defer(() => whole.close())
  const key = readKeyFile(folder)
  return {
    name: `the folder ${folder}`,
    catalog,
    whole,
    samples,
    blobs,
    payloads,
    keyFingerprint: key === undefined ? undefined : keyFingerprint(key),
  }
}

/** A run of an import that was cut short goes on from a file that is not moved. */
function refuseCutShort(folder: string): void {
  const results = resultFolder(folder)
  const names = existsSync(results) ? readdirSync(results) : []
  if (!names.some((name) => name.endsWith('.result'))) return
  refuse('conflict', {
    what: `An import run was interrupted in ${folder}. Start the service once to finish it, then stop it`,
  })
}

/** Opens a cluster on which no process serves, to be read whole. */
export async function openClusterSource(
  opening: ClusterOpening,
  opened: AsyncDisposableStack,
): Promise<MoveSource> {
  const { cluster: _cluster, ...side } = await openClusterSide(opening, opened)
  await refuseUnfinishedMove(side.catalog)
  return { ...side, watched: await watchIn(side) }
}

/** Opens a cluster on which no process serves, to be filled. */
export async function openClusterTarget(
  opening: ClusterOpening,
  opened: AsyncDisposableStack,
): Promise<MoveTarget> {
  const { identity: _identity, cluster, ...side } = await openClusterSide(opening, opened)
  const holdKey = async (fingerprint: string) => {
    await takesFingerprint(cluster, fingerprint)
  }
  return { ...side, settle: async () => {}, holdKey }
}

async function openClusterSide(
  { place, holder, onWaiting, onLost }: ClusterOpening,
  opened: AsyncDisposableStack,
) {
  const signal = AbortSignal.timeout(CLUSTER_WAIT_MS)
  const watch = { onWaiting, signal, onHistoryLost: onLost }
  const connected = await openClusterAndCatalog(place, watch, opened).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return refuse('store_away', { retryAfterSeconds: 5 })
  })
  const { cluster, catalog } = connected
  const held = await holdForMove({ catalog, holder, onLost })
  opened.defer(() => held.close())
  const stores = await openStoresOfCluster(connected, {}, opened)
  const { keyspace } = place.cassandra
  const name = `the cluster with the keyspace ${keyspace}`
  const identity = `keyspace ${keyspace} ${connected.identity}`
  return {
    ...stores,
    name,
    identity,
    cluster,
    catalog,
    whole: catalog,
    keyFingerprint: await fingerprintOfCluster(cluster),
  }
}

/** Has a store report what was touched of the streams that others are derived from; returns these streams. */
async function watchIn(side: {
  readonly catalog: CatalogStore
  readonly samples: { watch(handles: readonly StreamHandle[]): Promise<void> }
}): Promise<readonly StreamHandle[]> {
  const people = { ownerOf: nobody, nameOf: async () => '' }
  const catalog = await openCatalog({ store: side.catalog, people })
  const watched = catalog.derivations.sources()
  await side.samples.watch(watched)
  return watched
}

async function nobody(): Promise<never> {
  throw new Error('BUG: a move asks for nobody')
}
