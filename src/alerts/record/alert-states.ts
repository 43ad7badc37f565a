import type { Static } from 'typebox'
import { allows, allowsEveryFeed, type Principal } from '../../access/index.ts'
import { nameOf } from '../../auth/index.ts'
import { isSampleTime, newUid, refuse, Type } from '../../base/index.ts'
import { type Author, planChange, quoted } from '../../catalog/index.ts'
import type { Page, RecordList } from '../../catalog/record/index.ts'
import { checkText, refuseField, shapeCheck } from '../../catalog/shape/index.ts'
import { allowsStream } from '../../feed/index.ts'
import type { CatalogDocument, JsonObject } from '../../store/index.ts'
import { sampleTimeRule, withTimes } from '../../time/index.ts'
import {
  ACKNOWLEDGMENT_KIND,
  type AlertState,
  EVENT_KIND,
  MUTE_KIND,
  placeKey,
  STATE_KIND,
  type StoredAcknowledgment,
  type StoredEvent,
  type StoredMute,
  type StoredState,
} from '../state/state-documents.ts'
import type { Alerts, AlertsDeps } from './alerts.ts'

const COMMENT_LENGTH_MAX = 1_000
/** States that one call acknowledges: a commit with a document for each. */
const ACKNOWLEDGED_MAX = 1_000

/** Alerts that are listed as rules of Prometheus, and states of all of them: an answer of some megabytes. */
const RULES_MAX = 1_000
const RULE_STATES_MAX = 10_000

/** How an alert is muted. */
export const muteShape = Type.Object({
  mute: Type.Union(
    [Type.Null(), Type.Object({ untilMs: Type.Union([Type.Null(), Type.Integer()]) })],
    {
      description:
        'untilMs is in epoch milliseconds or RFC 3339, or null: until the mute is ended. mute null: end it',
    },
  ),
})

/** How firing states are acknowledged. */
export const acknowledgeShape = Type.Object({
  acknowledge: Type.Object({
    streamUid: Type.Optional(
      Type.String({
        description: 'Only the state of this stream. Without it, all states that fire',
      }),
    ),
    comment: Type.Optional(Type.String({ maxLength: COMMENT_LENGTH_MAX })),
  }),
})

function withMuteTime(input: unknown): unknown {
  const { mute } = (input ?? {}) as { readonly mute?: unknown }
  const read = withTimes(mute, ['untilMs'], 'alert.mute.')
  return read === mute ? input : { ...(input as object), mute: read }
}

const checkMute = shapeCheck('alert', muteShape)
const checkAcknowledge = shapeCheck('alert', acknowledgeShape)

type ShownAcknowledgment = Omit<StoredAcknowledgment, 'eventUid'>

/** The state of an alert on one stream, as callers see it. */
interface ShownState {
  readonly streamUid: string
  readonly streamId: string
  readonly componentUid: string
  readonly componentId: string
  readonly state: AlertState
  readonly cause: StoredState['cause']
  readonly startedMs: number
  readonly sampleTime: number | null
  /** null also where the caller may not read the stream. */
  readonly value: string | null
  readonly acknowledged: ShownAcknowledgment | null
}

/** An alert with its states that are not OK. */
interface RuleStates {
  readonly alert: Awaited<ReturnType<Alerts['get']>>
  readonly states: readonly ShownState[]
}

/** An event of an alert, as callers see it. */
type ShownEvent = StoredEvent & { readonly uid: string }

/** States and events of alerts, and what people do about them. */
export class AlertStates {
  readonly #deps: Omit<AlertsDeps, 'onSaved'> & { readonly alerts: Alerts }

  constructor(deps: Omit<AlertsDeps, 'onSaved'> & { readonly alerts: Alerts }) {
    this.#deps = deps
  }

  /** A page of the states that are not OK, those that fire first; with `state` only those. */
  async listStates(
    principal: Principal,
    alertUid: string,
    { state = 'FIRING', ...page }: Page & { readonly state?: AlertState },
  ): Promise<RecordList<ShownState>> {
    const { alerts, catalogStore } = this.#deps
    const { orgUid } = await alerts.require(principal, alertUid, 'GET')
    const query = { orgUid, kind: STATE_KIND, parentUid: alertUid, listKeyPrefix: `${state} ` }
    const { documents, totalCount } = await catalogStore.list({ ...query, ...page })
    const records: ShownState[] = []
    for (const { body } of documents) {
      records.push(await this.#showState(principal, body as unknown as StoredState))
    }
    return { records, totalCount }
  }

  /**
   * The enabled alerts that a caller may GET, each with its streams that are pending or fire, the first of each. None
   * without permission for alerts: lists that also show something else ask for them. With `onlyIn`, only alerts that
   * are in this state on a stream, looked for among all.
   */
  async listRules(principal: Principal, onlyIn?: AlertState): Promise<RuleStates[]> {
    if (!allows(principal, 'alert', 'GET')) return []
    const page = { start: 0, limit: RULES_MAX, state: onlyIn }
    const { records } = await this.#deps.alerts.list(principal, page)
    const rules: RuleStates[] = []
    let left = RULE_STATES_MAX
    for (const alert of records) {
      if (!alert.enabled) continue
      const states: ShownState[] = []
      for (const state of ['FIRING', 'PENDING'] as const) {
        const count = state === 'FIRING' ? alert.firingCount : alert.pendingCount
        if (count === 0 || left === 0) continue
        const page = { start: 0, limit: Math.min(left, count), state }
        const { records: some } = await this.listStates(principal, alert.uid, page)
        states.push(...some)
        left -= some.length
      }
      rules.push({ alert, states })
    }
    return rules
  }

  /** A page of the events of an alert, the newest first. */
  async listEvents(
    principal: Principal,
    alertUid: string,
    page: Page,
  ): Promise<RecordList<ShownEvent>> {
    const { alerts, catalogStore } = this.#deps
    const { orgUid } = await alerts.require(principal, alertUid, 'GET')
    const query = { orgUid, kind: EVENT_KIND, parentUid: alertUid, descending: true, ...page }
    const { documents, totalCount } = await catalogStore.list(query)
    return { records: documents.map((one) => this.#showEvent(principal, one)), totalCount }
  }

  /** Mutes an alert, or ends its mute. States go on; no notices are sent. */
  async mute(author: Author, alertUid: string, input: unknown): Promise<void> {
    const { alerts, catalogStore, clock } = this.#deps
    const alert = await alerts.require(author, alertUid, 'POST')
    const read = withMuteTime(input)
    checkMute(read)
    const { mute } = read as Static<typeof muteShape>
    const key = { orgUid: alert.orgUid, kind: MUTE_KIND, uid: alertUid }
    const before = (await catalogStore.get(key))?.body as unknown as StoredMute | undefined
    const now = clock.now()
    const untilMs = mute?.untilMs ?? null
    if (untilMs !== null && !isSampleTime(untilMs)) {
      refuseField('alert.mute.untilMs', sampleTimeRule(untilMs))
    }
    if (untilMs !== null && untilMs <= now) {
      refuseField('alert.mute.untilMs', 'lies in the past. Use a later time, or null')
    }
    if (mute === null && before === undefined) return
    const by = await this.#nameOf(author)
    const started = { uid: before?.uid ?? newUid(), sinceMs: before?.sinceMs ?? now, by }
    const body: StoredMute =
      mute === null ? { ...(before as StoredMute), untilMs: now } : { ...started, untilMs }
    const verb = mute === null ? 'unmuted' : 'muted'
    const detail = quoted(alert.name || alert.id)
    await catalogStore.commit([
      {
        op: 'put',
        ...key,
        parentUid: alertUid,
        body: body as unknown as JsonObject,
        expectedRevision: 'any',
      },
      ...planChange(author, { kind: 'alert', verb, uid: alertUid, detail }),
    ])
  }

  /** Notes that somebody takes care of states that fire: no reminders are sent about them. */
  async acknowledge(author: Author, alertUid: string, input: unknown): Promise<number> {
    const { alerts, catalogStore, clock } = this.#deps
    const { orgUid, name, id } = await alerts.require(author, alertUid, 'POST')
    checkAcknowledge(input)
    const { acknowledge } = input as Static<typeof acknowledgeShape>
    const { streamUid = '', comment = '' } = acknowledge
    checkText('alert.acknowledge.comment', comment, COMMENT_LENGTH_MAX)
    const states = await this.#firing({ orgUid, alertUid, streamUid })
    if (states.length === 0) {
      refuse('conflict', { what: 'Nothing to acknowledge: the alert does not fire' })
    }
    const by = await this.#nameOf(author)
    const detail = quoted(name || id)
    await catalogStore.commit([
      ...states.map((state) => {
        const body: StoredAcknowledgment = {
          eventUid: state.eventUid ?? '',
          atMs: clock.now(),
          by,
          comment,
        }
        const place = { orgUid, alertUid, streamUid: state.streamUid }
        return {
          op: 'put' as const,
          ...placeKey(ACKNOWLEDGMENT_KIND, place),
          parentUid: alertUid,
          body: body as unknown as JsonObject,
          expectedRevision: 'any' as const,
        }
      }),
      ...planChange(author, { kind: 'alert', verb: 'acknowledged', uid: alertUid, detail }),
    ])
    return states.length
  }

  async #firing(place: {
    readonly orgUid: string
    readonly alertUid: string
    readonly streamUid: string
  }): Promise<StoredState[]> {
    const { catalogStore } = this.#deps
    const { orgUid, alertUid, streamUid } = place
    if (streamUid !== '') {
      const found = await catalogStore.get(placeKey(STATE_KIND, place))
      const state = found?.body as unknown as StoredState | undefined
      return state?.state === 'FIRING' ? [state] : []
    }
    const query = { orgUid, kind: STATE_KIND, parentUid: alertUid, listKeyPrefix: 'FIRING ' }
    const page = { start: 0, limit: ACKNOWLEDGED_MAX }
    const { documents } = await catalogStore.list({ ...query, ...page })
    return documents.map(({ body }) => body as unknown as StoredState)
  }

  async #nameOf({ actor }: Principal): Promise<string> {
    if (actor.kind !== 'user') return 'API key'
    const user = await this.#deps.users.find(actor.userUid)
    return user === undefined ? '' : nameOf(user)
  }

  async #showState(principal: Principal, stored: StoredState): Promise<ShownState> {
    const { catalog, catalogStore } = this.#deps
    const { orgUid } = principal
    const { alertUid, streamUid, componentUid, state, cause, sinceMs, sampleTime, value } = stored
    const { index } = catalog
    const handle = index.hasLivingUid(streamUid) ? index.streamByUid(orgUid, streamUid) : 0
    const isSeen = handle !== 0 && allowsStream(index, principal, handle, 'GET')
    const key = placeKey(ACKNOWLEDGMENT_KIND, { orgUid, alertUid, streamUid })
    const found = state === 'FIRING' ? await catalogStore.get(key) : undefined
    const acknowledged = found?.body as unknown as StoredAcknowledgment | undefined
    return {
      streamUid,
      streamId: isSeen ? index.streamIdOf(handle) : '',
      componentUid,
      componentId: isSeen ? index.componentOf(handle).compId : '',
      state,
      cause,
      startedMs: sinceMs,
      sampleTime,
      value: isSeen ? value : null,
      // One of an earlier time that it fired is over.
      acknowledged:
        acknowledged === undefined || acknowledged.eventUid !== stored.eventUid
          ? null
          : { atMs: acknowledged.atMs, by: acknowledged.by, comment: acknowledged.comment },
    }
  }

  /** An event; of a stream that the caller may not read, its IDs, value, and message are blank. */
  #showEvent(principal: Principal, { uid, body }: CatalogDocument): ShownEvent {
    const event = body as unknown as StoredEvent
    const { index } = this.#deps.catalog
    const handle = index.hasLivingUid(event.streamUid)
      ? index.streamByUid(principal.orgUid, event.streamUid)
      : 0
    const isSeen =
      handle === 0
        ? allowsEveryFeed(principal, 'GET')
        : allowsStream(index, principal, handle, 'GET')
    if (isSeen) return { uid, ...event }
    const hidden = { streamId: '', componentId: '', componentName: '', value: null, message: '' }
    return { uid, ...event, ...hidden }
  }
}
