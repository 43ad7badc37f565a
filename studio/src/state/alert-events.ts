/** When alerts fired on the streams of charts: all charts of a page ask together. */
import { useMemo } from 'react'
import { call } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'
import { useQuery } from '../api/use-query.ts'
import type { ChartMark, ChartMarks } from '../chart/chart-marks.ts'
import type { TimeRange } from '../chart/time-range.ts'
import { useAlertNews } from './alert-news.ts'

type AlertEvent = Schema<'BoardAlertEvent'>
type AskedEvents = Schema<'BoardAlertsBody'>['event'][number]

interface FoundEvents {
  readonly event: readonly AlertEvent[]
  readonly isCut: boolean
}

interface Waiting {
  readonly asked: readonly AskedEvents[]
  readonly resolve: (found: FoundEvents) => void
  readonly reject: (error: unknown) => void
}

/** What is asked for within this time goes together. */
const GATHER_MS = 10
/** As many streams as the service answers at once. */
const STREAMS_MAX = 1_000

let waiting: Waiting[] = []

function askEvents(asked: readonly AskedEvents[]): Promise<FoundEvents> {
  return new Promise((resolve, reject) => {
    waiting.push({ asked: asked.slice(0, STREAMS_MAX), resolve, reject })
    if (waiting.length === 1) setTimeout(sendAll, GATHER_MS)
  })
}

function sendAll(): void {
  const gathered = waiting
  waiting = []
  for (const part of partsOf(gathered)) {
    sendOne(part).catch((error: unknown) => {
      for (const { reject } of part) reject(error)
    })
  }
}

function partsOf(all: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = []
  let streams = 0
  for (const one of all) {
    streams += one.asked.length
    const part = parts.at(-1)
    if (part === undefined || streams > STREAMS_MAX) {
      parts.push([one])
      streams = one.asked.length
    } else part.push(one)
  }
  return parts
}

async function sendOne(part: readonly Waiting[]): Promise<void> {
  const body = { event: part.flatMap(({ asked }) => [...asked]) }
  const { event, isCut } = await call('post', '/api/alert/board', { body })
  for (const { asked, resolve } of part) {
    const own = event.filter(({ streamUid, time }) =>
      asked.some((one) => one.streamUid === streamUid && time >= one.from && time < one.until),
    )
    resolve({ event: own, isCut })
  }
}

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
