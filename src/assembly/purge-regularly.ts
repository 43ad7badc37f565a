/** A piece of the composition root: what is over goes from the catalog. */
import type { Clock, Log } from '../base/index.ts'
import type { CatalogStore } from '../store/index.ts'

const PURGE_EVERY_MS = 60_000
const PURGE_LIMIT = 1_000
const PURGE_ROUNDS_MAX = 20

/** Expired sessions, tokens and audit entries are of no use and go in the background. */
export function purgeRegularly(
  parts: { readonly store: CatalogStore; readonly clock: Clock; readonly log: Log },
  opened: AsyncDisposableStack,
): void {
  const { store, clock, log } = parts
  const purge = async () => {
    for (let round = 0; round < PURGE_ROUNDS_MAX; round += 1) {
      if ((await store.purgeExpired(clock.now(), PURGE_LIMIT)) < PURGE_LIMIT) return
    }
  }
  const failed = (error: unknown) => log.error({ error }, 'could not purge expired records')
  const purging = setInterval(() => purge().catch(failed), PURGE_EVERY_MS).unref()
  opened.defer(() => clearInterval(purging))
}
