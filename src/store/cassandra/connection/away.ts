import cassandra from 'cassandra-driver'
import { Refusal, refusal } from '../../../base/index.ts'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import type { ClusterSettings } from './cluster-settings.ts'

/** A node that was killed is known to be down after this, and one that starts is up again. */
const RETRY_AFTER_SECONDS = 5

const { responseErrorCodes: codes } = cassandra.types

/** What nodes answer when too few of them are there, or they cannot keep up. */
const AWAY_CODES: ReadonlySet<number> = new Set([
  codes.serverError,
  codes.unavailableException,
  codes.overloaded,
  codes.isBootstrapping,
  codes.writeTimeout,
  codes.readTimeout,
  codes.readFailure,
  codes.writeFailure,
  // That of a lightweight transaction of which nobody knows whether it was made.
  0x1700,
])

const LATE_CODES: ReadonlySet<number> = new Set([
  codes.overloaded,
  codes.writeTimeout,
  codes.readTimeout,
])

/** What the driver says of a node whose connections have just ended, before it knows that the node is down. */
const NO_CONNECTION = 'No connection available'
const AWAY_MESSAGES: ReadonlySet<string> = new Set([NO_CONNECTION, 'Connection closed'])

/**
 * Passwords and rights are looked up on a majority of nodes too: without one a node says that they are wrong or missing.
 * Only the message distinguishes that from a right that is missing.
 */
const RIGHTS_UNKNOWN = /Cannot achieve consistency level|Unable to perform auth/i

/**
 * Whether an error says that the chosen node did nothing: there was no connection to it, or other nodes cut it off from
 * the rights of this process. Another node may do it.
 */
export function isUndone(error: unknown): boolean {
  const isRefused =
    error instanceof cassandra.errors.ResponseError && error.code === codes.unauthorized
  if (isRefused) return RIGHTS_UNKNOWN.test(error.message)
  return error instanceof Error && error.message === NO_CONNECTION
}

/** Whether an error of the driver says that the cluster, or enough of it, is not there. */
export function isAway(error: unknown): boolean {
  const { errors } = cassandra
  if (error instanceof Error && AWAY_MESSAGES.has(error.message)) return true
  // Marked so by the driver: what the system said of a socket.
  if ((error as { isSocketError?: boolean } | undefined)?.isSocketError === true) return true
  if (error instanceof errors.NoHostAvailableError) return true
  if (error instanceof errors.OperationTimedOutError) return true
  if (error instanceof errors.BusyConnectionError) return true
  if (error instanceof errors.AuthenticationError) return RIGHTS_UNKNOWN.test(error.message)
  if (!(error instanceof errors.ResponseError)) return false
  if (error.code === codes.unauthorized) return RIGHTS_UNKNOWN.test(error.message)
  return AWAY_CODES.has(error.code)
}

/**
 * Whether an error says that enough nodes are there, and that some did not answer in time, such as one that collects its
 * garbage. Asked again, they may.
 */
export function isLate(error: unknown): boolean {
  return error instanceof cassandra.errors.ResponseError && LATE_CODES.has(error.code)
}

/** Whether an error says that a node refuses the name or password of this process. */
export function isSignInRefused(error: unknown): boolean {
  return error instanceof cassandra.errors.AuthenticationError && !isAway(error)
}

/** Whether an error says that the role of this process lacks a right. */
function isForbidden(error: unknown): error is Error {
  const { errors } = cassandra
  return (
    error instanceof errors.ResponseError && error.code === codes.unauthorized && !isAway(error)
  )
}

/**
 * Errors for callers while the cluster is away, or when this process lost a right that it had at its start. Any
 * other error is passed on.
 */
export function messageOf(error: unknown): unknown {
  if (!isAway(error) && !isForbidden(error)) return error
  return awayRefusal(error)
}

/** What ends a start: a missing right names the statement that grants it. Other errors stay as they are. */
export function startErrorOf(error: unknown, { keyspace, user }: ClusterSettings): unknown {
  const cause = error instanceof Refusal ? error.cause : error
  if (!isForbidden(cause)) return error
  const role = user ?? 'weir'
  const grant = /all keyspaces/.test(cause.message)
    ? `create the keyspace ${keyspace} as an administrator, or GRANT CREATE ON ALL KEYSPACES TO ${role}`
    : `GRANT CREATE, SELECT, MODIFY ON KEYSPACE ${keyspace} TO ${role}`
  const what = `Cassandra refuses Weir: ${cause.message}. To fix this, ${grant}`
  return new StoreUnusable('settings', what, { cause })
}

/** The refusal itself, with what the driver said as its cause. */
export function awayRefusal(cause: unknown): Refusal {
  const about = { retryAfterSeconds: RETRY_AFTER_SECONDS }
  const refused = refusal('store_away', about)
  refused.cause = cause
  return refused
}
