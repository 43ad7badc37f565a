import { type ErrorCode, Refusal } from '../../base/index.ts'

const FAILED =
  'The connector could not process this payload, and stored nothing. Its list of payloads shows why'
const LACKS_RIGHT =
  'The running user of the connector lacks a permission, or is no longer in the organization. The key of this call is accepted'

/** Messages that say nothing about the SQL, and that the sender needs. */
const KEPT: ReadonlySet<ErrorCode> = new Set(['quota_exceeded', 'too_many_samples'])

/**
 * The error of a run as the sender of a webhook gets it. Senders are other services and devices, so it shows neither
 * SQL nor names that stand in it. The record of the run keeps the details.
 */
export function senderRefusal(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.status >= 500) return error
  const { code, message, retryAfterSeconds } = error
  if (KEPT.has(code)) return new Refusal(code, message, { retryAfterSeconds })
  return new Refusal(code, code === 'forbidden' ? LACKS_RIGHT : FAILED, { retryAfterSeconds })
}
