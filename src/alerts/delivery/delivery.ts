/** What is sent to a channel, and the result of sending it. */
import type { NoticeContent } from '../notice.ts'

/** Many changes in one message. Sent when a channel has more changes than notices a minute. */
export interface NoticeSummary {
  /** The idempotency keys of the notices that it replaces. */
  readonly keys: readonly string[]
  readonly firing: number
  readonly resolved: number
  /** The first of the changes. */
  readonly changes: readonly NoticeContent[]
  readonly fromMs: number
  readonly untilMs: number
}

/** One message to a channel. */
export interface Delivery {
  /** Equal for every try. */
  readonly idempotencyKey: string
  readonly createdMs: number
  readonly content: NoticeContent | NoticeSummary
  /** Sent by a person to try the channel out. */
  readonly isTest?: boolean
}

/** Why a message was not delivered, or `ok`. */
export const SEND_REASONS = [
  'ok',
  'not_allowed',
  'unknown_host',
  'refused',
  'unreachable',
  'timeout',
  'tls',
  'lost',
  'redirect',
  'status',
  'mail',
  'secret',
] as const

export type SendReason = (typeof SEND_REASONS)[number]

/** The result of one try. */
export interface SendOutcome {
  readonly isOk: boolean
  readonly reason: SendReason
  /** For people. Holds no secret of the channel. */
  readonly message: string
  /** The HTTP status of the answer. */
  readonly status?: number
  /** The receiver asked to be left alone this long. */
  readonly retryAfterMs?: number
}

export function isSummary(content: Delivery['content']): content is NoticeSummary {
  return 'keys' in content
}
