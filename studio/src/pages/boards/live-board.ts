/** The last values of a board's streams, live over one connection. */
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { request } from '../../api/client.ts'
import type { PanelStream } from './board-types.ts'

/** A sample as the service tells it. */
export interface LiveSample {
  readonly time: number
  readonly data: number | string | boolean | null
  /** The value with its unit. */
  readonly fData?: string
}

const REOPEN_MS = 3_000
/** The service follows so many streams on one connection. */
const STREAMS_MAX = 1_000

/** What is known of streams, by UID. */
export class LiveValues {
  readonly #values = new Map<string, LiveSample>()
  readonly #listeners = new Map<string, Set<() => void>>()

  get(streamUid: string): LiveSample | undefined {
    return this.#values.get(streamUid)
  }

  put(streamUid: string, sample: LiveSample): void {
    this.#values.set(streamUid, sample)
    for (const listener of this.#listeners.get(streamUid) ?? []) listener()
  }

  follow(streamUid: string, listener: () => void): () => void {
    const known = this.#listeners.get(streamUid) ?? new Set()
    known.add(listener)
    this.#listeners.set(streamUid, known)
    return () => known.delete(listener)
  }
}

/** The values of the board that is shown. */
export const LiveContext = createContext(new LiveValues())

/** The last value of a stream, undefined until one is known. */
export function useLastValue(streamUid: string): LiveSample | undefined {
  const values = useContext(LiveContext)
  return useSyncExternalStore(
    (listener) => values.follow(streamUid, listener),
    () => values.get(streamUid),
  )
}

/** Follows streams while the board is shown; what is not live stays as it was told first. */
export function useLiveValues(streams: readonly PanelStream[], isLive: boolean): LiveValues {
  const values = useMemo(() => new LiveValues(), [])
  const address = addressOf(streams)
  useEffect(() => {
    if (address === undefined) return undefined
    return openLive(address, { values, isLive })
  }, [address, values, isLive])
  return values
}

function addressOf(streams: readonly PanelStream[]): string | undefined {
  const byComponent = new Map<string, Set<string>>()
  for (const { componentUid, streamUid } of streams.slice(0, STREAMS_MAX)) {
    const known = byComponent.get(componentUid) ?? new Set()
    byComponent.set(componentUid, known.add(streamUid))
  }
  if (byComponent.size === 0) return undefined
  const query = new URLSearchParams()
  for (const [componentUid, uids] of byComponent) {
    query.append('compUid', componentUid)
    for (const uid of uids) query.append('streamUid', uid)
  }
  return `/api/live?${query}&last&retFData`
}

/** Opens the connection; one that the service has ended is opened again, after a sign-in where it needs one. */
function openLive(
  address: string,
  { values, isLive }: { readonly values: LiveValues; readonly isLive: boolean },
): () => void {
  const ended = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    const source = new EventSource(address)
    ended.signal.addEventListener('abort', () => source.close(), { once: true })
    source.addEventListener('sample', ({ data }) => {
      const { streamUid, ...sample } = JSON.parse(data) as LiveSample & { streamUid: string }
      // Who does not want news is told where things stood when it came.
      if (isLive || values.get(streamUid) === undefined) values.put(streamUid, sample)
    })
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED || ended.signal.aborted) return
      timer = setTimeout(again, REOPEN_MS)
    }
  }
  const again = async () => {
    try {
      await request('/api/component?limit=1', { signal: ended.signal })
    } catch {
      // Lost connections are told by the line at the top.
      if (!ended.signal.aborted) timer = setTimeout(again, REOPEN_MS)
      return
    }
    if (!ended.signal.aborted) open()
  }
  open()
  return () => {
    clearTimeout(timer)
    ended.abort()
  }
}
