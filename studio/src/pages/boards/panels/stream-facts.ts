import { asApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { getRecord, type RecordKinds, recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import type { PanelStream } from '../board-types.ts'
import { useGone } from '../live-board.ts'

type Component = RecordKinds['component']

/** How a stream of a panel is named, and the time zone of its times. */
export interface StreamFacts {
  readonly name: string
  readonly componentName: string
  readonly timeZoneId: string
  /** Whether its values are addresses of files. */
  readonly isFile: boolean
}

/** What is known of a stream; `isGone` when it was deleted or is not to be seen. */
export function useStreamFacts(stream: PanelStream): {
  readonly facts: StreamFacts | undefined
  readonly isGone: boolean
  readonly error: string | undefined
} {
  const { componentUid, streamUid } = stream
  const key = recordKey('component', componentUid, 'facts', streamUid)
  const { data, error } = useQuery(key, () => readFacts(stream))
  const isGone = useGone([streamUid]).has(streamUid) || error?.status === 404
  return { facts: data, isGone, error: error?.message }
}

/** How a stream is called, with its component. */
export function nameOf({ componentName, name }: StreamFacts): string {
  return `${componentName} · ${name}`
}

/** Reads what is known of a stream; of many streams of a component it is asked for once. */
export async function readFacts({ componentUid, streamUid }: PanelStream): Promise<StreamFacts> {
  const component = await readComponent(componentUid)
  const known = component.stream?.find(({ uid }) => uid === streamUid)
  return factsOf(component, known ?? (await readStream(componentUid, streamUid)))
}

/** How a stream is called; blank where it is gone. */
export async function readName(stream: PanelStream): Promise<string> {
  try {
    return nameOf(await readFacts(stream))
  } catch (thrown) {
    if (asApiError(thrown).status === 404) return ''
    throw thrown
  }
}

/** The panels of a board ask within this time. */
const SHARED_MS = 2_000
const shared = new Map<string, Promise<Component>>()

/** A component; those who ask together share a call, so that a board of many streams stays within the rate limit. */
function readComponent(uid: string): Promise<Component> {
  const running = shared.get(uid)
  if (running !== undefined) return running
  const made = getRecord('component', uid)
  shared.set(uid, made)
  setTimeout(() => shared.delete(uid), SHARED_MS)
  return made
}

/** A stream beyond those that a component shows with itself, or one that is gone. */
async function readStream(componentUid: string, uid: string): Promise<Schema<'Stream'>> {
  const path = { componentUid, uid }
  return (await call('get', '/api/component/{componentUid}/stream/{uid}', { path })).stream
}

const namedOf = ({ name, id }: { readonly name: string; readonly id: string }) =>
  name || id || 'Unnamed'

/** How a component is called; blank where it is gone, too. */
export async function readComponentName(uid: string): Promise<string> {
  try {
    return namedOf(await readComponent(uid))
  } catch (thrown) {
    if (asApiError(thrown).status === 404) return ''
    throw thrown
  }
}

function factsOf(component: Component, stream: Schema<'Stream'>): StreamFacts {
  return {
    name: namedOf(stream),
    componentName: namedOf(component),
    timeZoneId: component.timeZoneId,
    isFile: stream.valueType === 'FILE',
  }
}
