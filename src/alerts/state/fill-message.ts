import type { Alert } from '../record/alert-shape.ts'
import type { StreamState } from './next-state.ts'

/** Characters of a value in a message. */
const VALUE_LENGTH_MAX = 500

/** What a message is about. */
interface MessageSubject {
  readonly loaded: { readonly alert: Alert }
  readonly names: Readonly<
    Record<'streamUid' | 'streamId' | 'componentUid' | 'componentId', string>
  >
  readonly state: StreamState
}

/** The message of a change: the text of the alert with values filled in, or one of the service. */
export function fillMessage(
  { loaded: { alert }, names, state }: MessageSubject,
  componentName: string,
): string {
  const component = componentName || names.componentId || names.componentUid
  const stream = names.streamId || names.streamUid
  const name = alert.name || alert.id
  if (alert.message.trim() === '') {
    const where = `${component} / ${stream}`
    if (state.state !== 'FIRING') return `${name}: ${where} is ${state.state}`
    if (state.cause === 'silence') return `${name}: no data from ${where}`
    return `${name}: ${where} is ${state.value}`.slice(0, VALUE_LENGTH_MAX)
  }
  const values: Readonly<Record<string, string>> = {
    alert: name,
    component,
    componentId: names.componentId,
    stream,
    state: state.state,
    severity: alert.severity,
    value: (state.value ?? '').slice(0, VALUE_LENGTH_MAX),
    time: state.sampleTime === null ? '' : new Date(state.sampleTime).toISOString(),
    since: new Date(state.sinceMs).toISOString(),
  }
  return alert.message.replace(/\{(\w+)\}/g, (text, key: string) => values[key] ?? text)
}
