/** Plots that grow as samples arrive, without reloading. */
import type { Plot, PlotValue } from '../chart/chart-series.ts'

/** A sample as live events send it. */
export interface LiveSample {
  readonly time: number
  readonly data: PlotValue
}

/** Samples beyond which a plot is requested again, so that the service summarizes it. */
const SAMPLES_MAX = 8_000

/**
 * A plot with one sample more. Returns undefined when the plot must be requested again: the sample lies among existing
 * ones, or this kind of plot cannot grow by a sample.
 */
export function withSample(plot: Plot, { time, data }: LiveSample): Plot | undefined {
  if (time < plot.from || time >= plot.until) return plot
  const lastTime = Math.max(plot.lastTime ?? time, time)
  if (plot.form === 'samples') {
    const { time: times = [], value = [] } = plot
    const last = times.at(-1) ?? Number.NEGATIVE_INFINITY
    if (plot.start !== undefined || time < last || times.length >= SAMPLES_MAX) return undefined
    if (time === last) return { ...plot, value: [...value.slice(0, -1), data] }
    return { ...plot, lastTime, time: [...times, time], value: [...value, data] }
  }
  if (plot.form === 'spans' && plot.kind === 'number' && typeof data === 'number') {
    return withNumber(plot, { time, data })
  }
  return undefined
}

function withNumber(plot: Plot, { time, data }: { time: number; data: number }): Plot | undefined {
  const {
    start = [],
    end = [],
    count = [],
    first = [],
    min = [],
    max = [],
    last = [],
    mean = [],
  } = plot
  const at = start.length - 1
  if (at >= 0 && time <= end[at]) return undefined
  const lastTime = time
  const isNewSpan = at < 0 || time - start[at] >= (plot.spanMs ?? 0)
  if (isNewSpan) {
    return {
      ...plot,
      lastTime,
      start: [...start, time],
      end: [...end, time],
      count: [...count, 1],
      first: [...first, data],
      min: [...min, data],
      max: [...max, data],
      last: [...last, data],
      mean: [...mean, data],
    }
  }
  const put = <T>(list: readonly T[], value: T): T[] => [...list.slice(0, -1), value]
  const total = count[at] + 1
  return {
    ...plot,
    lastTime,
    end: put(end, time),
    count: put(count, total),
    last: put(last, data),
    min: put(min, Math.min(Number(min[at]), data)),
    max: put(max, Math.max(Number(max[at]), data)),
    mean: put(mean, (Number(mean[at]) * count[at] + data) / total),
  }
}
