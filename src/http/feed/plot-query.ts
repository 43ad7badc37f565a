import {
  EARLIEST_TIME,
  FEED_LIMIT_MAX,
  PLOT_POINTS_MAX,
  type QueryPairs,
  readSingle,
  readWhole,
  refuse,
  TIME_END,
} from '../../base/index.ts'
import type { PlotCommand } from '../../feed/index.ts'
import { readStatisticId } from '../../feed/statistic/index.ts'
import { readTimeParameter } from '../../time/index.ts'

/** Whether a plot is asked for by `sd` and `ed`, as the feed is, and answered in four columns. */
export function isPlainPlot(pairs: QueryPairs): boolean {
  return readSingle(pairs, 'sd') !== undefined || readSingle(pairs, 'ed') !== undefined
}

/** Reads the parameters of a plot. */
export function readPlotQuery(pairs: QueryPairs): Omit<PlotCommand, 'path'> {
  const [first, end] = isPlainPlot(pairs) ? ['sd', 'ed'] : ['from', 'until']
  const other = ['from', 'until'].find((name) => readSingle(pairs, name) !== undefined)
  if (first === 'sd' && other !== undefined)
    refuse('bad_input', {
      what: `Use either "sd" and "ed", or "from" and "until". Remove "${other}"`,
    })
  const from = readTimeParameter(pairs, first)
  const until = readTimeParameter(pairs, end)
  if (from !== undefined && until !== undefined && from >= until) {
    refuse('bad_input', {
      what: `Parameter "${first}" (${from}) must be before "${end}" (${until})`,
    })
  }
  const points = readWhole(pairs, 'points', { min: 1 }) ?? FEED_LIMIT_MAX
  return {
    from,
    until,
    points: Math.min(points, PLOT_POINTS_MAX),
    statistic: readStatistic(pairs),
  }
}

function readStatistic(pairs: QueryPairs): PlotCommand['statistic'] {
  const asked = readCycleAndStat(pairs)
  if (asked === undefined) return undefined
  return { cycleId: asked.cycleId, statistic: readStatisticId(asked.statId) }
}

/** Reads `cycle` and `stat`, which ask for a statistic; both or none. */
export function readCycleAndStat(
  pairs: QueryPairs,
): { readonly cycleId: string; readonly statId: string } | undefined {
  const cycleId = readSingle(pairs, 'cycle')
  const statId = readSingle(pairs, 'stat')
  if (cycleId === undefined && statId === undefined) return undefined
  if (cycleId === undefined) refuse('bad_input', { what: 'Parameter "stat" also needs "cycle"' })
  if (statId === undefined) refuse('bad_input', { what: 'Parameter "cycle" also needs "stat"' })
  return { cycleId, statId }
}

/** Streams of one call for small lines. */
const SPARKS_MAX = 200
const SPARK_POINTS_MAX = 200
const SPARK_POINTS = 48
const DAY_MS = 86_400_000
/** Small lines are of a short while: of years every sample at the edges of stretches would be read. */
const SPARK_DAYS_MAX = 400

/** Reads the parameters of a call for small lines: the last 24 hours unless it says otherwise. */
export function readSparksQuery(pairs: QueryPairs, nowMs: number) {
  const until = readTimeParameter(pairs, 'until') ?? nowMs
  const from = readTimeParameter(pairs, 'from') ?? until - DAY_MS
  if (from >= until) {
    refuse('bad_input', { what: `Parameter "from" (${from}) must be before "until" (${until})` })
  }
  if (from < EARLIEST_TIME || until > TIME_END) {
    refuse('bad_input', { what: '"from" and "until" must be in the years 1900 to 2261' })
  }
  if (until - from > SPARK_DAYS_MAX * DAY_MS) {
    refuse('bad_input', {
      what: `The range can have at most ${SPARK_DAYS_MAX} days. Request a plot instead`,
    })
  }
  const points = readWhole(pairs, 'points', { min: 1 }) ?? SPARK_POINTS
  const limit = readWhole(pairs, 'limit', { min: 1 }) ?? SPARKS_MAX
  return {
    from,
    until,
    points: Math.min(points, SPARK_POINTS_MAX),
    start: readWhole(pairs, 'start', { min: 0 }) ?? 0,
    limit: Math.min(limit, SPARKS_MAX),
  }
}
