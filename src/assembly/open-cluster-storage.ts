/** A piece of the composition root: all data in a cluster of Cassandra, which several processes share. */
import { statfs } from 'node:fs/promises'
import { type Log, metricText, newUid, refuse, systemClock } from '../base/index.ts'
import { type Cluster, countCopies, isKeyOfCluster } from '../store/cassandra/index.ts'
import {
  type CatalogStore,
  OF_NO_STREAM,
  type SampleStore,
  type StorageSizes,
  StoreUnusable,
  TimeSlot,
  takeServingSlot,
} from '../store/index.ts'
import { clusterSettingsOf, NO_BACKUP } from './app-settings.ts'
import { openClusterAndCatalog, openStoresOfCluster } from './open-cluster-stores.ts'
import type { OpenedStorage, OpenedStores, StorageOpening } from './opened-storage.ts'

/** What a start waits for is told when it changes, and else so often. */
const TELL_EVERY_MS = 5_000
/** As many as leave a majority when one is away. */
const COPIES_MIN = 3

/** Connects to the cluster of the settings, waits for it where it is away, and opens its catalog. */
export async function openClusterStorage(
  opening: StorageOpening,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  const { config, clock, log, signal } = opening
  const settings = clusterSettingsOf(config)
  const watch = { clock, onWaiting: waitingTeller(log), signal }
  const { cluster, catalog } = await openClusterAndCatalog(settings, watch, opened)
  await holdSlot(catalog, log, opened)
  await tellFewCopies(cluster, settings.keyspace, log)
  const openStores = () => openClusterStores({ ...opening, catalog, cluster }, opened)
  const requireKey = async (key: Uint8Array, file: string): Promise<void> => {
    if (await isKeyOfCluster(cluster, key)) return
    throw new StoreUnusable(
      'settings',
      `The key in ${file} is not the one that secrets in the keyspace ${settings.keyspace} are encrypted under: ` +
        'put secret.key of a process that runs on it in its place, or name such a file in WEIR_KEY_FILE',
    )
  }
  return { catalog, isShared: true, openStores, requireKey }
}

async function openClusterStores(
  parts: StorageOpening & { readonly catalog: CatalogStore; readonly cluster: Cluster },
  opened: AsyncDisposableStack,
): Promise<OpenedStores> {
  const { catalog, cluster, config, clock, damage, log } = parts
  const onFailure = (error: unknown) =>
    log.error({ error }, 'stored samples could not be compacted')
  const onDamage = (what: string) => {
    log.error({ what }, 'payloads of connectors are damaged')
    damage.note({ part: 'payloads', what, ...OF_NO_STREAM })
  }
  const stores = await openStoresOfCluster(cluster, { clock, onFailure, onDamage }, opened)
  const timeSlot = await TimeSlot.open({ catalog, clock })
  opened.defer(() => timeSlot.close())
  return {
    ...{ ...stores, backups: noBackups, timeSlot },
    measure: () => measureLocal(config.dataDir),
    metrics: async () => clusterMetrics(stores.samples, config.dataDir),
  }
}

/** A keyspace that somebody made by hand is taken as it is: with few copies a node that is away stops the service. */
async function tellFewCopies(cluster: Cluster, keyspace: string, log: Log): Promise<void> {
  const cql = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const [row] = await cluster.run(cql, [keyspace])
  const copies = countCopies((row?.replication ?? {}) as Readonly<Record<string, string>>)
  if (copies >= COPIES_MIN) return
  const what = 'the keyspace has fewer than three copies: one node away stops reads and writes'
  log.warn({ keyspace, copies }, what)
}

/** Tells others that this process works on the cluster, so that nobody moves its data meanwhile. */
async function holdSlot(
  catalog: CatalogStore,
  log: Log,
  opened: AsyncDisposableStack,
): Promise<void> {
  const slot = await takeServingSlot({
    ...{ catalog, holder: newUid() },
    onLost: () => {
      log.fatal('the data are being moved since this process stood still: it ends')
      // What it would store may be lost with the move: a start finds out.
      setImmediate(() => {
        throw new Error('The data of the cluster are being moved')
      })
    },
  })
  opened.defer(() => slot.close())
}

/** A copy of one moment is made by the cluster itself, of all its nodes. */
const noBackups: OpenedStores['backups'] = {
  answer: () => refuse('conflict', { what: NO_BACKUP }),
  mayEndDeletion: async () => {},
}

/** The cluster tells its sizes itself; of this machine only the folder's disk matters. */
async function measureLocal(folder: string): Promise<StorageSizes> {
  const { bavail, bsize } = await statfs(folder)
  return {
    ...{ catalog: null, samples: null, journal: null, journalSegments: null },
    ...{ payloads: null, quarantine: null, free: bavail * bsize },
  }
}

async function clusterMetrics(samples: SampleStore, folder: string): Promise<string> {
  const { readOnlyReason } = samples.status()
  const { free } = await measureLocal(folder)
  const isReadOnly = readOnlyReason === undefined ? 0 : 1
  return [
    metricText('weir_read_only', 'gauge', '1: nothing can be stored.', isReadOnly),
    metricText('weir_disk_free_bytes', 'gauge', "What the data folder's disk has left.", free),
  ].join('')
}

/** Tells in the log what a start waits for. */
function waitingTeller(log: Log): (what: string) => void {
  let [told, toldAtMs] = ['', Number.NEGATIVE_INFINITY]
  return (what) => {
    const nowMs = systemClock.elapsed()
    if (what === told && nowMs - toldAtMs < TELL_EVERY_MS) return
    told = what
    toldAtMs = nowMs
    log.warn(`the start ${what}`)
  }
}
