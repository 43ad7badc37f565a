/** Delivers the notices of one channel, one after the other. */
import type { Clock } from '../../base/index.ts'
import type { CatalogStore, CatalogWrite, Lease } from '../../store/index.ts'
import { CHANNEL_KIND, type ChannelBody } from '../channel/channel-shape.ts'
import {
  ATTEMPT_LOG_KIND,
  type AttemptLog,
  attemptOf,
  freeNow,
  logWrite,
  readLog,
  withAttempt,
} from './attempt-log.ts'
import { isSummary, type SendOutcome } from './delivery.ts'
import {
  NOTICE_KIND,
  NOTICE_TRIED_MS,
  type PendingNotice,
  pendingWrite,
  readPending,
} from './notice-document.ts'
import { nextDueMs, pickNotice, sumUp } from './pick-notice.ts'
import { pauseAfter } from './retry-pauses.ts'
import type { Sender } from './sender.ts'

/** Notices in memory at a time, and in one summary: half a megabyte. */
const PAGE = 1_000
/** Then other channels get a turn. */
const TRIES_PER_RUN = 20

/** Which channel, and whose. */
export interface ChannelPlace {
  readonly orgUid: string
  readonly channelUid: string
}

/** Counts for the metrics. */
export interface DeliveryFigures {
  delivered: number
  failed: number
  expired: number
  summedUp: number
}

/** What a run works with. */
export interface ChannelRunDeps {
  readonly store: Pick<CatalogStore, 'commit' | 'get' | 'list'>
  readonly sender: Sender
  readonly clock: Clock
  readonly figures: DeliveryFigures
  /** The lease of this process; undefined when it is lost, and nothing may be written. */
  readonly findLease: () => Lease | undefined
  /** Whether another message may be sent to the channel as it was when the run began. */
  readonly mayStart: () => boolean
  /** Ends requests under way. */
  readonly signal: AbortSignal
}

/** A channel as a run knows it. */
interface Served extends ChannelPlace {
  readonly channel: ChannelBody & { readonly revision: number }
  log: AttemptLog
  notices: PendingNotice[]
}

/**
 * Sends what is due. Returns when to run again; undefined if nothing waits. A crash anywhere repeats at most the try
 * that was under way, with the same key.
 */
export async function runChannel(
  deps: ChannelRunDeps,
  place: ChannelPlace,
): Promise<number | undefined> {
  const { store, clock } = deps
  const { orgUid, channelUid } = place
  // Not from a cache: a commit wakes a run before caches have followed it.
  const record = await store.get({ orgUid, kind: CHANNEL_KIND, uid: channelUid })
  if (record === undefined) return await forgetChannel(deps, place)
  const channel = { ...(record.body as unknown as ChannelBody), revision: record.revision }
  const kept = await store.get({ orgUid, kind: ATTEMPT_LOG_KIND, uid: channelUid })
  const log = withoutOldPause(readLog(kept), clock.now())
  const notices = await readPage(deps, place)
  const served = { ...place, channel, log, notices }
  if (log.channelRevision !== channel.revision) beginAnew(served)
  for (let tries = 0; tries < TRIES_PER_RUN; tries += 1) {
    await giveUpOld(deps, served)
    // More may have come, or not have fitted into the page.
    if (served.notices.length === 0) served.notices = await readPage(deps, place)
    if (served.notices.length === 0) return undefined
    const nowMs = clock.now()
    const startMs = earliestStart(served, nowMs)
    if (startMs > nowMs) return startMs
    if (!deps.mayStart()) return undefined
    await tryOne(deps, served, await chooseNotice(deps, served, nowMs))
  }
  return clock.now()
}

/** What a channel was changed for may make the failures good: everything is tried at once. */
function beginAnew(served: Served): void {
  const { revision } = served.channel
  served.log = { ...served.log, failures: 0, pausedUntilMs: 0, channelRevision: revision }
  served.notices = served.notices.map((notice) => ({ ...notice, dueMs: 0 }))
}

/** A pause that began in the future was made before the wall clock was set back: it would last until then, and is over. */
function withoutOldPause(log: AttemptLog, nowMs: number): AttemptLog {
  const [last] = log.attempts
  return last === undefined || last.time <= nowMs ? log : { ...log, pausedUntilMs: 0 }
}

async function readPage(
  { store, clock }: ChannelRunDeps,
  { orgUid, channelUid }: ChannelPlace,
): Promise<PendingNotice[]> {
  const query = { orgUid, kind: NOTICE_KIND, parentUid: channelUid, start: 0, limit: PAGE }
  const { documents } = await store.list({ ...query, leavesOutDamaged: true })
  const nowMs = clock.now()
  return documents.map((document) => {
    const notice = readPending(document)
    return notice.triedMs > nowMs ? { ...notice, dueMs: 0 } : notice
  })
}

function earliestStart({ channel, log, notices }: Served, nowMs: number): number {
  const { nextMs } = freeNow(log, channel.perMinute, nowMs)
  return Math.max(nextDueMs(notices), log.pausedUntilMs, nextMs)
}

/** The next notice. With the last free place of a minute, all that wait go as one. */
async function chooseNotice(
  deps: ChannelRunDeps,
  served: Served,
  nowMs: number,
): Promise<PendingNotice> {
  const { channel, log } = served
  const { count } = freeNow(log, channel.perMinute, nowMs)
  const isSummed = served.notices.some(({ content }) => isSummary(content))
  if (count === 1 && served.notices.length > 1 && !isSummed) {
    // More may have come since the page was read.
    served.notices = await readPage(deps, served)
    const summary = sumUp(served.notices)
    await commit(deps, [pendingWrite(summary), ...served.notices.map(removal)])
    deps.figures.summedUp += served.notices.length
    served.notices = [summary]
    return summary
  }
  return pickNotice(served.notices, nowMs) as PendingNotice
}

/** One try, and its result in one commit. */
async function tryOne(deps: ChannelRunDeps, served: Served, notice: PendingNotice): Promise<void> {
  const { clock, figures, sender } = deps
  const { channel, orgUid } = served
  const startMs = clock.elapsed()
  const time = clock.now()
  const outcome = await sender.send({ channel, orgUid, delivery: notice }, deps.signal)
  const tookMs = Math.round(clock.elapsed() - startMs)
  const next = outcome.isOk ? undefined : nextTry(served, notice, outcome, clock.now())
  const nextTime = next?.notice.dueMs ?? null
  const attempt = attemptOf(notice, { ...outcome, time, tookMs, nextTime })
  served.log = withAttempt({ ...served.log, ...pauseOf(next) }, attempt)
  const others = served.notices.filter(({ uid }) => uid !== notice.uid)
  served.notices = next === undefined ? others : replaced(served.notices, next.notice)
  const write = next === undefined ? removal(notice) : pendingWrite(next.notice)
  await commit(deps, [write, logWrite(served, served.log)])
  if (outcome.isOk) figures.delivered += 1
  else figures.failed += 1
}

interface NextTry {
  readonly notice: PendingNotice
  readonly failures: number
  readonly pausedUntilMs: number
}

function nextTry(
  { log }: Served,
  notice: PendingNotice,
  { retryAfterMs = 0 }: SendOutcome,
  nowMs: number,
): NextTry {
  const tries = notice.tries + 1
  const failures = log.failures + 1
  return {
    notice: {
      ...notice,
      tries,
      triedMs: nowMs,
      dueMs: nowMs + Math.max(pauseAfter(tries), retryAfterMs),
    },
    failures,
    pausedUntilMs: nowMs + Math.max(pauseAfter(failures), retryAfterMs),
  }
}

function pauseOf(next: NextTry | undefined): Pick<AttemptLog, 'failures' | 'pausedUntilMs'> {
  if (next === undefined) return { failures: 0, pausedUntilMs: 0 }
  const { failures, pausedUntilMs } = next
  return { failures, pausedUntilMs }
}

function replaced(notices: readonly PendingNotice[], notice: PendingNotice): PendingNotice[] {
  return notices.map((one) => (one.uid === notice.uid ? notice : one))
}

/** Ends the tries of what is a day old, and says so in the log. */
async function giveUpOld(deps: ChannelRunDeps, served: Served): Promise<void> {
  const nowMs = deps.clock.now()
  const isOld = ({ createdMs }: PendingNotice) => nowMs - createdMs >= NOTICE_TRIED_MS
  const old = served.notices.filter(isOld)
  if (old.length === 0) return
  const message = 'Given up: not delivered within a day'
  const ending = { isOk: false, reason: 'expired', message, nextTime: null } as const
  for (const notice of old) {
    const attempt = attemptOf(notice, { ...ending, time: nowMs, tookMs: 0 })
    // No try of its own.
    served.log = withAttempt(served.log, { ...attempt, tries: notice.tries })
  }
  served.notices = served.notices.filter((notice) => !isOld(notice))
  await commit(deps, [...old.map(removal), logWrite(served, served.log)])
  deps.figures.expired += old.length
}

/** Removes what is left of a deleted channel, page by page. */
async function forgetChannel(
  deps: ChannelRunDeps,
  place: ChannelPlace,
): Promise<number | undefined> {
  const notices = await readPage(deps, place)
  const { orgUid, channelUid: uid } = place
  const log = {
    op: 'delete',
    orgUid,
    kind: ATTEMPT_LOG_KIND,
    uid,
    expectedRevision: 'any',
  } as const
  await commit(deps, [...notices.map(removal), log])
  return notices.length === PAGE ? deps.clock.now() : undefined
}

function removal({ orgUid, uid }: PendingNotice): CatalogWrite {
  return { op: 'delete', orgUid, kind: NOTICE_KIND, uid, expectedRevision: 'any' }
}

/** Writes only while the lease is held: a process that has lost it must not undo the work of its successor. */
async function commit(deps: ChannelRunDeps, writes: readonly CatalogWrite[]): Promise<void> {
  const lease = deps.findLease()
  if (lease === undefined) throw new LeaseLost()
  await deps.store.commit(writes, lease)
}

/** Another process delivers from here on. */
export class LeaseLost extends Error {
  constructor() {
    super('another process delivers notices')
    this.name = 'LeaseLost'
  }
}
