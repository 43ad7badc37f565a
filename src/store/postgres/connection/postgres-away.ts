/** Which errors say that the database cannot serve a call now, and the errors for callers. */
import { Refusal, refusal } from '../../../base/index.ts'
import { StoreUnusable } from '../../ports/store-unusable.ts'

/** Most tools promote a standby within this time of the loss of the primary. */
const RETRY_AFTER_SECONDS = 5

/** Of connections, resources, and shutdowns; conflicts between transactions are not among them. */
const AWAY_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58'])
const AWAY_CODES: ReadonlySet<string> = new Set([
  // A primary that has become a standby.
  '25006',
  // The server ended a transaction that stood still for too long.
  '25P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
])

/** Errors of the driver have no code of their own. */
const AWAY_MESSAGES =
  /Connection terminated|connection error|timeout expired|timeout exceeded|Query read timeout|Client was closed|pool after calling end|server does not support SSL|Connection ended/i

/** A right is missing on a table or on the schema, or there is no schema. */
const FORBIDDEN_CODES: ReadonlySet<string> = new Set(['42501', '3F000'])

const RETRIED_CODES: ReadonlySet<string> = new Set(['40001', '40P01'])

/** The SQLSTATE of an error, or the code of the system's. */
export function sqlStateOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Whether an error says that no writable server answers, or that it cannot do more now. */
export function isPostgresAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPostgresAway)
  const code = sqlStateOf(error)
  if (AWAY_CODES.has(code) || AWAY_CLASSES.has(code.slice(0, 2))) return true
  return code === '' && error instanceof Error && AWAY_MESSAGES.test(error.message)
}

/** Whether a transaction was rolled back only because of another that ran at the same time. */
export function isRetried(error: unknown): boolean {
  return RETRIED_CODES.has(sqlStateOf(error))
}

/** Whether a row with the same unique key is there. */
export function isDuplicate(error: unknown): boolean {
  return sqlStateOf(error) === '23505'
}

/** Whether an error says that the role of this process lacks a right. */
function isForbidden(error: unknown): boolean {
  return FORBIDDEN_CODES.has(sqlStateOf(error))
}

/**
 * The error for callers: the refusal `store_away` while the database is away, or refuses a right that this process had
 * when it started. Otherwise the error itself.
 */
export function messageOfPostgres(error: unknown): unknown {
  return isPostgresAway(error) || isForbidden(error) ? postgresAway(error) : error
}

/** What ends a start: a missing right names the statement that grants it. Other errors stay as they are. */
export function startErrorOfPostgres(error: unknown): unknown {
  const cause = error instanceof Refusal ? error.cause : error
  if (!(cause instanceof Error && isForbidden(cause))) return error
  const what = `PostgreSQL refuses Weir: ${cause.message}. To fix this, make the role of WEIR_POSTGRES_URL the owner of the first schema of its search path: CREATE SCHEMA weir AUTHORIZATION weir; ALTER ROLE weir SET search_path = weir`
  return new StoreUnusable('settings', what, { cause })
}

/** The refusal, with the driver's error as its cause. */
export function postgresAway(cause: unknown): Refusal {
  const refused = refusal('store_away', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  refused.cause = cause
  return refused
}
