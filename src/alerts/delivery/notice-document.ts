/** Notices as documents of the catalog: one each, below its channel, until it is delivered or too old. */
import type { CatalogDocument, JsonObject, PutDocument } from '../../store/index.ts'
import type { Notice, NoticeContent } from '../notice.ts'
import type { NoticeSummary } from './delivery.ts'

export const NOTICE_KIND = 'notice'

/** A notice is tried for a day. */
export const NOTICE_TRIED_MS = 86_400_000
/** Removes notices that no process has delivered, nor given up. */
const NOTICE_KEPT_MS = 2 * NOTICE_TRIED_MS
/** Digits of a sequence number in list keys, so that texts sort as numbers do. */
const SEQUENCE_DIGITS = 16

/** A notice or summary that waits, with what its tries have come to. */
export interface PendingNotice {
  readonly uid: string
  readonly orgUid: string
  readonly channelUid: string
  readonly idempotencyKey: string
  readonly orderKey: string
  readonly sequence: number
  readonly createdMs: number
  readonly content: NoticeContent | NoticeSummary
  readonly tries: number
  /** When it was tried last; 0 before the first try. */
  readonly triedMs: number
  /** Not tried before this time. */
  readonly dueMs: number
}

/** The write that queues a notice. It belongs into the commit that makes the state change. */
export function noticeWrite(notice: Notice): PutDocument {
  return pendingWrite({ ...notice, tries: 0, triedMs: 0, dueMs: 0 })
}

/** The write that stores a waiting notice, new or tried. */
export function pendingWrite(notice: PendingNotice): PutDocument {
  const { uid, orgUid, channelUid, createdMs, ...rest } = notice
  return {
    op: 'put',
    kind: NOTICE_KIND,
    orgUid,
    uid,
    parentUid: channelUid,
    listKey: String(rest.sequence).padStart(SEQUENCE_DIGITS, '0'),
    expiresAtMs: createdMs + NOTICE_KEPT_MS,
    body: { createdMs, ...rest } as unknown as JsonObject,
    // Of what a full disk keeps back, this is little, and the message may be about that very disk.
    mayUseReserve: true,
    expectedRevision: 'any',
  }
}

/** A notice as the catalog has it. */
export function readPending({ uid, orgUid, parentUid, body }: CatalogDocument): PendingNotice {
  const fields = body as unknown as Omit<PendingNotice, 'uid' | 'orgUid' | 'channelUid'>
  const { tries = 0, triedMs = 0, dueMs = 0 } = fields as Partial<PendingNotice>
  return { ...fields, tries, triedMs, dueMs, uid, orgUid, channelUid: parentUid }
}
