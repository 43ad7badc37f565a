import { useContext, useEffect, useRef } from 'react'
import { LiveContext } from './live-board.ts'

interface NewsOptions {
  /** The pause after a call back, at least. */
  readonly everyMs?: number
}

/** Calls back with the streams of which something has come, together with the other panels of the board. */
export function useNews(
  streamUids: readonly string[],
  onNews: (streamUids: ReadonlySet<string>) => void,
  { everyMs = 0 }: NewsOptions = {},
): void {
  const values = useContext(LiveContext)
  const noted = useRef(new Set<string>())
  const doneAt = useRef(Number.NEGATIVE_INFINITY)
  const latest = useRef(onNews)
  latest.current = onNews
  const text = streamUids.join(' ')
  useEffect(() => {
    const key = noted
    const act = () => {
      const shown = noted.current
      noted.current = new Set()
      doneAt.current = performance.now()
      latest.current(shown)
    }
    const stops = text.split(' ').map((uid) =>
      values.follow(uid, () => {
        noted.current.add(uid)
        values.pulse.ask(key, act, doneAt.current + everyMs)
      }),
    )
    return () => {
      for (const stop of stops) stop()
      values.pulse.drop(key)
    }
  }, [values, text, everyMs])
}

/** Calls back again and again while `everyMs` is given and the page is visible, together with the other panels. */
export function useRefresh(everyMs: number | undefined, onRefresh: () => void): void {
  const { pulse } = useContext(LiveContext)
  const latest = useRef(onRefresh)
  latest.current = onRefresh
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const key = {}
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') pulse.ask(key, () => latest.current())
    }, everyMs)
    return () => {
      clearInterval(timer)
      pulse.drop(key)
    }
  }, [pulse, everyMs])
}
