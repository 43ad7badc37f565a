import { type ErrorCode, Refusal } from '../../base/index.ts'

const FAILED =
  'The connector could not process this payload and stored nothing. The list of received payloads shows the reason'
const LACKS_RIGHT =
  'The runningUser of the connector lacks a permission or left the organization. The key of this request is valid'

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
