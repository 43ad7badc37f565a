import { connectOutbound, type Resolve } from '../outbound/connect-outbound.ts'
import { OutboundFailure } from '../outbound/outbound-failure.ts'
import type { OutboundRules } from '../outbound/outbound-rules.ts'
import {
  DatabaseFailure,
  type DatabaseKind,
  type DatabaseLimits,
  type DatabaseTarget,
  type OpenAdapter,
  withoutPassword,
} from './database-port.ts'
import { DatabaseSession } from './database-session.ts'

/** What holds for every session. */
interface DatabaseDeps {
  readonly rules: OutboundRules
  readonly limits: DatabaseLimits
  /** Ends the session, whatever it is at. */
  readonly signal: AbortSignal
  /** How names become addresses; the system's way when absent. */
  readonly resolve?: Resolve
}

/** What a second connection may take, by which a server is told to stop. */
const AGAIN_MS = 3_000

/** Drivers are large: each is loaded with the first session of its kind, and the start knows none. */
const adapters: Readonly<Record<DatabaseKind, () => Promise<OpenAdapter>>> = {
  POSTGRESQL: async () => (await import('./postgresql/open-postgresql.ts')).openPostgresql,
  MYSQL: async () => (await import('./mysql/open-mysql.ts')).openMysql,
  SQLSERVER: async () => (await import('./sqlserver/open-sqlserver.ts')).openSqlserver,
  ORACLE: async () => (await import('./oracle/open-oracle.ts')).openOracle,
}

/** Signs in to a database, to read only; throws a DatabaseFailure. The caller closes the session. */
export async function openDatabase(
  target: DatabaseTarget,
  { rules, limits, signal, resolve }: DatabaseDeps,
): Promise<DatabaseSession> {
  const open = await adapters[target.kind]()
  const tooLong = AbortSignal.timeout(limits.connectMs)
  const connecting = AbortSignal.any([signal, tooLong])
  const { host, port } = target
  try {
    const adapter = await open(target, limits, {
      connect: () => connectOutbound(rules, { host, port, signal: connecting }, resolve),
      connectAgain: (socket) => {
        const again = { host, port, signal: AbortSignal.timeout(AGAIN_MS) }
        const address = socket.remoteAddress ?? ''
        return connectOutbound(rules, again, async () => [{ address }])
      },
      findRefusal: (name, address) => rules.findRefusal(name, address),
      signal: connecting,
    })
    return new DatabaseSession(adapter, limits, { signal, password: target.password })
  } catch (error) {
    if (signal.aborted) throw new DatabaseFailure('cancelled', 'The run was cancelled')
    if (tooLong.aborted) {
      const seconds = Math.ceil(limits.connectMs / 1_000)
      const what = `${host}:${port} did not let us sign in within ${seconds} s`
      throw new DatabaseFailure('timeout', what)
    }
    if (error instanceof OutboundFailure) throw new DatabaseFailure(error.reason, error.message)
    if (!(error instanceof DatabaseFailure)) throw error
    const { reason, message, place } = error
    throw new DatabaseFailure(reason, withoutPassword(message, target.password), place)
  }
}
