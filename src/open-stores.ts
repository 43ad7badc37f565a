/** A piece of the composition root: the stores of samples, of the bodies of files, and of payloads. */
import { join } from 'node:path'
import { memoryBytesOf, storeLimitsFor } from './app-settings.ts'
import type { Config, Log } from './base/index.ts'
import {
  BackupHolds,
  markFolder,
  openBlobStore,
  openPayloadStore,
  openSampleStore,
} from './store/embedded/index.ts'
import { type KnownDamage, OF_NO_STREAM } from './store/index.ts'

/** Opens them over the data folder, with what a backup asks of them. */
export async function openStores(
  parts: {
    readonly config: Config
    readonly damage: KnownDamage
    readonly handleMax: number
    readonly log: Log
  },
  opened: AsyncDisposableStack,
) {
  const { config, damage, handleMax, log } = parts
  const embeddedSamples = await openSampleStore({
    ...{ folder: config.dataDir, handleMax },
    ...storeLimitsFor(memoryBytesOf(config)),
    // Derivation says what it watches as soon as the catalog is there.
    isSealedWhenWatched: true,
    onDamage: (found) => {
      log.error({ damage: found }, 'stored samples are damaged or missing')
      damage.countSetAside(found)
    },
  })
  opened.defer(() => embeddedSamples.close())
  const bodies = await openBlobStore({ folder: join(config.dataDir, 'files') })
  opened.defer(() => bodies.close())
  const payloads = await openPayloadStore({
    folder: config.dataDir,
    onDamage: (what) => {
      log.error({ what }, 'payloads of connectors are damaged')
      damage.note({ part: 'payloads', what: `payloads.db: ${what}`, ...OF_NO_STREAM })
    },
  })
  opened.defer(() => payloads.close())
  markFolder(config.dataDir)
  const damages = embeddedSamples.status().damages.length
  if (damages > 0) log.warn({ damages }, 'the folder quarantine tells of samples that were lost')
  const backups = new BackupHolds({
    ...{ blobs: bodies, cut: () => embeddedSamples.journalCut },
    onFailure: (error) => log.error({ error }, 'files could not be deleted after a backup'),
  })
  opened.defer(() => backups.close())
  return { backups, blobs: backups.keepBodies(), embeddedSamples, payloads }
}
