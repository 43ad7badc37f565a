/** The last values of a board's streams, live. */
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react'
import { type LiveTopic, useLive } from '../../api/live.ts'
import type { LiveEvent } from '../../api/live-events.ts'
import { Pulse } from '../../state/pulse.ts'
import type { PanelStream } from './board-types.ts'

/** A sample as the service sends it. */
export interface ShownValue {
  readonly time: number
  readonly data: number | string | boolean | null
  /** The value with its unit. */
  readonly fData?: string
}

/** Most streams that the service follows on one connection. */
const STREAMS_MAX = 1_000

/** What is known of streams, by UID. */
export class LiveValues {
  /** When panels ask for what has changed. */
  readonly pulse = new Pulse()
  readonly #values = new Map<string, ShownValue>()
  readonly #gone = new Set<string>()
  readonly #listeners = new Map<string, Set<() => void>>()

  get(streamUid: string): ShownValue | undefined {
    return this.#values.get(streamUid)
  }

  put(streamUid: string, sample: ShownValue): void {
    this.#values.set(streamUid, sample)
    this.#gone.delete(streamUid)
    this.note(streamUid)
  }

  /** Whether the service has said that a stream does not exist. */
  isGone(streamUid: string): boolean {
    return this.#gone.has(streamUid)
  }

  /** Notes that a stream is not there. */
  putGone(streamUid: string): void {
    this.#gone.add(streamUid)
    this.note(streamUid)
  }

  /** Calls followers of a stream when it changes. */
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

/** The streams that the service has reported as deleted. */
export function useGone(streamUids: readonly string[]): ReadonlySet<string> {
  const values = useContext(LiveContext)
  const key = streamUids.join(' ')
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = key.split(' ').map((uid) => values.follow(uid, listener))
      return () => {
        for (const stop of stops) stop()
      }
    },
    [values, key],
  )
  const gone = useSyncExternalStore(subscribe, () =>
    streamUids.filter((uid) => values.isGone(uid)).join(' '),
  )
  return useMemo(() => new Set(gone.split(' ')), [gone])
}

/** Follows streams while the board is shown; a board that is not live keeps its first state. */
export function useLiveValues(
  streams: readonly PanelStream[],
  { isLive, isAll }: { readonly isLive: boolean; readonly isAll: boolean },
): LiveValues {
  const values = useMemo(() => new LiveValues(), [])
  useEffect(() => () => values.pulse.close(), [values])
  const follow = (events: readonly LiveEvent[]) => {
    for (const { event, data } of events) {
      if (event === 'sample') {
        // Panels without live updates show the state of their loading.
        if (isLive || values.get(data.streamUid) === undefined) values.put(data.streamUid, data)
      } else if (event === 'missing') {
        for (const { componentUid, streamUid } of streams) {
          const isNamed = data.streamUid === undefined || data.streamUid === streamUid
          if (isNamed && componentUid === data.compUid) values.putGone(streamUid)
        }
      } else if (isLive && (event === 'change' || event === 'gap')) values.note(data.streamUid)
    }
  }
  // Tables show every sample; for others the last one of each moment is enough.
  useLive(topicsOf(streams), follow, { isAll })
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
