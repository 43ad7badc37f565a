import type { Plot } from './chart-series.ts'
import type { TimeRange } from './time-range.ts'

/** Whether plots are known for all of a range and none of them has anything in it. */
export function isEmptyIn(plots: ReadonlyArray<Plot | undefined>, range: TimeRange): boolean {
  return plots.length > 0 && plots.every((plot) => plot !== undefined && isEmpty(plot, range))
}

function isEmpty(plot: Plot, { from, until }: TimeRange): boolean {
  // A movement may have led beyond the plot, and then nothing is known yet.
  if (plot.from > from || plot.until < until) return false
  const { time = [], start = time, kind, before } = plot
  // A state lasts until the next sample.
  const isState = kind === 'text' || kind === 'boolean'
  if (isState && before !== null && before !== undefined) return false
  const end = plot.start === undefined ? time : (plot.end ?? time)
  return !start.some(
    (at, index) => at < until && end[index] >= from && plot.value?.[index] !== null,
  )
}
