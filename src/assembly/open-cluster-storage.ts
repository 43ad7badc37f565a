/** A piece of the composition root: all data in PostgreSQL and Cassandra, which several processes share. */
import { statfs } from 'node:fs/promises'
import { type Log, metricText, newUid, refuse, systemClock } from '../base/index.ts'
import { type Cluster, countCopies, isKeyOfCluster } from '../store/cassandra/index.ts'
import {
  type CatalogStore,
  type SampleStore,
  type StorageSizes,
  StoreUnusable,
  TimeSlot,
  takeServingSlot,
} from '../store/index.ts'
import { type Database, hasSynchronousStandby, PostgresBroadcast } from '../store/postgres/index.ts'
import { clusterPlaceOf, NO_BACKUP } from './app-settings.ts'
import {
  type OpenedCluster,
  openClusterAndCatalog,
  openStoresOfCluster,
} from './open-cluster-stores.ts'
import type { OpenedStorage, OpenedStores, StorageOpening } from './opened-storage.ts'
import { watchCassandra } from './watch-cassandra.ts'

/** The reason for waiting is logged when it changes, and otherwise at this interval. */
const REPORT_EVERY_MS = 5_000
/** As many as leave a majority when one is away. */
const COPIES_MIN = 3
/** How soon an operator's change of PostgreSQL shows. */
const STANDBY_LOOK_MS = 5_000
const NO_STANDBY =
  'catalog: PostgreSQL has no synchronous standby (synchronous_standby_names is empty). Losing the server can lose acknowledged commits'

/** Connects to the cluster of the settings, waits for it where it is away, and opens its catalog. */
export async function openClusterStorage(
  opening: StorageOpening,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  const { config, log, signal } = opening
  const place = clusterPlaceOf(config)
  const { keyspace } = place.cassandra
  const onHistoryLost = (error: Error) => {
    log.fatal({ error }, 'PostgreSQL has lost commits, so the cache of this process is wrong')
    endProcess(error)
  }
  const watch = { onWaiting: waitingLogger(log), signal, onHistoryLost }
  const connected = await openClusterAndCatalog(place, watch, opened)
  const { cluster, catalog } = connected
  await holdSlot(catalog, log, opened)
  await warnOfFewCopies(cluster, keyspace, log)
  const openStores = () => openClusterStores({ ...opening, ...connected }, opened)
  const requireKey = async (key: Uint8Array, file: string): Promise<void> => {
    if (await isKeyOfCluster(cluster, key)) return
    throw new StoreUnusable(
      'settings',
      `The key in ${file} differs from the key that encrypts secrets in keyspace ${keyspace}. ` +
        'Replace it with secret.key of another process of the cluster, or set WEIR_KEY_FILE',
    )
  }
  const onCommits = (listener: () => void) => catalog.onCommits(listener)
  const broadcast = new PostgresBroadcast(connected.database)
  opened.defer(() => broadcast.close())
  return { catalog, isShared: true, onCommits, broadcast, openStores, requireKey }
}

async function openClusterStores(
  parts: StorageOpening & OpenedCluster,
  opened: AsyncDisposableStack,
): Promise<OpenedStores> {
  const { catalog, config, clock, log } = parts
  const onFailure = (error: unknown) => log.error({ error }, 'could not compact stored samples')
  const { sharedClock, ...stores } = await openStoresOfCluster(parts, { clock, onFailure }, opened)
  const timeSlot = await TimeSlot.open({ catalog, clock, shared: sharedClock })
  opened.defer(() => timeSlot.close())
  const watch = watchCassandra(parts.cluster, log)
  opened.defer(async () => watch.close())
  const standby = await watchStandby(parts.database, log, opened)
  return {
    ...stores,
    backups: noBackups,
    timeSlot,
    sharedClock,
    findClockProblem: () => sharedClock.problem,
    findStoreProblem: () => watch.problem,
    findDetails: () => (standby.isMissing ? [NO_STANDBY] : []),
    measure: () => measureLocal(config.dataDir),
    metrics: async () => clusterMetrics(stores.samples, config.dataDir),
  }
}

/** A keyspace that somebody made by hand is taken as it is: with few copies a node that is away stops the service. */
async function warnOfFewCopies(cluster: Cluster, keyspace: string, log: Log): Promise<void> {
  const cql = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const [row] = await cluster.run(cql, [keyspace])
  const copies = countCopies((row?.replication ?? {}) as Readonly<Record<string, string>>)
  if (copies >= COPIES_MIN) return
  const what = 'the keyspace has fewer than three replicas, so one node down stops reads and writes'
  log.warn({ keyspace, copies }, what)
}

/** Looks from time to time whether commits survive the loss of the primary; the log says so when that changes. */
async function watchStandby(
  database: Database,
  log: Log,
  opened: AsyncDisposableStack,
): Promise<{ readonly isMissing: boolean }> {
  const state = { isMissing: false }
  const look = async () => {
    const isMissing = !(await hasSynchronousStandby(database))
    if (isMissing && !state.isMissing) log.warn(NO_STANDBY)
    state.isMissing = isMissing
  }
  await look()
  // While PostgreSQL is away nobody knows.
  const timer = setInterval(() => void look().catch(() => {}), STANDBY_LOOK_MS).unref()
  opened.defer(async () => clearInterval(timer))
  return state
}

/** Announces that this process uses the cluster, so that nobody moves its data meanwhile. */
async function holdSlot(
  catalog: CatalogStore,
  log: Log,
  opened: AsyncDisposableStack,
): Promise<void> {
  const slot = await takeServingSlot({
    catalog,
    holder: newUid(),
    onLost: () => {
      log.fatal('a move of the data started while this process was paused, exiting')
      // What it would store may be lost with the move: a start finds out.
      endProcess(new Error('The data of the cluster is being moved'))
    },
  })
  opened.defer(() => slot.close())
}

/** As any mistake that leaves memory wrong: the process ends, and a start reads all of it again. */
function endProcess(error: Error): void {
  setImmediate(() => {
    throw error
  })
}

/** Backups are made of the databases themselves. */
const noBackups: OpenedStores['backups'] = {
  answer: () => refuse('conflict', { what: NO_BACKUP }),
  mayEndDeletion: async () => {},
}

/** The cluster reports its own sizes; of this machine only the folder's disk matters. */
async function measureLocal(folder: string): Promise<StorageSizes> {
  const { bavail, bsize } = await statfs(folder)
  return {
    catalog: null,
    samples: null,
    journal: null,
    journalSegments: null,
    payloads: null,
    quarantine: null,
    free: bavail * bsize,
  }
}

async function clusterMetrics(samples: SampleStore, folder: string): Promise<string> {
  const { readOnlyReason } = samples.status()
  const { free } = await measureLocal(folder)
  const isReadOnly = readOnlyReason === undefined ? 0 : 1
  return [
    metricText('weir_read_only', 'gauge', '1: the service is read-only.', isReadOnly),
    metricText('weir_disk_free_bytes', 'gauge', 'Free space on the disk of the data folder.', free),
  ].join('')
}

/** Logs what a start waits for. */
function waitingLogger(log: Log): (what: string) => void {
  let [logged, loggedAtMs] = ['', Number.NEGATIVE_INFINITY]
  return (what) => {
    const nowMs = systemClock.elapsed()
    if (what === logged && nowMs - loggedAtMs < REPORT_EVERY_MS) return
    logged = what
    loggedAtMs = nowMs
    log.warn(`startup ${what}`)
  }
}
