import type { NumberSeries } from './chart-series.ts'

/** The least and greatest number in a range, and zero where there are bars; undefined without any. */
export function extentOf(
  all: readonly NumberSeries[],
  from: number,
  until: number,
): readonly [number, number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const data of all) {
    const { starts, ends, lows, highs } = data
    for (let at = 0; at < starts.length; at++) {
      if (ends[at] < from || starts[at] > until) continue
      if (lows[at] < low) low = lows[at]
      if (highs[at] > high) high = highs[at]
      if (data.shape === 'bars') [low, high] = [Math.min(low, 0), Math.max(high, 0)]
    }
  }
  return low > high ? undefined : [low, high]
}

/** An extent that includes one more value. */
export function widened(
  extent: readonly [number, number] | undefined,
  value: number | undefined,
): readonly [number, number] | undefined {
  if (value === undefined) return extent
  return extent === undefined
    ? [value, value]
    : [Math.min(extent[0], value), Math.max(extent[1], value)]
}

/** An extent with room around it, for an axis; a level line gets room on both sides. */
export function roomyExtent(extent: readonly [number, number] | undefined): [number, number] {
  if (extent === undefined) return [0, 1]
  const [low, high] = extent
  if (low === high) {
    const room = low === 0 ? 1 : Math.abs(low) * 0.1
    return [low - room, high + room]
  }
  const room = (high - low) * 0.06
  // What begins at zero stands on it.
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room]
}
