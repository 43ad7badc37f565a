import type { RiseAtStep } from '../annotations.ts'

/** The counts of one classic histogram at one step. */
export interface HistogramBuckets {
  /** Upper bounds, ascending. */
  readonly bounds: number[]
  /** How many observations are at most as large as the bound. */
  readonly counts: number[]
}

/** Differences between counts that are this small, relatively, come from rounding. */
const TOLERANCE = 1e-12
const LEAST_NORMAL = 2 ** -1022

/** Sorts buckets by their bound, and adds up those with equal bounds. */
export function sortBuckets(
  bounds: readonly number[],
  counts: readonly number[],
): HistogramBuckets {
  const order = [...bounds.keys()].sort((a, b) => bounds[a] - bounds[b] || 0)
  const sorted: HistogramBuckets = { bounds: [], counts: [] }
  for (const index of order) {
    const last = sorted.bounds.length - 1
    if (last >= 0 && sorted.bounds[last] === bounds[index]) sorted.counts[last] += counts[index]
    else {
      sorted.bounds.push(bounds[index])
      sorted.counts.push(counts[index])
    }
  }
  return sorted
}

function isNearlyEqual(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  const sum = Math.abs(a) + Math.abs(b)
  const difference = Math.abs(a - b)
  if (a === 0 || b === 0 || sum < LEAST_NORMAL) return difference < TOLERANCE * LEAST_NORMAL
  return difference / Math.min(sum, Number.MAX_VALUE) < TOLERANCE
}

/** Makes counts rise with their bounds. Tells what it changed, apart from rounding errors. */
function forceRise({ bounds, counts }: HistogramBuckets): Omit<RiseAtStep, 'time'> | undefined {
  let previous = counts[0]
  let forced: { lowest: number; highest: number; difference: number } | undefined
  for (let at = 1; at < counts.length; at++) {
    const count = counts[at]
    if (count === previous) continue
    if (isNearlyEqual(previous, count)) {
      counts[at] = previous
      continue
    }
    if (count < previous) {
      counts[at] = previous
      forced ??= { lowest: bounds[at], highest: bounds[at], difference: 0 }
      forced.highest = bounds[at]
      forced.difference = Math.max(forced.difference, previous - count)
      continue
    }
    previous = count
  }
  return forced
}

interface BucketQuantile {
  readonly value: number
  readonly forced: Omit<RiseAtStep, 'time'> | undefined
}

/** The quantile of a classic histogram, by linear interpolation within a bucket. The buckets may be changed. */
export function bucketQuantile(quantile: number, buckets: HistogramBuckets): BucketQuantile {
  const none = (value: number): BucketQuantile => ({ value, forced: undefined })
  if (Number.isNaN(quantile)) return none(Number.NaN)
  if (quantile < 0) return none(Number.NEGATIVE_INFINITY)
  if (quantile > 1) return none(Number.POSITIVE_INFINITY)
  const { bounds, counts } = buckets
  const last = bounds.length - 1
  if (bounds[last] !== Number.POSITIVE_INFINITY) return none(Number.NaN)
  const forced = forceRise(buckets)
  const total = counts[last]
  if (last < 1 || total === 0) return { value: Number.NaN, forced }
  return { value: rankValue(quantile * total, buckets), forced }
}

function rankValue(rank: number, { bounds, counts }: HistogramBuckets): number {
  const last = bounds.length - 1
  let bucket = 0
  // A search as in Go: a count that is NaN is never large enough.
  let high = last
  while (bucket < high) {
    const middle = (bucket + high) >> 1
    if (counts[middle] >= rank) high = middle
    else bucket = middle + 1
  }
  if (bucket === last) return bounds[last - 1]
  if (bucket === 0 && bounds[0] <= 0) return bounds[0]
  const start = bucket === 0 ? 0 : bounds[bucket - 1]
  const below = bucket === 0 ? 0 : counts[bucket - 1]
  return start + (bounds[bucket] - start) * ((rank - below) / (counts[bucket] - below))
}

/** The share of observations between two numbers, by linear interpolation within a bucket. */
export function bucketFraction(lower: number, upper: number, buckets: HistogramBuckets): number {
  const { bounds, counts } = buckets
  const last = bounds.length - 1
  if (bounds[last] !== Number.POSITIVE_INFINITY) return Number.NaN
  const total = counts[last]
  if (total === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN
  if (lower >= upper) return 0
  return (rankOf(upper, buckets) - rankOf(lower, buckets)) / total
}

/** How many observations are assumed to be below a number. */
function rankOf(value: number, { bounds, counts }: HistogramBuckets): number {
  const total = counts[counts.length - 1]
  let rank = 0
  let start = bounds[0] <= 0 ? Number.NEGATIVE_INFINITY : 0
  for (let bucket = 0; bucket < bounds.length; bucket++) {
    if (bucket > 0) start = bounds[bucket - 1]
    const end = bounds[bucket]
    if (start >= value) return cap(rank)
    if (end > value) {
      if (start === Number.NEGATIVE_INFINITY) return cap(counts[bucket])
      return cap(rank + ((counts[bucket] - rank) * (value - start)) / (end - start))
    }
    rank = counts[bucket]
  }
  return total

  function cap(found: number): number {
    return found > total ? total : found
  }
}
