import {
  FEED_LIMIT_MAX,
  PLOT_POINTS_MAX,
  type QueryPairs,
  readSingle,
  readWhole,
  refuse,
} from '../../base/index.ts'
import { type PlotCommand, readStatisticId } from '../../feed/index.ts'

const TIME = { min: Number.MIN_SAFE_INTEGER }

/** Reads the parameters of a plot. */
export function readPlotQuery(pairs: QueryPairs): Omit<PlotCommand, 'path'> {
  const from = readWhole(pairs, 'from', TIME)
  const until = readWhole(pairs, 'until', TIME)
  if (from !== undefined && until !== undefined && from >= until) {
    refuse('bad_input', { what: `Parameter "from" (${from}) must be before "until" (${until})` })
  }
  const points = readWhole(pairs, 'points', { min: 1 }) ?? FEED_LIMIT_MAX
  return {
    ...{ from, until, points: Math.min(points, PLOT_POINTS_MAX) },
    statistic: readStatistic(pairs),
  }
}

function readStatistic(pairs: QueryPairs): PlotCommand['statistic'] {
  const cycleId = readSingle(pairs, 'cycle')
  const statId = readSingle(pairs, 'stat')
  if (cycleId === undefined && statId === undefined) return undefined
  if (cycleId === undefined)
    refuse('bad_input', { what: 'Parameter "stat" needs "cycle" beside it' })
  if (statId === undefined)
    refuse('bad_input', { what: 'Parameter "cycle" needs "stat" beside it' })
  return { cycleId, statistic: readStatisticId(statId) }
}
