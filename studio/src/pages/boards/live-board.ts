/** The last values of a board's streams, live. */
import { createContext, useContext, useMemo, useSyncExternalStore } from 'react'
import { type LiveTopic, useLive } from '../../api/live.ts'
import type { PanelStream } from './board-types.ts'

/** A sample as the service tells it. */
export interface ShownValue {
  readonly time: number
  readonly data: number | string | boolean | null
  /** The value with its unit. */
  readonly fData?: string
}

/** The service follows so many streams on one connection. */
const STREAMS_MAX = 1_000

/** What is known of streams, by UID. */
export class LiveValues {
  readonly #values = new Map<string, ShownValue>()
  readonly #listeners = new Map<string, Set<() => void>>()

  get(streamUid: string): ShownValue | undefined {
    return this.#values.get(streamUid)
  }

  put(streamUid: string, sample: ShownValue): void {
    this.#values.set(streamUid, sample)
    this.note(streamUid)
  }

  /** Tells who follows a stream that something of it has changed. */
  note(streamUid: string): void {
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
export function useLastValue(streamUid: string): ShownValue | undefined {
  const values = useContext(LiveContext)
  return useSyncExternalStore(
    (listener) => values.follow(streamUid, listener),
    () => values.get(streamUid),
  )
}

/** Follows streams while the board is shown; what is not live stays as it was told first. */
export function useLiveValues(streams: readonly PanelStream[], isLive: boolean): LiveValues {
  const values = useMemo(() => new LiveValues(), [])
  useLive(topicsOf(streams), (events) => {
    for (const { event, data } of events) {
      if (event === 'sample') {
        // Who does not want news is told where things stood when it came.
        if (isLive || values.get(data.streamUid) === undefined) values.put(data.streamUid, data)
      } else if (isLive && (event === 'change' || event === 'gap')) values.note(data.streamUid)
    }
  })
  return values
}

/** The streams by their components, each once. */
function topicsOf(streams: readonly PanelStream[]): LiveTopic[] {
  const byComponent = new Map<string, Set<string>>()
  for (const { componentUid, streamUid } of streams.slice(0, STREAMS_MAX)) {
    const known = byComponent.get(componentUid) ?? new Set()
    byComponent.set(componentUid, known.add(streamUid))
  }
  return [...byComponent].map(([compUid, uids]) => ({ compUid, streamUids: [...uids] }))
}
