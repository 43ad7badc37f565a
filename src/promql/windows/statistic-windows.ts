import { executionError } from '../evaluate/evaluation.ts'
import { KahanSum } from '../series/kahan-sum.ts'
import { quantileOf } from '../series/quantile-of.ts'
import { eachWindow, type SampleWindows, type WindowFunction } from './sample-windows.ts'

/** `stdvar_over_time`, and with a root `stddev_over_time`. */
export function variance(root: boolean): WindowFunction {
  return eachWindow(1, ({ values, lows, highs }, window) => {
    const mean = new KahanSum()
    const squares = new KahanSum()
    let count = 0
    for (let at = lows[window]; at < highs[window]; at++) {
      count++
      const delta = values[at] - mean.total
      mean.add(delta / count)
      squares.add(delta * (values[at] - mean.total))
    }
    const result = squares.total / count
    return root ? Math.sqrt(result) : result
  })
}

function valuesOf({ values, lows, highs }: SampleWindows, window: number): Float64Array {
  return values.slice(lows[window], highs[window])
}

/** `quantile_over_time`. The quantiles are those of the steps of the output. */
export function quantiles(quantile: Float64Array): WindowFunction {
  return (windows, output) =>
    eachWindow(1, (_, window) =>
      quantileOf(quantile[output.first + window], valuesOf(windows, window)),
    )(windows, output)
}

/** `mad_over_time`: the median distance from the median. */
export const medianDistances: WindowFunction = eachWindow(1, (windows, window) => {
  const values = valuesOf(windows, window)
  if (values.some(Number.isNaN)) return Number.NaN
  const median = quantileOf(0.5, values)
  return quantileOf(
    0.5,
    values.map((value) => Math.abs(value - median)),
  )
})

/** The straight line through the samples of a window with the least squares; its height is that at a time. */
function regression(
  { times, values, lows, highs }: SampleWindows,
  window: number,
  zeroTime: number,
): { slope: number; height: number } {
  const low = lows[window]
  const high = highs[window]
  const x = new KahanSum()
  const y = new KahanSum()
  const xy = new KahanSum()
  const xx = new KahanSum()
  let isConstant = true
  for (let at = low; at < high; at++) {
    if (values[at] !== values[low] && at > low) isConstant = false
    const seconds = (times[at] - zeroTime) / 1000
    x.add(seconds)
    y.add(values[at])
    xy.add(seconds * values[at])
    xx.add(seconds * seconds)
  }
  if (isConstant) {
    const isInfinite = Math.abs(values[low]) === Number.POSITIVE_INFINITY
    return isInfinite
      ? { slope: Number.NaN, height: Number.NaN }
      : { slope: 0, height: values[low] }
  }
  const count = high - low
  const covariance = xy.total - (x.total * y.total) / count
  const slope = covariance / (xx.total - (x.total * x.total) / count)
  return { slope, height: y.total / count - (slope * x.total) / count }
}

/** `deriv`: the change per second. */
export const slopes: WindowFunction = eachWindow(
  2,
  (windows, window) => regression(windows, window, windows.times[windows.lows[window]]).slope,
)

/** `predict_linear`: the value some seconds after the time of evaluation, for the steps of the output. */
export function predictions(
  seconds: Float64Array,
  timeOfStep: (step: number) => number,
): WindowFunction {
  return (windows, output) =>
    eachWindow(2, (_, window) => {
      const step = output.first + window
      const { slope, height } = regression(windows, window, timeOfStep(step))
      return slope * seconds[step] + height
    })(windows, output)
}

/** `double_exponential_smoothing` with the smoothing and trend factors of each step. */
export function smoothed(smoothing: Float64Array, trend: Float64Array): WindowFunction {
  return (windows, output) => {
    const { values, lows, highs } = windows
    eachWindow(1, (_, window) => {
      const step = output.first + window
      requireFactor('smoothing', 'sf', smoothing[step])
      requireFactor('trend', 'tf', trend[step])
      return smoothedValue(
        values.subarray(lows[window], highs[window]),
        smoothing[step],
        trend[step],
      )
    })(windows, output)
    for (let window = 0; window < windows.count; window++) {
      if (highs[window] - lows[window] < 2) output.present[output.first + window] = 0
    }
  }
}

function requireFactor(name: string, short: string, factor: number): void {
  if (!(factor <= 0 || factor >= 1)) return
  throw executionError(
    `invalid ${name} factor. Expected: 0 < ${short} < 1, got: ${factor.toFixed(6)}`,
  )
}

function smoothedValue(values: Float64Array, smoothing: number, trendFactor: number): number {
  let before = 0
  let level = values[0]
  let trend = values[1] - values[0]
  for (let at = 1; at < values.length; at++) {
    if (at > 1) trend = trendFactor * (level - before) + (1 - trendFactor) * trend
    const next = smoothing * values[at] + (1 - smoothing) * (level + trend)
    before = level
    level = next
  }
  return level
}
