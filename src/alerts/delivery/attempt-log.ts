/** What a channel was sent lately: one document per channel, which is written with every attempt. */
import type { CatalogDocument, JsonObject, PutDocument } from '../../store/index.ts'
import type { NoticeContent } from '../notice.ts'
import { isSummary, type SendOutcome, type SendReason } from './delivery.ts'
import type { PendingNotice } from './notice-document.ts'

export const ATTEMPT_LOG_KIND = 'channel_log'

/** As many as a channel may be sent in a minute, so that the log also bounds the rate over restarts. */
const ATTEMPTS_KEPT = 60
const MINUTE_MS = 60_000

/** One try, as people see it. */
export interface Attempt {
  readonly time: number
  readonly idempotencyKey: string
  /** The number of this try, from 1. */
  readonly tries: number
  readonly isOk: boolean
  readonly reason: SendReason | 'expired'
  readonly message: string
  readonly status: number | null
  readonly tookMs: number
  /** Blank for a summary. */
  readonly alertUid: string
  readonly alertName: string
  readonly state: NoticeContent['state'] | 'SUMMARY'
  /** Notices that the message stands for. */
  readonly noticeCount: number
  /** When it is tried again; null if it is not. */
  readonly nextTime: number | null
}

/** The log of a channel, and what it says about the next try. */
export interface AttemptLog {
  /** The newest first. */
  readonly attempts: readonly Attempt[]
  /** Failed tries in a row. */
  readonly failures: number
  readonly pausedUntilMs: number
  /** The channel's revision that the failures are about: after a change of the channel they count no more. */
  readonly channelRevision: number
}

const EMPTY_LOG: AttemptLog = {
  attempts: [],
  failures: 0,
  pausedUntilMs: 0,
  channelRevision: 0,
}

/** The log as the catalog has it. */
export function readLog(document: CatalogDocument | undefined): AttemptLog {
  return document === undefined ? EMPTY_LOG : (document.body as unknown as AttemptLog)
}

/** The write that stores the log of a channel. */
export function logWrite(
  place: { readonly orgUid: string; readonly channelUid: string },
  log: AttemptLog,
): PutDocument {
  const { orgUid, channelUid } = place
  return {
    op: 'put',
    kind: ATTEMPT_LOG_KIND,
    orgUid,
    uid: channelUid,
    parentUid: channelUid,
    body: log as unknown as JsonObject,
    mayUseReserve: true,
    expectedRevision: 'any',
  }
}

/** The log after one more attempt. */
export function withAttempt(log: AttemptLog, attempt: Attempt): AttemptLog {
  return { ...log, attempts: [attempt, ...log.attempts].slice(0, ATTEMPTS_KEPT) }
}

/** Messages that a channel may be sent at once, and when it may be sent the next. */
export function freeNow(
  { attempts }: AttemptLog,
  perMinute: number,
  nowMs: number,
): { readonly count: number; readonly nextMs: number } {
  // After the wall clock was set back, attempts lie in the future. They count no longer than a minute.
  const counted = attempts.filter(
    ({ time, reason }) => reason !== 'expired' && Math.abs(nowMs - time) < MINUTE_MS,
  )
  const count = Math.max(0, perMinute - counted.length)
  if (count > 0) return { count, nextMs: nowMs }
  return { count, nextMs: counted[perMinute - 1].time + MINUTE_MS }
}

/** What the log says of a try. */
export function attemptOf(
  notice: PendingNotice,
  outcome: Omit<SendOutcome, 'reason'> & Pick<Attempt, 'reason' | 'time' | 'tookMs' | 'nextTime'>,
): Attempt {
  const { content, idempotencyKey, tries } = notice
  const { isOk, message, nextTime, reason, status = null, time, tookMs } = outcome
  const common = { time, idempotencyKey, tries: tries + 1, isOk, reason, message, status }
  const about = isSummary(content)
    ? { alertUid: '', alertName: '', state: 'SUMMARY' as const, noticeCount: content.keys.length }
    : {
        alertUid: content.alertUid,
        alertName: content.alertName,
        state: content.state,
        noticeCount: 1,
      }
  return { ...common, tookMs, ...about, nextTime }
}
