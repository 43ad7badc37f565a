import type { OutboundRules } from '../outbound/outbound-rules.ts'
import { DatabaseFailure, type DatabaseLimits, type DatabaseTarget } from './database-port.ts'
import { DatabaseSession } from './database-session.ts'
import { DatabaseThreadLink } from './thread/database-thread-link.ts'

/** What holds for every session. */
interface DatabaseDeps {
  readonly rules: OutboundRules
  readonly limits: DatabaseLimits
  /** Where add-on drivers are installed; undefined: the default. */
  readonly driversDir?: string | undefined
  /** Ends the session, whatever it is at. */
  readonly signal: AbortSignal
}

/** Signs in to a database, to read only; throws a DatabaseFailure. The caller closes the session. */
export async function openDatabase(
  target: DatabaseTarget,
  { rules, limits, signal, driversDir }: DatabaseDeps,
): Promise<DatabaseSession> {
  const thread = new DatabaseThreadLink({ target, limits, outbound: rules.lists, driversDir })
  const seconds = Math.ceil(limits.connectMs / 1_000)
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const onTimeout = () => {
    const what = `Signing in to ${target.host}:${target.port} took longer than ${seconds} s`
    reject(new DatabaseFailure('timeout', what))
  }
  const onAbort = () => reject(new DatabaseFailure('cancelled', 'The run was canceled'))
  const timer = setTimeout(onTimeout, limits.connectMs)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    const server = await Promise.race([thread.opened, ended])
    return new DatabaseSession(thread, server, { limits, signal })
  } catch (error) {
    thread.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    ended.catch(() => {})
    thread.opened.catch(() => {})
  }
}
