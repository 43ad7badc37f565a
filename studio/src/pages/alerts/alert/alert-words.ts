/** Alerts in the words of the pages. */
import type { Schema } from '../../../api/paths.ts'

export type Alert = Schema<'Alert'>
export type AlertState = Schema<'AlertState'>
export type AlertEvent = Schema<'AlertEvent'>

export const STATE_WORDS: Readonly<Record<Alert['state'], string>> = {
  OK: 'OK',
  PENDING: 'Pending',
  FIRING: 'Firing',
}

export const SEVERITY_WORDS: Readonly<Record<Alert['severity'], string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
}

const CAUSE_WORDS: Readonly<Record<AlertEvent['cause'], string>> = {
  sample: 'new sample',
  timer: 'condition held long enough',
  silence: 'no samples',
  inactive: 'outside active times',
  disabled: 'alert disabled',
  deleted: 'deleted',
  unwatched: 'no longer watched',
}

/** Which streams an alert watches, in a few words. */
export function watchedWords({ streams, template, streamId, labels }: Alert): string {
  if (template !== null) return `${streamId} of a template`
  const pairs = Object.entries(labels)
  if (pairs.length > 0) return pairs.map(([name, value]) => `${name} = ${value}`).join(', ')
  const [first] = streams
  if (first === undefined) return '–'
  const name = `${first.componentId || 'Component'} / ${first.streamId || 'stream'}`
  return streams.length > 1 ? `${name} and ${streams.length - 1} more` : name
}

/** The state of an alert with its streams. */
export function stateWords({ enabled, state, firingCount, mute }: Alert): string {
  if (!enabled) return 'Disabled'
  const many = firingCount > 1 ? ` on ${firingCount} streams` : ''
  return `${STATE_WORDS[state]}${many}${mute === null ? '' : ', muted'}`
}

/** A change of a state in a few words. */
export function eventWords({ state, before, cause }: AlertEvent): string {
  const change = state === 'OK' && before === 'FIRING' ? 'Resolved' : STATE_WORDS[state]
  return `${change} (${CAUSE_WORDS[cause]})`
}

/** A name for lists. */
export function nameOf({ name, id }: Alert): string {
  return name || id || 'Unnamed'
}

/** The fields that a save sends: all others are the service's. */
export function fieldsOf(value: Partial<Alert>): object {
  const { uid: _, revision: __, startedMs: ___, state: ____, ...rest } = value
  const { firingCount: _____, pendingCount: ______, mute: _______, ...fields } = rest
  const { streams, runningUser } = fields
  return {
    ...fields,
    ...(streams === undefined
      ? {}
      : {
          streams: streams.map(({ componentUid, streamUid }) => ({ componentUid, streamUid })),
        }),
    ...(runningUser === undefined ? {} : { runningUser: { uid: runningUser.uid } }),
  }
}
