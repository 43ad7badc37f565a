import { useEffect, useRef } from 'react'
import type { LiveSample } from './live-plot.ts'
import type { StreamUids } from './plots.ts'

/** What is told of streams that are followed. */
export interface LiveNews {
  readonly onSample: (streamUid: string, sample: LiveSample) => void
  /** Something else changed: what is shown is to be asked for anew. */
  readonly onChange: () => void
}

/** Changes in a row are asked for once. */
const CHANGE_MS = 1_000
/** How often is asked where no news can be had. */
const POLL_MS = 5_000

/** Follows streams by server-sent events while it is on; where there are none, asks now and then. */
export function useLive(streams: readonly StreamUids[], isOn: boolean, news: LiveNews): void {
  const latest = useRef(news)
  latest.current = news
  const names = streams.map(({ componentUid, streamUid }) => `${componentUid}.${streamUid}`).join()
  useEffect(() => {
    if (!isOn || names === '') return undefined
    const source = new EventSource(addressOf(names))
    let changing: ReturnType<typeof setTimeout> | undefined
    let polling: ReturnType<typeof setInterval> | undefined
    const change = () => {
      changing ??= setTimeout(() => {
        changing = undefined
        latest.current.onChange()
      }, CHANGE_MS)
    }
    source.addEventListener('sample', (event) => {
      const { streamUid, time, data } = JSON.parse(event.data)
      latest.current.onSample(streamUid, { time, data })
    })
    source.addEventListener('change', change)
    source.addEventListener('gap', change)
    source.addEventListener('open', () => clearInterval(polling))
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return
      clearInterval(polling)
      polling = setInterval(() => latest.current.onChange(), POLL_MS)
    })
    return () => {
      source.close()
      clearTimeout(changing)
      clearInterval(polling)
    }
  }, [names, isOn])
}

/** Components and, behind each, its streams. */
function addressOf(names: string): string {
  const query = names.split(',').flatMap((name) => {
    const [componentUid, streamUid] = name.split('.')
    return [`compUid=${componentUid}`, `streamUid=${streamUid}`]
  })
  return `/api/live?${query.join('&')}`
}
