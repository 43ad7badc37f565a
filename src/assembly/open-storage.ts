/** A piece of the composition root: which storage the service has. */
import type { Log } from '../base/index.ts'
import { refuseUnfinishedMove } from '../move/index.ts'
import { lockFolder, tightenFolder } from '../store/embedded/index.ts'
import { openFolderStorage } from './open-folder-storage.ts'
import type { OpenedStorage, StorageOpening } from './opened-storage.ts'

/** Opens the storage that the settings name, over a data folder that only this process has. */
export async function openStorage(
  opening: StorageOpening,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  const { config, log } = opening
  const lock = lockFolder(config.dataDir)
  opened.defer(() => lock.release())
  closeToOthers(config.dataDir, log)
  const storage = await open(opening, opened)
  await refuseUnfinishedMove(storage.catalog)
  return storage
}

async function open(opening: StorageOpening, opened: AsyncDisposableStack): Promise<OpenedStorage> {
  if (opening.config.store === 'embedded') return await openFolderStorage(opening, opened)
  // The driver is loaded only where there is a cluster.
  const { openClusterStorage } = await import('./open-cluster-storage.ts')
  return await openClusterStorage(opening, opened)
}

function closeToOthers(folder: string, log: Log): void {
  for (const { path, mode, isTightened } of tightenFolder(folder)) {
    if (isTightened) log.warn({ path, mode }, 'was accessible to other users, access removed')
    else
      log.warn(
        { path, mode },
        'is accessible to other users. Change its owner to the service and run chmod go=',
      )
  }
}
