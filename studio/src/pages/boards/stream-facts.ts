import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { getRecord, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import type { PanelStream } from './board-types.ts'

/** How a stream of a panel is called, and where its samples are asked for. */
export interface StreamFacts {
  readonly name: string
  readonly componentName: string
  readonly compId: string
  readonly streamId: string
  readonly timeZoneId: string
}

/** What is known of a stream; `isGone` when it was deleted or is not to be seen. */
export function useStreamFacts({ componentUid, streamUid }: PanelStream): {
  readonly facts: StreamFacts | undefined
  readonly isGone: boolean
  readonly error: string | undefined
} {
  const component = useQuery(recordKey('component', componentUid), (signal) =>
    getRecord('component', componentUid, signal),
  )
  const stream = useQuery(['stream', componentUid, 'one', streamUid], (signal) =>
    call('get', '/api/component/{componentUid}/stream/{uid}', {
      path: { componentUid, uid: streamUid },
      signal,
    }),
  )
  const error = component.error ?? stream.error
  return {
    facts:
      component.data === undefined || stream.data === undefined
        ? undefined
        : factsOf(component.data, stream.data.stream),
    isGone: error?.status === 404,
    error: error?.message,
  }
}

function factsOf(component: Schema<'Component'>, stream: Schema<'Stream'>): StreamFacts {
  return {
    name: stream.name || stream.id || 'Without a name',
    componentName: component.name || component.id || 'Without a name',
    compId: component.id,
    streamId: stream.id,
    timeZoneId: component.timeZoneId,
  }
}
