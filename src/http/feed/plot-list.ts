/** Many plots in one call: what is asked for, and the answer of each. */
import type { Static } from 'typebox'
import {
  FEED_LIMIT_MAX,
  PLOT_POINTS_MAX,
  PLOTS_POINTS_MAX,
  Refusal,
  refuse,
} from '../../base/index.ts'
import type { Plot, PlotCommand } from '../../feed/index.ts'
import { readStatisticId } from '../../feed/statistic/index.ts'
import type { plotsBody } from './plot-wire.ts'

type AskedPlot = Static<typeof plotsBody>['plot'][number]

/** From this status on an error is not about one plot: the whole call fails and can be repeated. */
const WHOLE_FROM = 500
const RATE_LIMITED = 429

/** The plots of a call; refuses more points than one answer can have. */
export function readPlotList({ plot }: Static<typeof plotsBody>): readonly AskedPlot[] {
  const points = plot.reduce((sum, one) => sum + pointsOf(one), 0)
  if (points > PLOTS_POINTS_MAX) {
    const what = `The plots have ${points} points together: at most ${PLOTS_POINTS_MAX}`
    refuse('bad_input', { what: `${what}. Use fewer "points", or send several requests` })
  }
  return plot
}

/** One plot of a list as a command. */
export function plotCommand(asked: AskedPlot): Omit<PlotCommand, 'memory'> {
  const { componentUid, streamUid, from, until, cycle, stat } = asked
  if (from !== undefined && until !== undefined && from >= until) {
    refuse('bad_input', { what: `"from" (${from}) must be before "until" (${until})` })
  }
  if ((cycle === undefined) !== (stat === undefined)) {
    refuse('bad_input', { what: 'A statistic needs both "cycle" and "stat"' })
  }
  const statistic =
    cycle === undefined || stat === undefined
      ? undefined
      : { cycleId: cycle, statistic: readStatisticId(stat) }
  return { path: { componentUid, streamUid }, from, until, points: pointsOf(asked), statistic }
}

function pointsOf({ points = FEED_LIMIT_MAX }: AskedPlot): number {
  return Math.min(points, PLOT_POINTS_MAX)
}

/** A plot, or why there is none; throws what concerns the whole call. */
export async function plotOrRefusal(read: () => Promise<Plot>): Promise<Plot | Refusal> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.status >= WHOLE_FROM || error.status === RATE_LIMITED) throw error
    return error
  }
}

/** Refuses the whole call where the caller may read none of its streams. */
export function requireSomePlot(refused: readonly Refusal[]): void {
  const [first] = refused
  if (first !== undefined && refused.every(({ code }) => code === 'forbidden')) throw first
}
