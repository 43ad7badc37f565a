/** A piece of the composition root: the stores of a cluster, each opened and closed in its turn. */
import type { Clock } from '../base/index.ts'
import {
  type Cluster,
  type ClusterSettings,
  isCatalogOfCluster,
  openCluster,
  openClusterBlobs,
  openClusterSamples,
  reserveHandles,
  stampsOf,
  startErrorOf,
} from '../store/cassandra/index.ts'
import { SharedClock, StoreUnusable } from '../store/index.ts'
import {
  type Database,
  identityOf,
  openPostgres,
  openPostgresPayloads,
  PostgresCatalog,
  PostgresSampleOrder,
} from '../store/postgres/index.ts'

/** Where the parts of a cluster are. */
export interface ClusterPlace {
  readonly postgresUrl: string
  readonly cassandra: ClusterSettings
}

/** How a cluster is waited for, and who hears of trouble. */
interface ClusterWatching {
  readonly onWaiting?: (what: string) => void
  readonly signal?: AbortSignal
  /** Called when PostgreSQL has lost commits that this process knows of: the process has to end. */
  readonly onHistoryLost?: (error: Error) => void
}

/** The connections of a process, and the catalog. */
export interface OpenedCluster {
  readonly database: Database
  readonly cluster: Cluster
  readonly catalog: PostgresCatalog
  /** Identifies these data. */
  readonly identity: string
}

/** Connects to PostgreSQL and Cassandra, waits for them where they are away, and opens the catalog. */
export async function openClusterAndCatalog(
  { postgresUrl, cassandra }: ClusterPlace,
  { onHistoryLost, ...watch }: ClusterWatching,
  opened: AsyncDisposableStack,
): Promise<OpenedCluster> {
  const database = await openPostgres(postgresUrl, watch)
  opened.defer(() => database.close())
  // The catalog has no streams to number before Cassandra is there.
  const connected = Promise.withResolvers<Cluster>()
  const catalog = new PostgresCatalog(database, {
    reserveHandles: async (count, floor) => reserveHandles(await connected.promise, count, floor),
    onHistoryLost,
  })
  opened.defer(() => catalog.close())
  const cluster = await openCluster(cassandra, catalog, watch)
  opened.defer(() => cluster.close())
  connected.resolve(cluster)
  const identity = await identityOf(database)
  await requirePair(cluster, identity)
  return { database, cluster, catalog, identity }
}

/** Samples are stored under numbers that the catalog has given: with another catalog they would be another stream's. */
async function requirePair(cluster: Cluster, identity: string): Promise<void> {
  const { settings } = cluster
  const isOwn = await isCatalogOfCluster(cluster, identity).catch((error) => {
    throw startErrorOf(error, settings)
  })
  if (isOwn) return
  throw new StoreUnusable(
    'settings',
    `Keyspace ${settings.keyspace} belongs to a different PostgreSQL database than WEIR_POSTGRES_URL. ` +
      'Set WEIR_CASSANDRA_KEYSPACE or WEIR_POSTGRES_URL',
  )
}

/** What the stores beside the catalog are opened with. */
interface ClusterStoresOptions {
  readonly clock?: Clock
  /** Called with samples that could not be compacted. */
  readonly onFailure?: (error: unknown) => void
}

/** Opens the stores of samples, bodies, and payloads. */
export async function openStoresOfCluster(
  { cluster, database }: Pick<OpenedCluster, 'cluster' | 'database'>,
  { clock, onFailure }: ClusterStoresOptions,
  opened: AsyncDisposableStack,
) {
  const sharedClock = new SharedClock(clock)
  const order = await PostgresSampleOrder.open({
    database,
    clock,
    stamps: stampsOf(cluster),
    onClock: (aheadMs) => sharedClock.note(aheadMs),
  })
  opened.defer(() => order.close())
  const samples = await openClusterSamples(cluster, order, { clock, onFailure })
  opened.defer(() => samples.close())
  const blobs = await openClusterBlobs(cluster, { clock: sharedClock })
  opened.defer(() => blobs.close())
  const payloads = await openPostgresPayloads(database)
  opened.defer(() => payloads.close())
  return { samples, blobs, payloads, sharedClock }
}
