import { countBelow } from '../base/plain.ts'
import type { Cycle, Period, Range } from './cycle.ts'
import { type CustomInterval, readCustomIntervals } from './cycle-definition.ts'
import type { Zone } from './zone.ts'

/** A cycle that has exactly the listed periods, read on the wall clock of a zone. */
export function customCycle(intervals: readonly CustomInterval[], zone: Zone): Cycle {
  const periods: Period[] = readCustomIntervals(intervals)
    .map(({ from, until }) => ({
      from: zone.firstInstantAt(from),
      until: zone.firstInstantAt(until),
    }))
    // An interval that a clock change leaves out has no instant in it.
    .filter(({ from, until }) => from < until)
  const untils = Float64Array.from(periods, (period) => period.until)
  const froms = Float64Array.from(periods, (period) => period.from)
  const holding = (at: number): number => {
    const index = countBelow(untils, at + 1)
    return index < froms.length && froms[index] <= at ? index : -1
  }
  /** The periods that overlap a range, as indexes first ≤ i < last. */
  const overlapping = ({ from, until }: Range): { first: number; last: number } => {
    const first = countBelow(untils, from + 1)
    return from >= until ? { first, last: first } : { first, last: countBelow(froms, until) }
  }
  return {
    fixedMs: undefined,
    periodOf: (at) => periods[holding(at)],
    next: (at) => periods[countBelow(froms, at + 1)],
    previous: (at) => {
      const index = holding(at)
      return periods[countBelow(untils, (index < 0 ? at : froms[index]) + 1) - 1]
    },
    periods: (range, limit) => {
      const { first, last } = overlapping(range)
      const start = Math.max(first, last - limit)
      return {
        count: last - start,
        froms: froms.subarray(start, last),
        untils: untils.subarray(start, last),
      }
    },
    edges: (range) => {
      const { first, last } = overlapping(range)
      const edges = periods.slice(first, last).flatMap(({ from, until }) => [from, until])
      return Float64Array.from(edges.filter((at, index) => index === 0 || at !== edges[index - 1]))
    },
    countPeriods: (range) => {
      const { first, last } = overlapping(range)
      return last - first
    },
    countStarts: ({ from, until }) =>
      from >= until ? 0 : countBelow(froms, until) - countBelow(froms, from),
  }
}
