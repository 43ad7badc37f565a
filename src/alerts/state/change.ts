/** Changes of states, and the documents that one commit stores of them. */

import { newUid } from '../../base/index.ts'
import type { DocumentKey, PutDocument } from '../../store/index.ts'
import { noticeWrite } from '../delivery/notice-document.ts'
import type { LoadedAlert } from '../evaluate/loaded-alert.ts'
import type { Notice, NoticeContent } from '../notice.ts'
import { fillMessage } from './fill-message.ts'
import type { StreamState } from './next-state.ts'
import {
  ACKNOWLEDGMENT_KIND,
  type EventCause,
  eventWrite,
  placeKey,
  STATE_KIND,
  type StoredEvent,
  stateWrite,
} from './state-documents.ts'

/** The names of a stream, which a change still has after the stream is deleted. */
export interface StreamNames {
  readonly streamUid: string
  readonly streamId: string
  readonly componentUid: string
  readonly componentId: string
}

/** A change of the state of an alert on one stream. */
export interface StateChange {
  readonly loaded: LoadedAlert
  readonly names: StreamNames
  readonly before: StreamState
  readonly state: StreamState
  /** Undefined: nothing that people see has changed. */
  readonly event: { readonly uid: string; readonly cause: EventCause } | undefined
  /** Why channels get a notice; undefined: they get none. */
  readonly reason: NoticeContent['reason'] | undefined
  /** Ascending over all changes. */
  readonly sequence: number
  readonly atMs: number
}

type DocumentWrite = PutDocument | (DocumentKey & { op: 'delete'; expectedRevision: 'any' })

function deletionOf(key: DocumentKey): DocumentWrite {
  return { op: 'delete', ...key, expectedRevision: 'any' }
}

/** The documents of a change: the state, its event, and a notice for each channel. */
export function writesOf(change: StateChange, componentName: string): DocumentWrite[] {
  const { loaded, names, state, event, atMs, sequence } = change
  const { alert } = loaded
  const { orgUid, uid: alertUid } = alert
  const { streamUid, componentUid } = names
  const place = { orgUid, alertUid, streamUid }
  const writes: DocumentWrite[] =
    event?.cause === 'deleted'
      ? [deletionOf(placeKey(STATE_KIND, place)), deletionOf(placeKey(ACKNOWLEDGMENT_KIND, place))]
      : [stateWrite(orgUid, { alertUid, streamUid, componentUid, ...state })]
  const message = fillMessage(change, componentName)
  if (event !== undefined) {
    const stored: StoredEvent = {
      alertUid,
      ...names,
      componentName,
      before: change.before.state,
      state: state.state,
      cause: event.cause,
      time: atMs,
      startedMs: state.sinceMs,
      sampleTime: state.sampleTime,
      value: state.value,
      message,
    }
    writes.push(eventWrite({ orgUid, uid: event.uid, sequence }, stored))
  }
  if (change.reason === undefined) return writes
  return [...writes, ...noticesOf(change, { componentName, message })]
}

function noticesOf(
  { loaded, names, state, event, reason = 'change', atMs, sequence }: StateChange,
  { componentName, message }: { readonly componentName: string; readonly message: string },
): PutDocument[] {
  const { alert } = loaded
  const { orgUid, uid: alertUid } = alert
  const content: NoticeContent = {
    alertUid,
    alertName: alert.name || alert.id,
    severity: alert.severity,
    state: state.state === 'FIRING' ? 'FIRING' : 'OK',
    reason,
    message,
    ...names,
    componentName,
    ...(state.sampleTime === null ? {} : { sampleTime: state.sampleTime }),
    ...(state.value === null ? {} : { value: state.value }),
    startedMs: state.sinceMs,
    eventUid: event?.uid ?? state.eventUid ?? '',
  }
  return alert.channels.map(({ uid: channelUid }) => {
    const uid = newUid()
    const notice: Notice = {
      uid,
      orgUid,
      channelUid,
      idempotencyKey: uid,
      orderKey: `${alertUid}/${names.streamUid}`,
      sequence,
      createdMs: atMs,
      content,
    }
    return noticeWrite(notice)
  })
}
