import { RunningSum } from './running-sum.ts'
import { eachWindow, type WindowFunction } from './sample-windows.ts'

/** `sum_over_time` and `avg_over_time`: the exact sum of each window, rounded once. */
export function summed(kind: 'sum' | 'avg'): WindowFunction {
  return (windows, output) => {
    const { values } = windows
    const running = new RunningSum()
    let low = 0
    let high = 0
    eachWindow(1, ({ lows, highs }, window) => {
      if (lows[window] >= high) {
        running.clear()
        low = lows[window]
        high = low
      }
      while (high < highs[window]) running.add(values[high++])
      while (low < lows[window]) running.remove(values[low++])
      return kind === 'sum' ? running.sum() : running.mean(high - low)
    })(windows, output)
  }
}

/** How extremes are looked up: the candidates of a window, best first, found in one pass over the samples. */
interface ExtremeRule {
  readonly isMax: boolean
  /** Of equal values, whether the last one counts instead of the first. */
  readonly isLast: boolean
  readonly part: 'value' | 'time'
}

/** `max_over_time`, `min_over_time`, `ts_of_max_over_time`, and `ts_of_min_over_time`. */
export function extreme({ isMax, isLast, part }: ExtremeRule): WindowFunction {
  return (windows, output) => {
    const { times, values } = windows
    // Indexes of candidates: each is beaten by none after it.
    const queue = new Int32Array(values.length)
    let front = 0
    let back = 0
    let high = 0
    const isBeaten = (old: number, value: number): boolean => {
      if (values[old] === value) return isLast
      return isMax ? values[old] < value : values[old] > value
    }
    eachWindow(1, ({ lows, highs }, window) => {
      for (; high < highs[window]; high++) {
        if (Number.isNaN(values[high])) continue
        while (back > front && isBeaten(queue[back - 1], values[high])) back--
        queue[back++] = high
      }
      while (front < back && queue[front] < lows[window]) front++
      if (front === back) {
        // Every sample of the window is a NaN.
        return part === 'value'
          ? Number.NaN
          : times[isLast ? highs[window] - 1 : lows[window]] / 1000
      }
      return part === 'value' ? values[queue[front]] : times[queue[front]] / 1000
    })(windows, output)
  }
}

export const sampleCounts: WindowFunction = eachWindow(
  1,
  ({ lows, highs }, window) => highs[window] - lows[window],
)

export const presentOnes: WindowFunction = eachWindow(1, () => 1)

export const firstValues: WindowFunction = eachWindow(
  1,
  ({ values, lows }, window) => values[lows[window]],
)

export const lastValues: WindowFunction = eachWindow(
  1,
  ({ values, highs }, window) => values[highs[window] - 1],
)

export const firstTimes: WindowFunction = eachWindow(
  1,
  ({ times, lows }, window) => times[lows[window]] / 1000,
)

export const lastTimes: WindowFunction = eachWindow(
  1,
  ({ times, highs }, window) => times[highs[window] - 1] / 1000,
)
