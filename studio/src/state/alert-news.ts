/** Changes of alerts, as the service reports them on the live connection. */
import { useEffect, useRef } from 'react'
import { useLive } from '../api/live.ts'
import { Pulse } from './pulse.ts'

/** How often is asked by what follows no news. */
const POLL_MS = 15_000
const CATALOG = [{ catalog: true }] as const

/** All that shows alerts asks at common moments, so that it is one request. */
const pulse = new Pulse()

/** Calls back again and again while the page is visible, together with all else that shows alerts. */
export function useAlertPoll(onPoll: () => void, isOff = false): void {
  const latest = useRef(onPoll)
  latest.current = onPoll
  useEffect(() => {
    if (isOff) return undefined
    const key = {}
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') pulse.ask(key, () => latest.current())
    }, POLL_MS)
    return () => {
      clearInterval(timer)
      pulse.drop(key)
    }
  }, [isOff])
}

/** The callbacks of everything on the page that shows alerts. */
const viewers = new Set<() => void>()

/**
 * Calls back when alerts, their states, or their mutes have changed, together with all others that show alerts: they
 * are one request.
 */
export function useAlertNews(
  onNews: () => void,
  { isOff = false }: { readonly isOff?: boolean } = {},
): void {
  const latest = useRef(onNews)
  latest.current = onNews
  useEffect(() => {
    if (isOff) return undefined
    const view = () => latest.current()
    viewers.add(view)
    return () => {
      viewers.delete(view)
    }
  }, [isOff])
  useLive(
    CATALOG,
    (events) => {
      if (!events.some(({ event, data }) => event === 'catalog' && data.hasAlerts)) return
      pulse.ask(viewers, () => {
        for (const view of [...viewers]) view()
      })
    },
    { isOff },
  )
}
