import { useEffect, useMemo } from 'react'
import { ApiError, asApiError } from '../api/api-error.ts'
import { type QueryKey, queries } from '../api/query-cache.ts'
import { useQuery } from '../api/use-query.ts'
import type { Plot } from '../chart/chart-series.ts'
import type { TimeRange } from '../chart/time-range.ts'
import type { CycleChoice } from './cycle-choice.ts'
import { type Earlier, earlierRange, moveLater } from './earlier.ts'
import { type LiveSample, withSample } from './live-plot.ts'
import { askOnePlot } from './plot-batch.ts'

/** A stream by the UIDs of its component and itself. */
export interface StreamUids {
  readonly componentUid: string
  readonly streamUid: string
}

/** A stream on a chart, as it is or as something that it is compared with. */
export interface PlottedStream extends StreamUids {
  /** What tells it from other series of the same stream; by default the UID of the stream. */
  readonly key?: string
  /** The same range a period earlier, on the clocks of the zone. */
  readonly earlier?: { readonly period: Earlier; readonly zone: string }
  /** Instead of what the whole chart shows. */
  readonly cycle?: CycleChoice
}

/** What tells a series from the others of a chart. */
export const seriesKey = ({ key, streamUid }: PlottedStream) => key ?? streamUid

/** Stands for the average with its minimum and maximum, among the statistics. */
export const BAND = 'band'

/** The plot of one stream, or why there is none. */
export interface PlotAnswer {
  readonly key: string
  readonly plot: Plot | undefined
  readonly error: ApiError | undefined
}

/** What the plots of some streams are asked by. */
export interface PlotsQuestion {
  readonly streams: readonly PlottedStream[]
  readonly range: TimeRange
  readonly points: number
  readonly cycle: CycleChoice | undefined
}

const keyOf = ({ streams, range, points, cycle }: PlotsQuestion) => [
  'plots',
  streams.map((stream) => `${stream.componentUid}.${seriesKey(stream)}`).join(),
  range.from,
  range.until,
  points,
  cycle?.cycle,
  cycle?.stat,
]

/** The plots of some streams; those of the range before stay until they are there. */
export function usePlots(question: PlotsQuestion) {
  const { streams, points } = question
  const isOff = streams.length === 0 || points === 0
  const key = keyOf(question)
  const { data, isLoading, error, reload } = useQuery<readonly PlotAnswer[]>(
    key,
    (signal) => Promise.all(streams.map((stream) => fetchPlot(stream, question, signal))),
    { keepPrevious: true, isOff },
  )
  useBounded(key)
  // Of what was shown before, streams that are still there keep their picture.
  const answers = useMemo(() => {
    const known = new Map(data?.map((answer) => [answer.key, answer]))
    return streams.map((stream) => known.get(seriesKey(stream)))
  }, [data, streams])
  /** Adds a sample that has arrived; returns whether it is shown; otherwise the plot must be requested again. */
  const add = (streamUid: string, sample: LiveSample): boolean => {
    // As it is at this moment: several samples may come before one is drawn.
    const known = queries.peek<readonly PlotAnswer[]>(key).data
    const before = known?.find(({ key: name }) => name === streamUid)?.plot
    const plot = before === undefined ? undefined : withSample(before, sample)
    if (plot === undefined) return false
    if (plot === before) return true
    // An answer on its way may have the sample already, and is then left as it is.
    const grown = (answer: PlotAnswer): PlotAnswer => {
      if (answer.key !== streamUid || answer.plot === undefined) return answer
      return { ...answer, plot: withSample(answer.plot, sample) ?? answer.plot }
    }
    queries.put<readonly PlotAnswer[]>(key, (answers = []) => answers.map(grown))
    return true
  }
  return { answers, isLoading, error, reload, add }
}

/** Plots of ranges seen before that are kept: each may have some hundred kilobytes. */
const KEPT_MAX = 20
const recent: QueryKey[] = []

/** Lets go of the plots that were seen longest ago. */
function useBounded(key: QueryKey): void {
  const text = JSON.stringify(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the key.
  useEffect(() => {
    recent.push(key)
    for (const old of recent.splice(0, Math.max(recent.length - KEPT_MAX, 0))) queries.drop(old)
  }, [text])
}

/** What one plot is asked by. */
type PlotQuestion = Pick<PlotsQuestion, 'range' | 'points'> & {
  readonly cycle: CycleChoice | undefined
}

/** The plot of a stream, of its samples or of one statistic. */
export async function askPlot(
  { componentUid, streamUid }: StreamUids,
  { range, points, cycle }: PlotQuestion,
  signal: AbortSignal,
): Promise<Plot> {
  const statistic = cycle === undefined ? {} : { cycle: cycle.cycle, stat: cycle.stat }
  const { from, until } = range
  return await askOnePlot({ componentUid, streamUid, from, until, points, ...statistic }, signal)
}

/** Entries of a call for periods: as many as the service gives. */
const PERIODS_PER_CALL = 4_000
/** Periods of a file at most; of more the latest. */
const PERIODS_MAX = 200_000

interface PeriodsQuestion {
  readonly range: TimeRange
  readonly choice: CycleChoice
  readonly signal: AbortSignal
  /** Called with the number received so far. */
  readonly onRows: (rows: number) => void
}

/** All periods of a range with one statistic, oldest first, however many pixels would show them. */
export async function readPeriods(
  stream: StreamUids,
  { range, choice, signal, onRows }: PeriodsQuestion,
) {
  const pages: Plot[] = []
  let [until, count, isMore] = [range.until, 0, true]
  while (isMore && count < PERIODS_MAX && until > range.from) {
    const asked = { range: { from: range.from, until }, points: PERIODS_PER_CALL, cycle: choice }
    const plot = await askPlot(stream, asked, signal)
    pages.unshift(plot)
    count += plot.start?.length ?? 0
    onRows(count)
    isMore = plot.more === true && (plot.start?.length ?? 0) > 0
    until = plot.start?.[0] ?? until
  }
  return {
    unit: pages[0]?.unit ?? '',
    start: pages.flatMap(({ start = [] }) => start),
    end: pages.flatMap(({ end = [] }) => end),
    value: pages.flatMap(({ value = [] }) => value),
  }
}

async function fetchPlot(
  stream: PlottedStream,
  { range, points, cycle: ofAll }: PlotsQuestion,
  signal: AbortSignal,
): Promise<PlotAnswer> {
  const key = seriesKey(stream)
  const { earlier, cycle = ofAll } = stream
  const asked = earlier === undefined ? range : earlierRange(range, earlier.period, earlier.zone)
  const ask = (stat: string) => {
    const statistic = cycle === undefined ? undefined : { ...cycle, stat }
    return askPlot(stream, { range: asked, points, cycle: statistic }, signal)
  }
  try {
    const found = cycle?.stat === BAND ? await bandOf(ask) : await ask(cycle?.stat ?? '')
    const plot = earlier === undefined ? found : moveLater(found, range, earlier)
    return { key, plot, error: undefined }
  } catch (error) {
    // A tab that lost the connection reloads everything; an error of one stream is shown there.
    if (signal.aborted || (error instanceof ApiError && error.status === 0)) throw error
    return { key, plot: undefined, error: asApiError(error) }
  }
}

/** The average of each period with its minimum and maximum; a period has all three or none. */
async function bandOf(ask: (stat: string) => Promise<Plot>): Promise<Plot> {
  const [mean, min, max] = await Promise.all([ask('avg'), ask('min'), ask('max')])
  const isSame = [min, max].every(({ start = [] }) => start.length === mean.start?.length)
  return isSame ? { ...mean, min: min.value, max: max.value } : mean
}

/** Entries to request for a chart of a given width. Rounded to steps, so that small changes cause no request. */
export function pointsFor(pixels: number): number {
  return pixels === 0 ? 0 : Math.min(Math.max(Math.ceil(pixels / 200) * 200, 200), 4_000)
}
