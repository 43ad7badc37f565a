import { useEffect, useState } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { useQuery } from '../../../api/use-query.ts'
import type { Named } from './insert-rows.ts'

/** Components that are shown; more are found by a word. */
const SHOWN_MAX = 500

/** Components that a search finds, and the streams of those that are open. */
export interface FoundComponents {
  readonly components: readonly Named[]
  readonly moreCount: number
  readonly streams: ReadonlyMap<string, readonly Named[]>
  readonly error: string | undefined
}

/** The components of the organization, by a search; `open` has the keys of open rows. */
export function useComponents(search: string, open: ReadonlySet<string>): FoundComponents {
  const { data, error } = useQuery(
    ['component', 'insert', search],
    (signal) => {
      const query = { limit: SHOWN_MAX, ...(search === '' ? {} : { search }) }
      return call('get', '/api/component', { query, signal })
    },
    { keepPrevious: true },
  )
  const { streams, failed } = useStreams(open)
  const components = data?.component ?? []
  const moreCount = (data?.totalCount ?? 0) - components.length
  return { components, moreCount, streams, error: error?.message ?? failed }
}

/** The streams of components that were opened, each read once while the page is there. */
function useStreams(open: ReadonlySet<string>) {
  const [streams, setStreams] = useState<ReadonlyMap<string, readonly Named[]>>(new Map())
  const [failed, setFailed] = useState<string>()
  useEffect(() => {
    const own = new AbortController()
    const wanted = [...open].flatMap((key) => {
      const [kind, uid] = key.split(' ')
      return kind === 'component' && !streams.has(uid) ? [uid] : []
    })
    const read = async (componentUid: string) => {
      const { stream } = await call('get', '/api/component/{componentUid}/stream', {
        path: { componentUid },
        signal: own.signal,
      })
      setStreams((known) => new Map(known).set(componentUid, stream))
    }
    Promise.all(wanted.map(read)).catch((thrown) => {
      if (!own.signal.aborted) setFailed(asApiError(thrown).message)
    })
    return () => own.abort()
  }, [open, streams])
  return { streams, failed }
}
