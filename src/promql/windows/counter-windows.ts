import { eachWindow, type SampleWindows, type WindowFunction } from './sample-windows.ts'

/** Samples that are no further apart than this many average distances are taken as regular. */
const GAP_FACTOR = 1.1

/** Indexes of samples that are less than the sample before. */
function findResets(values: Float64Array): Int32Array {
  const resets = new Int32Array(values.length)
  let count = 0
  for (let at = 1; at < values.length; at++) if (values[at] < values[at - 1]) resets[count++] = at
  return resets.subarray(0, count)
}

/** `rate`, `increase`, and `delta`: the change between first and last sample, extended to the whole window. */
export function extrapolated(kind: 'rate' | 'increase' | 'delta'): WindowFunction {
  return (windows, output) => {
    const resets = kind === 'delta' ? new Int32Array(0) : findResets(windows.values)
    const { lows, highs, count, values } = windows
    let nextReset = 0
    for (let window = 0; window < count; window++) {
      const first = lows[window]
      const last = highs[window] - 1
      const step = output.first + window
      output.present[step] = last > first ? 1 : 0
      if (last <= first) continue
      let change = values[last] - values[first]
      while (nextReset < resets.length && resets[nextReset] <= first) nextReset++
      for (let at = nextReset; at < resets.length && resets[at] <= last; at++) {
        change += values[resets[at] - 1]
      }
      const factor = extensionFactor(windows, window, kind === 'delta' ? undefined : change)
      output.values[step] = change * (kind === 'rate' ? factor / (windows.rangeMs / 1000) : factor)
    }
  }
}

/** How much longer the window is than the time that its samples cover, as far as that may be assumed. */
function extensionFactor(
  windows: SampleWindows,
  window: number,
  counterChange: number | undefined,
): number {
  const { times, values } = windows
  const first = windows.lows[window]
  const last = windows.highs[window] - 1
  const end = windows.firstEnd + window * windows.stepMs
  const covered = (times[last] - times[first]) / 1000
  const distance = covered / (last - first)
  let toStart = (times[first] - (end - windows.rangeMs)) / 1000
  let toEnd = (end - times[last]) / 1000
  if (toStart >= distance * GAP_FACTOR) toStart = distance / 2
  // A counter does not begin below zero.
  if (counterChange !== undefined && counterChange > 0 && values[first] >= 0) {
    toStart = Math.min(toStart, covered * (values[first] / counterChange))
  }
  if (toEnd >= distance * GAP_FACTOR) toEnd = distance / 2
  return (covered + toStart + toEnd) / covered
}

/** `irate` and `idelta`: the change between the last two samples. */
export function instantChange(kind: 'irate' | 'idelta'): WindowFunction {
  return eachWindow(2, ({ times, values, highs }, window) => {
    const last = highs[window] - 1
    const before = values[last - 1]
    const value = values[last]
    if (kind === 'idelta') return value - before
    const change = value < before ? value : value - before
    return change / ((times[last] - times[last - 1]) / 1000)
  })
}

/** Counts the samples of each window, except its first, that some rule marks. */
function countMarked(isMarked: (value: number, before: number) => boolean): WindowFunction {
  return (windows, output) => {
    const { values } = windows
    const marked = new Int32Array(values.length + 1)
    for (let at = 1; at < values.length; at++) {
      marked[at + 1] = marked[at] + (isMarked(values[at], values[at - 1]) ? 1 : 0)
    }
    eachWindow(1, ({ lows, highs }, window) => marked[highs[window]] - marked[lows[window] + 1])(
      windows,
      output,
    )
  }
}

export const resetCounts: WindowFunction = countMarked((value, before) => value < before)

export const changeCounts: WindowFunction = countMarked(
  (value, before) => value !== before && !(Number.isNaN(value) && Number.isNaN(before)),
)
