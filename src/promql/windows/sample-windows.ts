import { StaleTest } from '../series/stale-marker.ts'

/** The samples of one series in the window of each step: those from lows[step] to before highs[step]. */
export interface SampleWindows {
  readonly times: Float64Array
  readonly values: Float64Array
  readonly lows: Int32Array
  readonly highs: Int32Array
  readonly count: number
  /** Window k ends at firstEnd + k · stepMs, and begins rangeMs before. */
  readonly firstEnd: number
  readonly stepMs: number
  readonly rangeMs: number
  /** Throws when the query has to end. */
  readonly checkStop: () => void
}

/** How many samples of windows are worked on before the query is asked whether it has to end. */
const SAMPLES_PER_CHECK = 1_000_000

/** Where a function writes its results: the step `first + k` gets that of window k. */
interface WindowOutput {
  readonly values: Float64Array
  readonly present: Uint8Array
  readonly first: number
}

/** Writes a result, or none, for every window. */
export type WindowFunction = (windows: SampleWindows, output: WindowOutput) => void

/** Calls a function for every window that has at least `least` samples. */
export function eachWindow(
  least: number,
  one: (windows: SampleWindows, window: number) => number,
): WindowFunction {
  return (windows, { values, present, first }) => {
    const { lows, highs, count } = windows
    let unchecked = 0
    for (let window = 0; window < count; window++) {
      const size = highs[window] - lows[window]
      unchecked += size
      if (unchecked > SAMPLES_PER_CHECK) {
        unchecked = 0
        windows.checkStop()
      }
      const hasEnough = size >= least
      present[first + window] = hasEnough ? 1 : 0
      if (hasEnough) values[first + window] = one(windows, window)
    }
  }
}

/** Finds the windows of samples in one pass. Stale markers are no samples. */
export function cutWindows(
  samples: { readonly times: Float64Array; readonly values: Float64Array },
  frame: Pick<SampleWindows, 'count' | 'firstEnd' | 'stepMs' | 'rangeMs' | 'checkStop'>,
): SampleWindows {
  const { times, values } = withoutStale(samples)
  const { count, firstEnd, stepMs, rangeMs } = frame
  const lows = new Int32Array(count)
  const highs = new Int32Array(count)
  let low = 0
  let high = 0
  for (let window = 0; window < count; window++) {
    const end = firstEnd + window * stepMs
    while (high < times.length && times[high] <= end) high++
    while (low < high && times[low] <= end - rangeMs) low++
    lows[window] = low
    highs[window] = high
  }
  return { times, values, lows, highs, ...frame }
}

function withoutStale(samples: { readonly times: Float64Array; readonly values: Float64Array }): {
  readonly times: Float64Array
  readonly values: Float64Array
} {
  const { times, values } = samples
  const stale = new StaleTest(values)
  let first = 0
  while (first < values.length && !(Number.isNaN(values[first]) && stale.isStale(first))) first++
  if (first === values.length) return samples
  const keptTimes = times.slice()
  const keptValues = values.slice()
  let kept = first
  for (let at = first; at < values.length; at++) {
    if (Number.isNaN(values[at]) && stale.isStale(at)) continue
    keptTimes[kept] = times[at]
    keptValues[kept] = values[at]
    kept++
  }
  return { times: keptTimes.subarray(0, kept), values: keptValues.subarray(0, kept) }
}
