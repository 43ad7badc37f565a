import { useEffect, useRef } from 'react'
import { useLive as useLiveEvents, useLiveOpened, useLiveState } from '../api/live.ts'
import type { LiveEvent } from '../api/live-events.ts'
import type { LiveSample } from './live-plot.ts'
import type { StreamUids } from './plots.ts'

/** Events of followed streams. */
export interface LiveNews {
  /** Returns whether the sample is shown. If not, the plot is requested again. */
  readonly onSample: (streamUid: string, sample: LiveSample) => boolean
  /** Another change: the plot must be requested again. */
  readonly onChange: () => void
}

/** Changes in a row are asked for once. */
const CHANGE_MS = 1_000
/** What may change a picture. */
const NEWS: ReadonlySet<string> = new Set(['sample', 'change', 'gap'])
/** How often is asked where no news can be had. */
const POLL_MS = 5_000

/** Follows every sample of streams while it is on; where no news can be had, asks now and then. */
export function useLive(streams: readonly StreamUids[], isOn: boolean, news: LiveNews): void {
  const latest = useRef(news)
  latest.current = news
  const changing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const change = () => {
    changing.current ??= setTimeout(() => {
      changing.current = undefined
      latest.current.onChange()
    }, CHANGE_MS)
  }
  const topics = streams.map(({ componentUid, streamUid }) => ({
    compUid: componentUid,
    streamUids: [streamUid],
  }))
  const follow = (events: readonly LiveEvent[]) => {
    for (const { event, data } of events) {
      const isShown = event === 'sample' && latest.current.onSample(data.streamUid, data)
      if (!isShown && NEWS.has(event)) change()
    }
  }
  useLiveEvents(topics, follow, { isAll: true, isOff: !isOn })
  const state = useLiveState()
  const opened = useLiveOpened()
  const isFollowed = (state === 'live' || state === 'looking') && isOn
  // Of the samples between the answer and the connection, only the last one is sent.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked for once, whatever is drawn
  useEffect(() => {
    if (isFollowed) change()
  }, [isFollowed, opened])
  const isRefused = state === 'refused' && isOn
  useEffect(() => {
    if (!isRefused) return undefined
    const polling = setInterval(() => latest.current.onChange(), POLL_MS)
    return () => clearInterval(polling)
  }, [isRefused])
  useEffect(() => () => clearTimeout(changing.current), [])
}
