import type { Static } from 'typebox'
import { findLabelMistake } from '../../catalog/index.ts'
import type { RecordRules } from '../../catalog/record/index.ts'
import {
  checkText,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  refuseField,
  shapeCheck,
} from '../../catalog/shape/index.ts'
import {
  ALERT_DEFAULTS,
  type AlertBody,
  alertShape,
  CONDITION_LENGTH_MAX,
  MAX_AGE_MS_MIN,
  MESSAGE_LENGTH_MAX,
  REPEAT_MS_MIN,
  SILENCE_MS_MIN,
  type WatchedStream,
} from './alert-shape.ts'

type AlertInput = Static<typeof alertShape>

/** The kind of the documents, and the resource's name. */
export const ALERT_KIND = 'alert'

/** What the rules ask of the rest of the service; each check refuses with the name of the field. */
export interface AlertChecks {
  readonly now: () => number
  /** The stream that a caller names by UIDs or IDs. */
  readonly findStream: (
    orgUid: string,
    stream: NonNullable<AlertInput['streams']>[number],
    field: string,
  ) => WatchedStream
  /** That template, cycles, streams, and conditions fit each other. */
  readonly checkBody: (orgUid: string, body: AlertBody, before: AlertBody) => Promise<void>
}

/** The rules of alerts. */
export function alertRules(checks: AlertChecks): RecordRules<AlertBody> {
  return {
    kind: ALERT_KIND,
    check: shapeCheck(ALERT_KIND, alertShape),
    read: async (input, before, orgUid) => {
      const body = readAlert(input as AlertInput, before, { checks, orgUid })
      await checks.checkBody(orgUid, body, before)
      return body
    },
    defaults: ALERT_DEFAULTS,
    ownChanges: ({ runningUser: { uid: before } }, { runningUser: { uid: after } }) => {
      if (before === after) return []
      const detail = before === '' ? `user:${after}` : `user:${before} to user:${after}`
      return [{ verb: 'running_user_changed', detail }]
    },
    usesOf: (orgUid, before, after) => {
      const known = new Set(before.channels.map(({ uid }) => uid))
      return after.channels
        .filter(({ uid }) => !known.has(uid))
        .map(({ uid }) => ({ orgUid, kind: 'channel', uid }))
    },
  }
}

function readAlert(
  input: AlertInput,
  before: AlertBody,
  { checks, orgUid }: { readonly checks: AlertChecks; readonly orgUid: string },
): AlertBody {
  const { id = before.id } = input
  const enabled = input.enabled ?? before.enabled
  const isBegun = enabled && (before.startedMs === 0 || !before.enabled)
  const body: AlertBody = {
    id,
    name: input.name ?? (before.name || id),
    description: input.description ?? before.description,
    ...readWatched(input, before, { checks, orgUid }),
    condition: input.condition ?? before.condition,
    clearCondition: input.clearCondition ?? before.clearCondition,
    forMs: input.forMs ?? before.forMs,
    silentForMs: input.silentForMs ?? before.silentForMs,
    cycle: input.cycle === undefined ? before.cycle : uidOf(input.cycle),
    severity: input.severity ?? before.severity,
    message: input.message ?? before.message,
    channels: (input.channels ?? before.channels).map(({ uid }) => ({ uid })),
    notifyClear: input.notifyClear ?? before.notifyClear,
    repeatMs: input.repeatMs ?? before.repeatMs,
    maxAgeMs: input.maxAgeMs ?? before.maxAgeMs,
    runningUser: (input.runningUser === undefined ? before.runningUser : input.runningUser) ?? {
      uid: '',
    },
    enabled,
    startedMs: isBegun ? checks.now() : before.startedMs,
  }
  checkTexts(body)
  checkTimes(body)
  return body
}

type Watched = Pick<AlertBody, 'streams' | 'template' | 'streamId' | 'labels'>

/** What is watched: one of streams, a template, and labels. A save that names one takes the place of another. */
function readWatched(
  input: AlertInput,
  before: AlertBody,
  { checks, orgUid }: { readonly checks: AlertChecks; readonly orgUid: string },
): Watched {
  const streams = input.streams?.map((stream, at) =>
    checks.findStream(orgUid, stream, `alert.streams[${at}]`),
  )
  const template = input.template === undefined ? undefined : uidOf(input.template)
  const { labels } = input
  const given = [
    (streams?.length ?? 0) > 0,
    (template ?? null) !== null,
    Object.keys(labels ?? {}).length > 0,
  ].filter((isGiven) => isGiven).length
  if (given > 1) refuseField('alert', 'has more than one of streams, template, and labels. Set one')
  const keeps = given === 0
  const watched: Watched = {
    streams: streams ?? (keeps ? before.streams : []),
    template: template === undefined ? (keeps ? before.template : null) : template,
    streamId: input.streamId ?? (keeps || template !== undefined ? before.streamId : ''),
    labels: labels ?? (keeps ? before.labels : {}),
  }
  const seen = new Set<string>()
  for (const [at, { streamUid }] of watched.streams.entries()) {
    if (seen.has(streamUid))
      refuseField(`alert.streams[${at}]`, `repeats the stream ${streamUid}. Remove one`)
    seen.add(streamUid)
  }
  const mistake = findLabelMistake(watched.labels)
  if (mistake !== undefined) refuseField('alert.labels', `are not labels of a stream. ${mistake}`)
  requireWatched(watched)
  return watched
}

function requireWatched({ streams, template, streamId, labels }: Watched): void {
  if (template !== null && streamId === '') {
    refuseField('alert.streamId', 'is missing. Set the ID of the stream in the template')
  }
  if (template === null && streamId !== '') {
    refuseField('alert.streamId', 'belongs to a template. Set alert.template, or leave it blank')
  }
  if (streams.length > 0 || template !== null || Object.keys(labels).length > 0) return
  refuseField('alert.streams', 'is empty. Set streams, a template with streamId, or labels')
}

function uidOf(reference: { readonly uid: string } | null): { readonly uid: string } | null {
  return reference === null || reference.uid === '' ? null : { uid: reference.uid }
}

function checkTexts(body: AlertBody): void {
  checkText('alert.name', body.name, NAME_LENGTH_MAX)
  checkText('alert.description', body.description, DESCRIPTION_LENGTH_MAX)
  checkText('alert.condition', body.condition, CONDITION_LENGTH_MAX)
  checkText('alert.clearCondition', body.clearCondition, CONDITION_LENGTH_MAX)
  checkText('alert.message', body.message, MESSAGE_LENGTH_MAX)
  if (body.runningUser.uid === '') {
    refuseField('alert.runningUser', 'is missing. Set the user whose permissions the alert uses')
  }
  const channels = new Set(body.channels.map(({ uid }) => uid))
  if (channels.size < body.channels.length) {
    refuseField('alert.channels', 'names a channel twice. Remove one')
  }
}

function checkTimes({ condition, clearCondition, ...times }: AlertBody): void {
  const hasCondition = condition.trim() !== ''
  if (!hasCondition && times.silentForMs === 0) {
    refuseField('alert.condition', 'is missing. Set a condition, or silentForMs')
  }
  if (!hasCondition && clearCondition.trim() !== '') {
    refuseField('alert.clearCondition', 'needs a condition. Set alert.condition')
  }
  if (!hasCondition && times.forMs > 0) {
    refuseField('alert.forMs', 'needs a condition. For silence alone set silentForMs')
  }
  if (times.silentForMs > 0 && times.silentForMs < SILENCE_MS_MIN) {
    refuseField('alert.silentForMs', `must be 0, or at least ${SILENCE_MS_MIN}`)
  }
  if (times.maxAgeMs < MAX_AGE_MS_MIN) {
    refuseField('alert.maxAgeMs', `must be at least ${MAX_AGE_MS_MIN}`)
  }
  if (times.repeatMs > 0 && times.repeatMs < REPEAT_MS_MIN) {
    refuseField('alert.repeatMs', `must be 0, or at least ${REPEAT_MS_MIN}`)
  }
}
