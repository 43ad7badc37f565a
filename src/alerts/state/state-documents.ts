/** The documents of alerts beside their records: states, events, mutes, and acknowledgments. */
import type { DocumentKey, JsonObject, PutDocument } from '../../store/index.ts'

/** The states of an alert on one stream. */
export const ALERT_STATES = ['OK', 'PENDING', 'FIRING'] as const
export type AlertState = (typeof ALERT_STATES)[number]

/** What changed a state. */
export const EVENT_CAUSES = [
  'sample',
  'timer',
  'silence',
  'inactive',
  'disabled',
  'deleted',
  'unwatched',
] as const
export type EventCause = (typeof EVENT_CAUSES)[number]

/** Kinds of documents. Their parent is the alert. */
export const STATE_KIND = 'alert_state'
export const EVENT_KIND = 'alert_event'
export const MUTE_KIND = 'alert_mute'
export const ACKNOWLEDGMENT_KIND = 'alert_acknowledgment'

/** How long events are kept. */
const EVENT_KEPT_MS = 400 * 86_400_000
const MS_DIGITS = 15
/** Beyond every time of an event. */
const TIME_MAX = 10 ** MS_DIGITS - 1
/** Digits of a sequence number, which is below 2^53. */
const SEQUENCE_DIGITS = 16

/** The state of an alert on one stream, as the catalog keeps it. */
export interface StoredState {
  readonly alertUid: string
  readonly streamUid: string
  readonly componentUid: string
  readonly state: AlertState
  /** Why it fires or is pending. */
  readonly cause: 'condition' | 'silence'
  /** Since when the state holds; of PENDING the time of the first sample for which the condition held. */
  readonly sinceMs: number
  /** The last sample of the stream that was evaluated. */
  readonly lastTime: number | null
  /** The sample that changed the state; after a timer the last one, which stood. */
  readonly sampleTime: number | null
  readonly value: string | null
  /** When the last notice about it was written, and which event it named; null before the first. */
  readonly noticeMs: number | null
  readonly eventUid: string | null
  /** The mute whose end was reported. */
  readonly unmutedOf: string | null
}

/** A change of a state. */
export interface StoredEvent {
  readonly alertUid: string
  readonly streamUid: string
  readonly streamId: string
  readonly componentUid: string
  readonly componentId: string
  readonly componentName: string
  readonly before: AlertState
  readonly state: AlertState
  readonly cause: EventCause
  /** When it was noticed. */
  readonly time: number
  /** Since when the state holds. */
  readonly startedMs: number
  readonly sampleTime: number | null
  readonly value: string | null
  readonly message: string
}

/** A mute of an alert; until a time, or until somebody ends it. */
export interface StoredMute {
  readonly uid: string
  readonly sinceMs: number
  readonly untilMs: number | null
  readonly by: string
}

/** That somebody has taken note of a state that fires. */
export interface StoredAcknowledgment {
  /** The event by which it began to fire. */
  readonly eventUid: string
  readonly atMs: number
  readonly by: string
  readonly comment: string
}

/** Where an alert and one of its streams meet. */
export interface StatePlace {
  readonly orgUid: string
  readonly alertUid: string
  readonly streamUid: string
}

/** The key of a document about an alert and one of its streams. */
export function placeKey(kind: string, { orgUid, alertUid, streamUid }: StatePlace): DocumentKey {
  return { orgUid, kind, uid: `${alertUid}.${streamUid}` }
}

/** The write that stores a state. */
export function stateWrite(orgUid: string, state: StoredState): PutDocument {
  const { alertUid, streamUid } = state
  return {
    op: 'put',
    ...placeKey(STATE_KIND, { orgUid, alertUid, streamUid }),
    parentUid: alertUid,
    // States are listed and counted by name.
    listKey: `${state.state} ${String(state.sinceMs).padStart(MS_DIGITS, '0')}`,
    body: state as unknown as JsonObject,
    expectedRevision: 'any',
  }
}

/** The list key before all events from a time on. */
export function eventKeyOf(time: number): string {
  return String(Math.min(Math.max(time, 0), TIME_MAX)).padStart(MS_DIGITS, '0')
}

/** The write that stores an event; events of an alert are listed by time. */
export function eventWrite(
  { orgUid, uid, sequence }: { readonly orgUid: string; readonly uid: string; sequence: number },
  event: StoredEvent,
): PutDocument {
  const time = eventKeyOf(event.time)
  return {
    op: 'put',
    orgUid,
    kind: EVENT_KIND,
    uid,
    parentUid: event.alertUid,
    listKey: `${time} ${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`,
    expiresAtMs: event.time + EVENT_KEPT_MS,
    body: event as unknown as JsonObject,
    expectedRevision: 0,
  }
}
