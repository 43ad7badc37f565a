/** A stretch of time, from ≤ time < until. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** A range, or how it follows from the one before. */
export type NextRange = TimeRange | ((range: TimeRange) => TimeRange)

/** The range that follows from another. */
export function rangeAfter(range: TimeRange, next: NextRange): TimeRange {
  return soundRange(typeof next === 'function' ? next(range) : next)
}

/** Ranges are not zoomed in further: no two samples of a stream are closer than a millisecond. */
const RANGE_MS_MIN = 10
/** Nor out, nor moved beyond where samples may be: 1900 to 2262. */
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2262, 0, 1)

/** A range with its ends in order, whole, and neither too short nor too long. */
export function soundRange({ from, until }: TimeRange): TimeRange {
  const length = Math.min(Math.max(until - from, RANGE_MS_MIN), LATEST - EARLIEST)
  const start = (from + until) / 2 - length / 2
  const inside = Math.round(Math.min(Math.max(start, EARLIEST), LATEST - length))
  return { from: inside, until: inside + Math.round(length) }
}

/** A range that is longer by a factor, around a time that stays where it is. */
export function zoomed({ from, until }: TimeRange, factor: number, around: number): TimeRange {
  return soundRange({
    from: around - (around - from) * factor,
    until: around + (until - around) * factor,
  })
}

/** A range that is moved by a part of its length. */
export function moved({ from, until }: TimeRange, part: number): TimeRange {
  const by = Math.round((until - from) * part)
  return { from: from + by, until: until + by }
}
