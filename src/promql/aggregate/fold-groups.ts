import { quantileOf } from '../series/quantile-of.ts'
import { emptySeries, type StepSeries } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'

/** Combines the series of one group into one. */
export type GroupFold = (labels: SeriesLabels, members: readonly StepSeries[]) => StepSeries

/** Calls for every value of every member. Values come series by series, so that columns are read in order. */
function eachValue(
  members: readonly StepSeries[],
  visit: (step: number, value: number) => void,
): void {
  for (const { values, present } of members) {
    for (let step = 0; step < present.length; step++) {
      if (present[step] === 1) visit(step, values[step])
    }
  }
}

function startOf(labels: SeriesLabels, members: readonly StepSeries[]): StepSeries {
  return emptySeries(labels, members[0].present.length)
}

export const sumGroup: GroupFold = (labels, members) => {
  const result = startOf(labels, members)
  const { values: sums, present } = result
  const rests = new Float64Array(sums.length)
  eachValue(members, (step, value) => {
    if (present[step] === 0) {
      present[step] = 1
      sums[step] = value
      return
    }
    addTo(sums, rests, step, value)
  })
  for (let step = 0; step < sums.length; step++) sums[step] += rests[step]
  return result
}

/** Adds to a sum, and what rounding loses to its rest, as `KahanSum` does. */
function addTo(sums: Float64Array, rests: Float64Array, step: number, value: number): void {
  const sum = sums[step]
  const total = sum + value
  if (Math.abs(total) === Number.POSITIVE_INFINITY) rests[step] = 0
  else if (Math.abs(sum) >= Math.abs(value)) rests[step] += sum - total + value
  else rests[step] += value - total + sum
  sums[step] = total
}

/** The mean: sum divided by count; where the sum would be beyond the doubles, a mean that grows value by value. */
export const meanGroup: GroupFold = (labels, members) => {
  const result = startOf(labels, members)
  const { values: sums, present } = result
  const rests = new Float64Array(sums.length)
  const counts = new Float64Array(sums.length)
  const isMean = new Uint8Array(sums.length)
  eachValue(members, (step, value) => {
    const count = ++counts[step]
    if (count === 1) {
      present[step] = 1
      sums[step] = value
      return
    }
    if (isMean[step] === 0) {
      if (Math.abs(sums[step] + value) !== Number.POSITIVE_INFINITY) {
        addTo(sums, rests, step, value)
        return
      }
      isMean[step] = 1
      sums[step] /= count - 1
      rests[step] /= count - 1
    }
    const share = (count - 1) / count
    sums[step] *= share
    rests[step] *= share
    addTo(sums, rests, step, value / count)
  })
  for (let step = 0; step < sums.length; step++) {
    const divisor = isMean[step] === 1 ? 1 : counts[step]
    sums[step] = sums[step] / divisor + rests[step] / divisor
  }
  return result
}

/** `min` and `max`: a NaN only where there is nothing else. */
function extremeGroup(isMax: boolean): GroupFold {
  return (labels, members) => {
    const result = startOf(labels, members)
    const { values, present } = result
    eachValue(members, (step, value) => {
      const best = values[step]
      const isBetter = (isMax ? value > best : value < best) || Number.isNaN(best)
      if (present[step] === 0 || isBetter) values[step] = value
      present[step] = 1
    })
    return result
  }
}

export const minGroup: GroupFold = extremeGroup(false)
export const maxGroup: GroupFold = extremeGroup(true)

export const countGroup: GroupFold = (labels, members) => {
  const result = startOf(labels, members)
  eachValue(members, (step) => {
    result.values[step]++
    result.present[step] = 1
  })
  return result
}

export const onesGroup: GroupFold = (labels, members) => {
  const result = startOf(labels, members)
  eachValue(members, (step) => {
    result.values[step] = 1
    result.present[step] = 1
  })
  return result
}

/** `stdvar`, and with a root `stddev`. */
export function varianceGroup(root: boolean): GroupFold {
  return (labels, members) => {
    const result = startOf(labels, members)
    const { values: squares, present } = result
    const means = new Float64Array(squares.length)
    const counts = new Float64Array(squares.length)
    eachValue(members, (step, value) => {
      const count = ++counts[step]
      present[step] = 1
      if (count === 1) {
        means[step] = value
        squares[step] = Number.isFinite(value) ? 0 : Number.NaN
        return
      }
      const delta = value - means[step]
      means[step] += delta / count
      squares[step] += delta * (value - means[step])
    })
    for (let step = 0; step < squares.length; step++) {
      const result = squares[step] / counts[step]
      squares[step] = root ? Math.sqrt(result) : result
    }
    return result
  }
}

/** `quantile` with the quantile of each step. */
export function quantileGroup(quantile: Float64Array): GroupFold {
  return (labels, members) => {
    const result = startOf(labels, members)
    const buffer = new Float64Array(members.length)
    for (let step = 0; step < quantile.length; step++) {
      let count = 0
      for (const { values, present } of members) {
        if (present[step] === 1) buffer[count++] = values[step]
      }
      if (count === 0) continue
      result.values[step] = quantileOf(quantile[step], buffer.subarray(0, count))
      result.present[step] = 1
    }
    return result
  }
}
