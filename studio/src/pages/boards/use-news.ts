import { useContext, useEffect, useRef } from 'react'
import { LiveContext } from './live-board.ts'

/** Streams that send every second are asked for no oftener than so. */
const NEWS_MS = 2_000

/** Calls back when a sample of one of the streams has come, at most every two seconds. */
export function useNews(streamUids: readonly string[], onNews: () => void): void {
  const values = useContext(LiveContext)
  const latest = useRef(onNews)
  latest.current = onNews
  const text = streamUids.join(' ')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        latest.current()
      }, NEWS_MS)
    }
    const stops = text.split(' ').map((uid) => values.follow(uid, look))
    return () => {
      for (const stop of stops) stop()
      clearTimeout(timer)
    }
  }, [values, text])
}
