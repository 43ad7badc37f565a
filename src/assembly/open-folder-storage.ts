/** A piece of the composition root: all data in the data folder. */
import { join } from 'node:path'
import {
  BackupHolds,
  checkFolder,
  DiskReserve,
  markFolder,
  measureFolder,
  migrateFolder,
  openBlobStore,
  openCatalogStore,
  openPayloadStore,
  openSampleStore,
} from '../store/embedded/index.ts'
import { OF_NO_STREAM } from '../store/index.ts'
import { memoryBytesOf, storeLimitsFor } from './app-settings.ts'
import { folderMetrics } from './folder-metrics.ts'
import type { OpenedStorage, OpenedStores, StorageOpening } from './opened-storage.ts'

/** Opens the catalog of a data folder that this process has locked. */
export async function openFolderStorage(
  opening: StorageOpening,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  const { config, clock, damage, log } = opening
  const folder = config.dataDir
  const reserve = new DiskReserve(folder, 'start')
  reserve.releaseWhenFull()
  checkFolder(folder)
  for (const upgrade of migrateFolder(folder)) log.info(upgrade, 'upgraded the data folder')
  reserve.take()
  // Where there was no room at the start there may be some at the end.
  opened.defer(() => void reserve.take())
  const catalog = await openCatalogStore({
    folder,
    clock,
    hasReserve: true,
    onDamage: (what) => {
      log.error({ what }, 'the catalog is damaged')
      damage.note({ part: 'catalog', what: `catalog.db: ${what}`, ...OF_NO_STREAM })
    },
  })
  opened.defer(() => catalog.close())
  const openStores = () => openFolderStores(opening, opened)
  // The key lies beside what it is for.
  return { catalog, isShared: false, openStores, requireKey: async () => {} }
}

async function openFolderStores(
  parts: StorageOpening,
  opened: AsyncDisposableStack,
): Promise<OpenedStores> {
  const { config, damage, log } = parts
  const folder = config.dataDir
  const samples = await openSampleStore({
    folder,
    ...storeLimitsFor(memoryBytesOf(config)),
    // Derivation says what it watches as soon as the catalog is there.
    isSealedWhenWatched: true,
    onStuck: (reason) => log.error({ reason }, 'samples cannot be sealed and stay in the journal'),
    onDamage: (found) => {
      log.error({ damage: found }, 'stored samples are damaged or missing')
      damage.countSetAside(found)
    },
  })
  opened.defer(() => samples.close())
  const bodies = await openBlobStore({ folder: join(folder, 'files') })
  opened.defer(() => bodies.close())
  const payloads = await openPayloadStore({
    folder,
    onDamage: (what) => {
      log.error({ what }, 'payloads of connectors are damaged')
      damage.note({ part: 'payloads', what: `payloads.db: ${what}`, ...OF_NO_STREAM })
    },
  })
  opened.defer(() => payloads.close())
  markFolder(folder)
  const damages = samples.status().damages.length
  if (damages > 0) log.warn({ damages }, 'the folder quarantine lists lost samples')
  const backups = new BackupHolds({
    blobs: bodies,
    cut: () => samples.journalCut,
    onFailure: (error) => log.error({ error }, 'could not delete files after a backup'),
  })
  opened.defer(() => backups.close())
  const measure = () => measureFolder(folder)
  return {
    timeSlot: undefined,
    backups,
    blobs: backups.keepBodies(),
    measure,
    payloads,
    samples,
    metrics: async () => folderMetrics({ backups, samples, sizes: await measure() }),
  }
}
