/** Which notice of a channel is tried next, and which are summed up. */
import { newUid } from '../../base/index.ts'
import { isSummary } from './delivery.ts'
import type { PendingNotice } from './notice-document.ts'

/** Changes that a summary describes. Of the others it has only the keys. */
const DESCRIBED_MAX = 50

/**
 * The next notice that may be tried: due, and the first of its order key. Of several, one with few tries comes first,
 * so that a message that a receiver never takes does not hold up the others.
 */
export function pickNotice(
  notices: readonly PendingNotice[],
  nowMs: number,
): PendingNotice | undefined {
  const due = headsOf(notices).filter(({ dueMs }) => dueMs <= nowMs)
  const [first] = due
  return due.reduce((best, one) => (one.tries < best.tries ? one : best), first)
}

/** When the next notice is due; infinite if there is none. */
export function nextDueMs(notices: readonly PendingNotice[]): number {
  return headsOf(notices).reduce(
    (least, { dueMs }) => Math.min(least, dueMs),
    Number.POSITIVE_INFINITY,
  )
}

/** The first notice of every order key. A summary goes first alone: all others are later than what it replaces. */
function headsOf(notices: readonly PendingNotice[]): PendingNotice[] {
  const summary = notices.find(({ content }) => isSummary(content))
  if (summary !== undefined) return [summary]
  const heads = new Map<string, PendingNotice>()
  for (const notice of notices) {
    const head = heads.get(notice.orderKey)
    if (head === undefined || notice.sequence < head.sequence) heads.set(notice.orderKey, notice)
  }
  return [...heads.values()]
}

/** One notice in the place of several, which names their keys. */
export function sumUp(notices: readonly PendingNotice[]): PendingNotice {
  const [{ orgUid, channelUid }] = notices
  const changes = notices.flatMap(({ content }) => (isSummary(content) ? [] : [content]))
  const firing = changes.filter(({ state }) => state === 'FIRING').length
  const times = notices.map(({ createdMs }) => createdMs)
  const uid = newUid()
  const untilMs = Math.max(...times)
  return {
    uid,
    orgUid,
    channelUid,
    idempotencyKey: uid,
    orderKey: uid,
    sequence: 0,
    createdMs: untilMs,
    content: {
      keys: notices.map(({ idempotencyKey }) => idempotencyKey),
      firing,
      resolved: changes.length - firing,
      changes: changes.slice(0, DESCRIBED_MAX),
      fromMs: Math.min(...times),
      untilMs,
    },
    tries: 0,
    triedMs: 0,
    dueMs: 0,
  }
}
