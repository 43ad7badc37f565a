/**
 * A session with a database in a thread of its own. Database servers are untrusted: they can send messages that make a
 * driver throw, loop, or fill its memory. Here that ends this thread only. The thread ends with the session.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { DATABASE_ANSWER_BYTES_MAX, DATABASE_SIGN_IN_BYTES_MAX } from '../../../base/plain.ts'
import { loadDriver } from '../../driver/load-driver.ts'
import { connectOutbound } from '../../outbound/connect-outbound.ts'
import { OutboundFailure } from '../../outbound/outbound-failure.ts'
import { OutboundRules } from '../../outbound/outbound-rules.ts'
import {
  type DatabaseAdapter,
  DatabaseFailure,
  type DatabaseKind,
  type OpenAdapter,
} from '../database-port.ts'
import { failureMessage } from './failure-message.ts'
import { packRows } from './packed-rows.ts'
import { ReceivedBytes } from './received-bytes.ts'
import type { FailureData, ThreadAnswer, ThreadCall, ThreadData } from './thread-messages.ts'

const { target, limits, outbound, driversDir } = workerData as ThreadData
const { host, port } = target

/** The time to open a second connection, which cancels a statement. */
const CANCEL_CONNECT_MS = 3_000
/** Longer messages of a server are cut. */
const MESSAGE_LENGTH_MAX = 4_000

/** Drivers are large: a thread loads only its own. */
const adapters: Readonly<Record<DatabaseKind, () => Promise<OpenAdapter>>> = {
  POSTGRESQL: async () => (await import('../postgresql/open-postgresql.ts')).openPostgresql,
  MYSQL: async () => (await import('../mysql/open-mysql.ts')).openMysql,
  SQLSERVER: async () => (await import('../sqlserver/open-sqlserver.ts')).openSqlserver,
  ORACLE: async () => (await import('../oracle/open-oracle.ts')).openOracle,
}

const received = new ReceivedBytes(DATABASE_SIGN_IN_BYTES_MAX, (bytesMax) => {
  const what =
    adapter === undefined
      ? `The server sent more than ${bytesMax} bytes before sign-in was complete`
      : `The server sent a row or message of more than ${bytesMax} bytes. Select fewer or shorter columns`
  send({ id: 'all', failure: failureData(new DatabaseFailure('too_large', what)) })
})
received.install()

let adapter: DatabaseAdapter | undefined
const opening = answer(0, async () => {
  const open = await adapters[target.kind]()
  const rules = new OutboundRules(outbound)
  const signal = AbortSignal.timeout(limits.connectMs)
  adapter = await open(target, limits, {
    connect: () => connectOutbound(rules, { host, port, signal }),
    connectAgain: (socket) => {
      const again = { host, port, signal: AbortSignal.timeout(CANCEL_CONNECT_MS) }
      const address = socket.remoteAddress ?? ''
      return connectOutbound(rules, again, async () => [{ address }])
    },
    loadDriver: (name) => loadDriver(name, driversDir),
    findRefusal: (name, address) => rules.findRefusal(name, address),
  })
  return adapter.server
})

parentPort?.on('message', async ({ id, call }: { id: number; call: ThreadCall }) => {
  await opening
  await answer(id, async () => await run(requireAdapter(), call))
})

function requireAdapter(): DatabaseAdapter {
  if (adapter === undefined) throw new DatabaseFailure('lost', 'No session is open')
  return adapter
}

async function run(session: DatabaseAdapter, call: ThreadCall): Promise<unknown> {
  if (call.call === 'cancel') return await session.cancel()
  if (call.call === 'close') return await session.close()
  if (call.call === 'start') {
    received.expect(DATABASE_ANSWER_BYTES_MAX)
    return await session.start(call.sql)
  }
  const rows = await session.next(call.rowsMax)
  // From here on the next batch arrives.
  received.expect(DATABASE_ANSWER_BYTES_MAX)
  return packRows(rows)
}

async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    send({ id, result: await work() })
  } catch (error) {
    send({ id, failure: failureData(error) })
  }
}

function failureData(error: unknown): FailureData {
  const isFromServer = !(error instanceof DatabaseFailure) && adapter !== undefined
  const failure = translated(error)
  const { reason, place } = failure
  const shown = failureMessage(failure, target, { isSignedIn: adapter !== undefined })
  return { reason, message: shown.slice(0, MESSAGE_LENGTH_MAX), place, isFromServer }
}

function translated(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  if (error instanceof OutboundFailure) return new DatabaseFailure(error.reason, error.message)
  return adapter?.translate(error) ?? new DatabaseFailure('lost', String(error))
}

function send(message: ThreadAnswer): void {
  parentPort?.postMessage(message)
}
