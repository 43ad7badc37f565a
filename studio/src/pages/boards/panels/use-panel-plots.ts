import { useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useLiveState } from '../../../api/live.ts'
import { type QueryKey, queries } from '../../../api/query-cache.ts'
import { recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import type { ChartSeries } from '../../../chart/chart-series.ts'
import { chartData } from '../../../chart/chart-series.ts'
import type { Precision } from '../../../chart/digits.ts'
import { precisionOf } from '../../../chart/precision.ts'
import { withSample } from '../../../state/live-plot.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import { LiveContext, type ShownValue, useGone } from '../live-board.ts'
import { GONE, type PlotAnswer, readNames, readPlots } from '../plots.ts'
import { isMoving, rangeAt, type TimeRange } from '../ranges.ts'
import { useNews, useRefresh } from '../use-news.ts'

/** How often the picture of a range that ends with the clock is moved on. */
const MOVE_MS = 15_000
/** Longer names would leave no room for the figures beside them. */
const NAME_LENGTH_MAX = 60
const HOUR_MS = 3_600_000

/** How a panel is looked at. */
interface Asked {
  readonly range: string
  readonly zoom: TimeRange | undefined
  readonly points: number
  readonly isLive: boolean
}

/** How long a chart rests between two questions: of a long range one sample more is hardly seen. */
function pauseOf({ from, until }: TimeRange): number {
  return until - from <= 24 * HOUR_MS + 1 ? 0 : 15_000
}

/** The plots of a panel's streams; while it is live those of streams that have news are asked for again. */
export function usePanelPlots(panel: Panel, { range, zoom, points, isLive }: Asked) {
  const { streams, options } = panel
  const text = JSON.stringify(streams)
  const word = zoom === undefined ? range : `${Math.floor(zoom.from)}..${Math.ceil(zoom.until)}`
  const isFollowing = isLive && isMoving(word)
  const [zone, setZone] = useState(options.timeZoneId || 'UTC')
  const key = ['board-plot', text, word, points, options.cycleId, options.stat, zone]
  const { data, error } = usePlotsOf(panel, { key, word, zone, points, isFollowing })
  const now = useClock(isFollowing)
  const own = data?.answers.find(({ plot }) => plot !== undefined)?.plot?.timeZone
  useEffect(() => {
    // The component says its zone with the first answer; days begin by it from then on.
    if (options.timeZoneId === '' && own !== undefined) setZone(own)
    else if (options.timeZoneId !== '') setZone(options.timeZoneId)
  }, [own, options.timeZoneId])
  const nameOf = useNames(streams, text)
  const gone = useGone(streams.map(({ streamUid }) => streamUid))
  // Answers about streams that were taken out meanwhile are left out, too.
  const drawn = useMemo(
    () =>
      (data?.answers ?? []).flatMap(({ plot }, at) => {
        const stream = streams[at]
        if (plot === undefined || stream === undefined || gone.has(stream.streamUid)) return []
        const name = (nameOf(stream.streamUid) || 'Stream').slice(0, NAME_LENGTH_MAX)
        const series: ChartSeries = {
          key: stream.streamUid,
          name,
          unit: plot.unit,
          data: chartData(plot, { stat: options.stat }),
          precision: precisionIn(options.decimals) ?? precisionOf(plot),
        }
        return [{ plot, series }]
      }),
    [data, streams, gone, nameOf, options.stat, options.decimals],
  )
  const series = useMemo(() => drawn.map((one) => one.series), [drawn])
  const answerOf = (streamUid: string, at: number) =>
    gone.has(streamUid) ? GONE : data?.answers[at]
  const lost = streams.filter(({ streamUid }, at) => answerOf(streamUid, at)?.isGone === true)
  const problems = new Set(
    streams.flatMap(({ streamUid }, at) => {
      const answer = answerOf(streamUid, at)
      return answer === undefined || answer.isGone ? [] : (answer.error ?? [])
    }),
  )
  if (error !== undefined && data === undefined) problems.add(error.message)
  // What was asked for last may be some time ago where nothing has come since.
  const shown = data === undefined || !isFollowing ? data?.range : rangeAt(word, zone, now)
  const latest = shown !== undefined && data !== undefined && data.range.until > shown.until
  const plots = drawn.map(({ plot }) => plot)
  return {
    range: latest ? data.range : shown,
    word,
    isFollowing,
    zone,
    series,
    plots,
    problems: [...problems],
    lost: lost.map((stream) => ({ stream, name: nameOf(stream.streamUid) })),
  }
}

interface Question {
  readonly key: ReadonlyArray<string | number>
  readonly word: string
  readonly zone: string
  readonly points: number
  readonly isFollowing: boolean
}

interface Answers {
  readonly range: TimeRange
  readonly answers: readonly PlotAnswer[]
}

/** Asks for all plots once, and for those of streams with news again. */
function usePlotsOf(panel: Panel, { key, word, zone, points, isFollowing }: Question) {
  const values = useContext(LiveContext)
  const changed = useRef(new Map<string, number>())
  const ask = async (signal: AbortSignal): Promise<Answers> => {
    const range = rangeAt(word, zone, Date.now())
    const known = queries.peek<Answers>(key).data?.answers
    const news = new Map(changed.current)
    const keep = (streamUid: string, at: number): PlotAnswer | undefined => {
      const before = known?.[at]
      const hasNews = news.has(streamUid)
      if (values.isGone(streamUid) || (before?.isGone === true && !hasNews)) return GONE
      return hasNews || news.size === 0 || before?.plot === undefined ? undefined : before
    }
    const answers = await readPlots({ panel, range, points, signal, keep })
    // What came while it was asked for is asked for again.
    for (const [uid, at] of news) if (changed.current.get(uid) === at) changed.current.delete(uid)
    return { range, answers }
  }
  // Without live updates, the panel polls.
  const isAlone = useLiveState() === 'refused'
  const found = useQuery(key, ask, { keepPrevious: true })
  useRefresh(isFollowing && isAlone ? MOVE_MS : undefined, found.reload)
  useGrowth(panel.streams, key, isFollowing)
  const reload = (news: ReadonlySet<string>) => {
    const asked = [...news].filter((uid) => !values.isGone(uid))
    if (!isFollowing || asked.length === 0) return
    for (const uid of asked) changed.current.set(uid, (changed.current.get(uid) ?? 0) + 1)
    found.reload()
  }
  const everyMs = pauseOf(rangeAt(word, zone, Date.now()))
  useNews(
    panel.streams.map(({ streamUid }) => streamUid),
    reload,
    { everyMs },
  )
  return found
}

/** What the panel says of digits. */
function precisionIn(decimals: number | undefined): Precision | undefined {
  return decimals === undefined ? undefined : { decimals, isFixed: true }
}

/** Adds samples to the plots as they arrive; the next question brings those that came in between. */
function useGrowth(streams: readonly PanelStream[], key: QueryKey, isOn: boolean): void {
  const values = useContext(LiveContext)
  const text = JSON.stringify([streams, key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is streams and key.
  useEffect(() => {
    if (!isOn) return undefined
    const stops = streams.map(({ streamUid }, at) =>
      values.follow(streamUid, () => {
        const sample = values.get(streamUid)
        if (sample === undefined || queries.peek(key).data === undefined) return
        queries.put<Answers>(key, (known) => withLive(known as Answers, at, sample))
      }),
    )
    return () => {
      for (const stop of stops) stop()
    }
  }, [values, text, isOn])
}

function withLive({ range, answers }: Answers, at: number, sample: ShownValue): Answers {
  const before = answers[at]?.plot
  if (before === undefined) return { range, answers }
  // The range moves on with the clock, and the plot with it.
  const until = Math.max(before.until, sample.time + 1)
  const plot = withSample({ ...before, until }, sample)
  if (plot === undefined || sample.time <= (before.lastTime ?? 0)) return { range, answers }
  const grown: PlotAnswer = { plot, error: undefined, isGone: false }
  return { range, answers: answers.map((one, place) => (place === at ? grown : one)) }
}

/** How the streams are called; what was known of one that is gone stays known. */
function useNames(streams: readonly PanelStream[], text: string) {
  const { data } = useQuery(recordKey('component', 'names', text), () => readNames(streams))
  const known = useRef(new Map<string, string>())
  return useMemo(() => {
    for (const [at, { streamUid }] of streams.entries()) {
      const name = data?.[at]
      if (name) known.current.set(streamUid, name)
    }
    return (streamUid: string) => known.current.get(streamUid)
  }, [data, streams])
}

/** The time, updated now and then while it is needed. */
function useClock(isOn: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isOn) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), MOVE_MS)
    return () => clearInterval(timer)
  }, [isOn])
  return now
}
