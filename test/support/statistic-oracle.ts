/**
 * The thirteen statistics in plain lines: samples into a map of periods, then one look at each.
 * Nothing here is shared with the implementation.
 */
import type { CycleDefinition } from '../../src/time/index.ts'
import { boundary, isCalendar, periodIndexAt } from './calendar-oracle.ts'
import { exactSum, weightedMean } from './exact-fractions.ts'

export interface OracleStream {
  readonly samples: ReadonlyMap<number, number | string>
  /** Of an interval stream only. */
  readonly base: { readonly definition: CycleDefinition; readonly zone: string } | undefined
}
export interface OracleQuery {
  readonly definition: CycleDefinition
  readonly zone: string
  readonly statistic: string
  readonly from: number
  readonly until: number
  readonly limit: number
}
export interface OracleSample {
  readonly sdTime: number
  readonly time: number
  readonly data: number | string | null
}
/** A sample and the time that it stands for. */
export interface Placed {
  readonly start: number
  readonly end: number
  readonly time: number
  readonly value: number | string
}

/** What a statistic call must answer, latest first. */
export function oracleStatistics(stream: OracleStream, query: OracleQuery): OracleSample[] {
  const { definition, zone, from, until } = query
  const byIndex = new Map<number, Placed[]>()
  const placed = [...stream.samples]
    .sort(([a], [b]) => a - b)
    .map(([time, value]) => place(stream, time, value))
  for (const sample of placed) {
    const index = periodIndexAt(definition, zone, sample.start)
    byIndex.getOrInsertComputed(index, () => []).push(sample)
  }
  if (stream.base !== undefined) {
    const known = [...byIndex.keys()]
    for (let index = Math.min(...known); index < Math.max(...known); index++) {
      if (!byIndex.has(index)) byIndex.set(index, [])
    }
  }
  return [...byIndex.keys()]
    .sort((a, b) => b - a)
    .map((index) => ({
      index,
      sdTime: boundary(definition, zone, index),
      time: boundary(definition, zone, index + 1),
    }))
    .filter(({ sdTime, time }) => sdTime < time && sdTime < until && time > from)
    .slice(0, query.limit)
    .map(({ index, sdTime, time }) => {
      const samples = byIndex.get(index) ?? []
      return {
        sdTime,
        time,
        data: oracleStatistic(query.statistic, { stream, samples, sdTime, time }),
      }
    })
}

function place({ base }: OracleStream, time: number, value: number | string): Placed {
  if (base === undefined) return { start: time, end: time, time, value }
  const index = periodIndexAt(base.definition, base.zone, time - 1)
  const { definition, zone } = base
  return {
    start: boundary(definition, zone, index),
    end: boundary(definition, zone, index + 1),
    time,
    value,
  }
}

interface Facts {
  readonly stream: OracleStream
  readonly samples: readonly Placed[]
  readonly sdTime: number
  readonly time: number
}

/** One statistic of the samples of a period. */
export function oracleStatistic(
  name: string,
  { stream, samples, sdTime, time }: Facts,
): number | string | null {
  const numbers = samples.filter(({ value }) => typeof value === 'number') as (Placed & {
    value: number
  })[]
  const least = Math.min(...numbers.map(({ value }) => value))
  const most = Math.max(...numbers.map(({ value }) => value))
  const isInterval = stream.base !== undefined
  const coveredMs = samples.reduce((sum, { start, end }) => sum + end - start, 0)
  switch (name) {
    case 'first':
      return samples.at(0)?.value ?? null
    case 'last':
      return samples.at(-1)?.value ?? null
    case 'min':
      return numbers.length === 0 ? null : least
    case 'max':
      return numbers.length === 0 ? null : most
    case 'sum':
      return numbers.length === 0 ? null : finite(exactSum(numbers.map(({ value }) => value)))
    case 'avg': {
      if (numbers.length === 0) return null
      const weight = ({ start, end }: Placed): number => (isInterval ? end - start : 1)
      return weightedMean(numbers.map((sample) => [sample.value, weight(sample)]))
    }
    case 'minoccurrence':
      return numbers.find(({ value }) => value === least)?.time ?? null
    case 'maxoccurrence':
      return numbers.find(({ value }) => value === most)?.time ?? null
    case 'nongapcount':
      return samples.length
    case 'gapcount':
      return isInterval ? countStarts(stream, sdTime, time) - samples.length : 0
    case 'intvlcount':
      return isInterval ? countStarts(stream, sdTime, time) : samples.length
    case 'milliseccount':
      return time - sdTime
    case 'nongapmilliseccount':
      return isInterval ? coveredMs : time - sdTime
    default:
      throw new Error(`no such statistic: ${name}`)
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** Base intervals that start in from ≤ start < until; those of the calendar counted one by one. */
function countStarts({ base }: OracleStream, from: number, until: number): number {
  if (base === undefined || from >= until) return 0
  const { definition, zone } = base
  const [reference, second] = [boundary(definition, zone, 0), boundary(definition, zone, 1)]
  if (!isCalendar(definition)) {
    const periodsBefore = (at: number): number => Math.ceil((at - reference) / (second - reference))
    return periodsBefore(until) - periodsBefore(from)
  }
  const starts = new Set<number>()
  for (let index = periodIndexAt(definition, zone, from - 1) + 1; ; index++) {
    const start = boundary(definition, zone, index)
    if (start >= until) return starts.size
    starts.add(start)
  }
}
