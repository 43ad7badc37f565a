import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import { type QueryKey, type QueryState, queries } from './query-cache.ts'

/** What a component may choose. */
interface QueryOptions<T> {
  /** Asks nothing while it is true. */
  readonly isOff?: boolean
  /** Shows the answer of the key before until that of the key is there: pictures stay, nothing blinks. */
  readonly keepPrevious?: boolean
  /**
   * Interval in milliseconds at which the query is repeated while the page is visible. A function returns it for the
   * latest answer: what runs is followed closely.
   */
  readonly refreshMs?: number | ((data: T | undefined) => number)
}

/** The answer of the service to a query, or why it refused, kept in the cache: `useQuery(['component', uid], (signal) => …)`. */
export function useQuery<T>(
  key: QueryKey,
  fetcher: (signal: AbortSignal) => Promise<T>,
  options: QueryOptions<T> = {},
): QueryState<T> & { reload(): void } {
  const { isOff = false, keepPrevious = false } = options
  const latest = useRef({ key, fetcher })
  latest.current = { key, fetcher }
  const text = JSON.stringify(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the key.
  const subscribe = useCallback(
    (listener: () => void) => {
      if (isOff) return () => {}
      const ask = (signal: AbortSignal) => latest.current.fetcher(signal)
      return queries.follow(latest.current.key, ask, listener)
    },
    [text, isOff],
  )
  const state = useSyncExternalStore(subscribe, () => queries.peek<T>(latest.current.key))
  const previous = useRef<T | undefined>(undefined)
  if (state.data !== undefined) previous.current = state.data
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the key.
  const reload = useCallback(() => queries.invalidate(latest.current.key), [text])
  const { refreshMs: given } = options
  const refreshMs = typeof given === 'function' ? given(state.data) : given
  useEffect(() => {
    if (refreshMs === undefined || isOff) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [refreshMs, isOff, reload])
  const data = state.data ?? (keepPrevious ? previous.current : undefined)
  // A lost connection is shown once, at the top of the page. Requests are repeated when it is back.
  const error = state.error?.code === 'connection' ? undefined : state.error
  return { ...state, data, error, reload }
}

/** Makes all queries whose keys begin so be asked again: after a change of what they read. */
export function invalidate(...beginning: QueryKey): void {
  queries.invalidate(beginning)
}
