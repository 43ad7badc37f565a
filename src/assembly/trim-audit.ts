/** A piece of the composition root: audit logs stay bounded. */
import type { Identity } from '../auth/index.ts'
import type { Log } from '../base/index.ts'

const TRIM_EVERY_MS = 3_600_000

/** Deletes the oldest entries of audit logs that have grown too long, in the background. */
export function trimAuditRegularly(
  { identity, log }: { readonly identity: Identity; readonly log: Log },
  opened: AsyncDisposableStack,
): void {
  let isRunning = false
  const trim = async () => {
    if (isRunning) return
    isRunning = true
    try {
      for (const { uid } of identity.organizations.list()) await identity.audit.trim(uid)
    } catch (error) {
      log.error({ error }, 'could not trim audit logs')
    } finally {
      isRunning = false
    }
  }
  const timer = setInterval(() => void trim(), TRIM_EVERY_MS).unref()
  opened.defer(() => clearInterval(timer))
}
