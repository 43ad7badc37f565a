import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { type Identity, nameOf } from '../../auth/index.ts'
import { type Clock, nextIteration } from '../../base/index.ts'
import type { Author, Catalog } from '../../catalog/index.ts'
import {
  type Page,
  type RecordList,
  refuseUnknown,
  type SimpleRecords,
} from '../../catalog/record/index.ts'
import { refuseField } from '../../catalog/shape/index.ts'
import { requireRunAs } from '../../connectors/index.ts'
import { allowsStream } from '../../feed/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import {
  type AlertState,
  MUTE_KIND,
  STATE_KIND,
  type StoredMute,
} from '../state/state-documents.ts'
import { ALERT_KIND, type AlertChecks, alertRules } from './alert-rules.ts'
import type { Alert, AlertBody, WatchedStream } from './alert-shape.ts'
import { checkAlert, findWatched } from './check-alert.ts'
import { findProblem } from './find-problem.ts'

/** A mute as callers see it. */
interface ShownMute {
  readonly sinceMs: number
  readonly untilMs: number | null
  readonly by: string
}

/** An alert as callers see it. */
type ShownAlert = Omit<AlertBody, 'runningUser' | 'streams'> & {
  readonly uid: string
  readonly streams: readonly (WatchedStream & {
    readonly componentId: string
    readonly streamId: string
  })[]
  readonly runningUser: { readonly uid: string; readonly name: string }
  /** The worst state of its streams. */
  readonly state: AlertState
  readonly firingCount: number
  readonly pendingCount: number
  /** Why it cannot be evaluated; blank where it can. */
  readonly problem: string
  /** null: not muted. */
  readonly mute: ShownMute | null
  readonly revision: number
}

type Kept = AlertBody & { readonly uid: string; readonly revision: number }

export interface AlertsDeps {
  readonly catalog: Catalog
  readonly catalogStore: Pick<CatalogStore, 'get' | 'list' | 'walk' | 'commit'>
  readonly users: Identity['users']
  readonly clock: Clock
  /** Called when an alert was saved, before the answer. */
  readonly onSaved: () => Promise<void>
}

/** Of the uses of a channel, in a message. */
const USES_NAMED_MAX = 5
const USES_PAGE = 100
/** Alerts whose states are counted before others get a turn. */
const COUNTED_PAGE = 200
const SHOWN_LENGTH = 60
const STREAMS_GONE = 'All streams of this alert were deleted'

/** Alerts: get, list, insert, update, delete, each checked against the caller's rights. */
export class Alerts {
  readonly #deps: AlertsDeps
  /** For reads, which no check of a body needs. */
  readonly #records: SimpleRecords<AlertBody>

  constructor(deps: AlertsDeps) {
    this.#deps = deps
    this.#records = deps.catalog.recordsOf(alertRules(this.#checksOf(undefined)))
  }

  /** An alert that is not saved; it would run as its caller. */
  async make(principal: Principal): Promise<ShownAlert> {
    const { actor } = principal
    const uid = actor.kind === 'user' ? actor.userUid : ''
    return await this.#show(principal, { ...this.#records.make(principal), runningUser: { uid } })
  }

  async get(principal: Principal, uid: string): Promise<ShownAlert> {
    return await this.#show(principal, await this.#records.get(principal, uid))
  }

  /** A page of alerts; with a state only the enabled ones that are in this state on a stream. */
  async list(
    principal: Principal,
    { state, ...page }: Page & { readonly state?: AlertState | undefined },
  ): Promise<RecordList<ShownAlert>> {
    const { records, totalCount } =
      state === undefined
        ? await this.#records.list(principal, page)
        : await this.#listIn(principal, state, page)
    const shown: ShownAlert[] = []
    for (const record of records) shown.push(await this.#show(principal, record))
    return { records: shown, totalCount }
  }

  /** Counts the states of each alert: one with many must not hide the others. */
  async #listIn(
    principal: Principal,
    state: AlertState,
    { start, limit }: Page,
  ): Promise<RecordList<Kept>> {
    requirePermit(principal, ALERT_KIND, 'GET')
    const { orgUid } = principal
    const found: Kept[] = []
    for (let at = 0; ; at += COUNTED_PAGE) {
      const some = await this.#records.listAll(orgUid, { start: at, limit: COUNTED_PAGE })
      for (const record of some) {
        const { enabled, uid } = record
        if (!enabled || !allows(principal, `${ALERT_KIND}/${uid}`, 'GET')) continue
        if ((await this.#count(orgUid, uid, state)) > 0) found.push(record)
      }
      if (some.length < COUNTED_PAGE) break
      await nextIteration()
    }
    return { records: found.slice(start, start + limit), totalCount: found.length }
  }

  async insert(principal: Author, input: unknown): Promise<ShownAlert> {
    requirePermit(principal, ALERT_KIND, 'PUT')
    const saved = await this.#recordsFor(principal).insert(principal, input)
    await this.#deps.onSaved()
    return await this.#show(principal, saved)
  }

  async update(principal: Author, uid: string, input: unknown): Promise<ShownAlert> {
    requirePermit(principal, `${ALERT_KIND}/${uid}`, 'POST')
    const saved = await this.#recordsFor(principal).update(principal, uid, input)
    await this.#deps.onSaved()
    return await this.#show(principal, saved)
  }

  async delete(principal: Author, uid: string): Promise<void> {
    await this.#records.delete(principal, uid)
  }

  /** An alert as an insert would save it; saves nothing. */
  async draft(principal: Principal, input: unknown): Promise<Alert> {
    requirePermit(principal, ALERT_KIND, 'PUT')
    const { orgUid } = principal
    return { ...(await this.#recordsFor(principal).check(principal, input)), orgUid }
  }

  /** The alert with a UID, without a check of rights. */
  async find(orgUid: string, uid: string): Promise<Alert | undefined> {
    const found = await this.#records.find(orgUid, uid)
    return found === undefined ? undefined : { orgUid, ...found }
  }

  /** The alert with a UID, for a caller who may use a method on it. */
  async require(principal: Principal, uid: string, method: 'GET' | 'POST'): Promise<Alert> {
    requirePermit(principal, `${ALERT_KIND}/${uid}`, method)
    return (await this.find(principal.orgUid, uid)) ?? refuseUnknown(ALERT_KIND, uid)
  }

  /** An alert as it is shown to a caller who may use a method on it. */
  async shownTo(principal: Principal, uid: string, method: 'GET' | 'POST'): Promise<ShownAlert> {
    const { orgUid: _, ...record } = await this.require(principal, uid, method)
    return await this.#show(principal, record)
  }

  /** Some alerts of an organization, without a check of rights. */
  async listAll(orgUid: string, page: Page): Promise<Alert[]> {
    const records = await this.#records.listAll(orgUid, page)
    return records.map((record) => ({ orgUid, ...record }))
  }

  /** Names the alerts that use a channel, a few of them; what the caller may not see is not named. */
  async listUsing(principal: Principal, channelUid: string): Promise<string[]> {
    const { orgUid } = principal
    const names: string[] = []
    for (let start = 0; names.length <= USES_NAMED_MAX; start += USES_PAGE) {
      const page = await this.#records.listAll(orgUid, { start, limit: USES_PAGE })
      for (const { uid, id, name, channels } of page) {
        if (!channels.some((channel) => channel.uid === channelUid)) continue
        const isSeen = allows(principal, `${ALERT_KIND}/${uid}`, 'GET')
        const shown = JSON.stringify((name || id || uid).slice(0, SHOWN_LENGTH))
        names.push(isSeen ? `alert ${shown}` : 'an alert that you cannot access')
      }
      if (page.length < USES_PAGE) break
    }
    return names.slice(0, USES_NAMED_MAX)
  }

  /** The records with checks for one caller: what an alert may watch depends on who saves it. */
  #recordsFor(principal: Principal): SimpleRecords<AlertBody> {
    return this.#deps.catalog.recordsOf(alertRules(this.#checksOf(principal)))
  }

  #checksOf(principal: Principal | undefined): AlertChecks {
    const { catalog, catalogStore, clock } = this.#deps
    const hasChannel = async (orgUid: string, uid: string) =>
      (await catalogStore.get({ orgUid, kind: 'channel', uid })) !== undefined
    const deps = { catalog, hasChannel }
    const author = () => {
      if (principal === undefined) throw new Error('BUG: an alert is saved by nobody')
      return principal
    }
    return {
      now: () => clock.now(),
      findStream: (_orgUid, stream, field) => findWatched(deps, author(), stream, field),
      checkBody: async (orgUid, body, before) => {
        await checkAlert(deps, author(), { body, before })
        await this.#requireRunAs(author(), orgUid, body)
      },
    }
  }

  async #requireRunAs(principal: Principal, orgUid: string, body: AlertBody): Promise<void> {
    const { users } = this.#deps
    const { uid } = body.runningUser
    const user = await users.find(uid)
    const membership = user?.memberships.find((one) => one.orgUid === orgUid)
    if (membership === undefined) {
      refuseField('alert.runningUser', 'is not a user of this organization')
    }
    requireRunAs(principal, { uid, role: membership.role }, 'alert')
  }

  async #show(principal: Principal, record: Kept): Promise<ShownAlert> {
    const { catalog, catalogStore, users } = this.#deps
    const { orgUid } = principal
    const { uid, id, name, streams, runningUser, revision, ...rest } = record
    const user = runningUser.uid === '' ? undefined : await users.find(runningUser.uid)
    const mute = uid === '' ? undefined : await catalogStore.get({ orgUid, kind: MUTE_KIND, uid })
    const [firingCount, pendingCount] =
      uid === ''
        ? [0, 0]
        : [await this.#count(orgUid, uid, 'FIRING'), await this.#count(orgUid, uid, 'PENDING')]
    const state = firingCount > 0 ? 'FIRING' : pendingCount > 0 ? 'PENDING' : 'OK'
    return {
      uid,
      id,
      name,
      ...rest,
      streams: streams.map((stream) => ({ ...stream, ...idsOf(catalog, principal, stream) })),
      runningUser: { uid: runningUser.uid, name: user === undefined ? '' : nameOf(user) },
      state,
      firingCount,
      pendingCount,
      problem: uid === '' ? '' : await this.#problemOf(orgUid, record),
      mute:
        mute === undefined
          ? null
          : shownMute(mute.body as unknown as StoredMute, this.#deps.clock.now()),
      revision,
    }
  }

  async #problemOf(orgUid: string, record: Kept): Promise<string> {
    const { index } = this.#deps.catalog
    const isGone = ({ streamUid }: WatchedStream) => !index.hasLivingUid(streamUid)
    const hasNone = record.streams.length > 0 && record.streams.every(isGone)
    return (await findProblem(this.#deps, orgUid, record)) || (hasNone ? STREAMS_GONE : '')
  }

  async #count(orgUid: string, alertUid: string, state: AlertState): Promise<number> {
    const { totalCount } = await this.#deps.catalogStore.list({
      orgUid,
      kind: STATE_KIND,
      parentUid: alertUid,
      listKeyPrefix: `${state} `,
      start: 0,
      limit: 1,
    })
    return totalCount
  }
}

/** A mute that has ended is none, though its end may not be reported yet. */
function shownMute({ sinceMs, untilMs, by }: StoredMute, nowMs: number): ShownMute | null {
  return untilMs !== null && untilMs <= nowMs ? null : { sinceMs, untilMs, by }
}

/** The IDs of a stream; blank where it is deleted, or the caller may not read it. */
function idsOf({ index }: Catalog, principal: Principal, { streamUid }: WatchedStream) {
  const { orgUid } = principal
  const handle = index.hasLivingUid(streamUid) ? index.streamByUid(orgUid, streamUid) : 0
  if (handle === 0 || !allowsStream(index, principal, handle, 'GET')) {
    return { componentId: '', streamId: '' }
  }
  return { componentId: index.componentOf(handle).compId, streamId: index.streamIdOf(handle) }
}
