import cassandra from 'cassandra-driver'
import { type Refusal, refusal } from '../../../base/index.ts'

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

/** What the driver says of a node whose connections have just ended, before it knows that the node is down. */
const NO_CONNECTION = 'No connection available'
const AWAY_MESSAGES: ReadonlySet<string> = new Set([NO_CONNECTION, 'Connection closed'])

/**
 * Rights are looked up on a majority of nodes too: without one a node says that they are missing. Only the message tells
 * that from a right that really is.
 */
const RIGHTS_UNKNOWN = /Cannot achieve consistency level|Unable to perform author/i

/** Whether an error says that nothing was sent, for want of a connection to the node that was chosen: another may have one. */
export function isUnsent(error: unknown): boolean {
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
  if (!(error instanceof errors.ResponseError)) return false
  if (error.code === codes.unauthorized) return RIGHTS_UNKNOWN.test(error.message)
  return AWAY_CODES.has(error.code)
}

/** What callers are told while the cluster is away; whatever else went wrong is told as it is. */
export function toldOf(error: unknown): unknown {
  if (!isAway(error)) return error
  return awayRefusal(error)
}

/** The refusal itself, with what the driver said as its cause. */
export function awayRefusal(cause: unknown): Refusal {
  const about = { retryAfterSeconds: RETRY_AFTER_SECONDS }
  const refused = refusal('store_away', about)
  refused.cause = cause
  return refused
}
