/** Changes of alerts, as the service reports them on the live connection. */
import { useEffect, useRef } from 'react'
import { useLive, useLiveState } from '../api/live.ts'
import { Pulse } from './pulse.ts'

/** How often is asked where no news can be had. */
const POLL_MS = 15_000
const CATALOG = [{ catalog: true }] as const

/** All that shows alerts asks at common moments, so that it is one request. */
const pulse = new Pulse()

/** Calls back when alerts, their states, or their mutes have changed. */
export function useAlertNews(
  onNews: () => void,
  { isOff = false }: { readonly isOff?: boolean } = {},
): void {
  const latest = useRef(onNews)
  latest.current = onNews
  const key = useRef({}).current
  const ask = () => pulse.ask(key, () => latest.current())
  useLive(
    CATALOG,
    (events) => {
      if (events.some(({ event, data }) => event === 'catalog' && data.hasAlerts)) ask()
    },
    { isOff },
  )
  const isRefused = useLiveState() === 'refused'
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these begin and end a poll.
  useEffect(() => {
    if (isOff) return undefined
    const timer = isRefused ? setInterval(ask, POLL_MS) : undefined
    return () => {
      clearInterval(timer)
      pulse.drop(key)
    }
  }, [isOff, isRefused])
}
