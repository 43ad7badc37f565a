/** When alerts fired on the streams of charts. */
import { useMemo } from 'react'
import { useQuery } from '../api/use-query.ts'
import type { ChartMark, ChartMarks } from '../chart/chart-marks.ts'
import type { TimeRange } from '../chart/time-range.ts'
import { type AlertEvent, askEvents } from './alert-board.ts'
import { useAlertNews } from './alert-news.ts'

interface AskedMarks {
  /** Names the range: the same word for the same marks. */
  readonly word: string
  /** What the word means at the moment. */
  readonly range: () => TimeRange
  readonly isLive: boolean
  readonly isOff?: boolean
}

/** The events of alerts on streams, as marks of a chart. */
export function useAlertMarks(
  streamUids: readonly string[],
  { word, range, isLive, isOff = false }: AskedMarks,
): ChartMarks | undefined {
  const uids = [...new Set(streamUids)]
  const isNone = isOff || uids.length === 0
  const ask = () => {
    const { from, until } = range()
    const [first, end] = [Math.floor(from), Math.ceil(until)]
    return askEvents(uids.map((streamUid) => ({ streamUid, from: first, until: end })))
  }
  const key = ['alert-marks', uids.join(' '), word]
  const { data, reload } = useQuery(key, ask, { keepPrevious: true, isOff: isNone })
  useAlertNews(reload, { isOff: isNone || !isLive })
  const isOne = uids.length === 1
  return useMemo(
    () =>
      data === undefined
        ? undefined
        : {
            label: 'Alert events',
            marks: data.event.map((event) => markOf(event, isOne)),
            note: data.isCut ? 'Older alert events are not shown.' : '',
          },
    [data, isOne],
  )
}

function markOf(event: AlertEvent, isOne: boolean): ChartMark {
  const { uid, alertUid, alertName, state, time, value, componentName, componentId } = event
  const isStart = state === 'FIRING'
  const stream = `${componentName || componentId || 'Component'} / ${event.streamId || 'stream'}`
  const about = [isOne ? '' : stream, value ?? ''].filter(Boolean).join(', ')
  return {
    key: uid,
    time,
    isStart,
    state: isStart ? 'Fired' : 'Resolved',
    name: alertName || 'Unnamed alert',
    about,
    to: `/alerts/${alertUid}`,
  }
}
