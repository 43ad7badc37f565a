import { call } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import type { DerivePlace, SourceChoice } from './derivation-draft.ts'

/** Streams of one component that are offered. */
const STREAMS_MAX = 1_000

/** The streams of a component that is saved, with why they cannot be had. */
export function useStreamsOf(componentUid: string) {
  const { data, error } = useQuery(
    ['stream', componentUid, 'offered'],
    (signal) =>
      call('get', '/api/component/{componentUid}/stream', {
        path: { componentUid },
        query: { limit: STREAMS_MAX },
        signal,
      }),
    { isOff: componentUid === '' },
  )
  return { streams: data?.stream, error }
}

/** The streams beside a derived one: of its component as it is saved, or as it is being made. */
export function useOwnSources({ componentUid = '', beside }: DerivePlace): readonly SourceChoice[] {
  const { streams } = useStreamsOf(componentUid)
  return beside ?? streams ?? []
}
