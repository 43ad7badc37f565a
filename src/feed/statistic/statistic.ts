import type { SampleReads, StreamHandle, TextMemory } from '../../store/index.ts'
import { ALL_PERIODS, type Cycle, type Range } from '../../time/index.ts'
import {
  type DecimalStatistic,
  decimalStatistics,
  isDecimalStatistic,
  requireFewSamples,
} from './decimal-statistic.ts'
import { filledPeriods } from './filled-periods.ts'
import { type FoldedPeriods, foldPeriods, type PlacedStream, placementOf } from './fold-periods.ts'
import type { StatisticId } from './statistic-id.ts'
import { countStatistic, type StatisticValue, valueStatistic } from './statistic-value.ts'
import { weightedMeans } from './weighted-mean.ts'

export interface StatisticQuery {
  readonly handle: StreamHandle
  /** Where the stream is an interval stream: its base cycle. */
  readonly baseCycle: Cycle | undefined
  readonly cycle: Cycle
  readonly statistic: StatisticId
  /** Periods that overlap it are returned. */
  readonly range: Range
  readonly limit: number
  /** Leaves periods without a value out of interval streams too, as a last value must. */
  readonly isFilledOnly?: boolean
  /** Whether the stream's samples are decimal numbers, kept as texts. */
  readonly isDecimal?: boolean
  /** Where texts are counted. */
  readonly memory?: TextMemory
}

/** Statistic samples as columns, latest first: sample i is timed untils[i] and starts at froms[i]. */
export interface StatisticColumns {
  readonly count: number
  readonly froms: Float64Array
  readonly untils: Float64Array
  readonly data: readonly StatisticValue[]
  /** When the value occurred, for first and last; meaningless for the others. */
  readonly valueTimes: Float64Array
}

interface RecordedStream extends PlacedStream {
  readonly baseCycle: Cycle | undefined
  readonly isDecimal: boolean
}

/**
 * A statistic of one stream for the latest periods of a cycle that overlap a range. Periods without
 * a sample are left out of random and point streams; those of interval streams are returned from
 * the period of the first sample to that of the last.
 */
export async function readStatistics(
  store: SampleReads,
  query: StatisticQuery,
): Promise<StatisticColumns> {
  const { handle, baseCycle, cycle } = query
  const span = await store.span(handle)
  if (span === undefined) return columnsOf([])
  const placement = placementOf(baseCycle)
  const recorded = {
    from: placement.instantOf(span.firstTime),
    until: placement.instantOf(span.lastTime) + 1,
  }
  const isDecimal = query.isDecimal === true
  const stream = { handle, baseCycle, placement, isDecimal, memory: query.memory }
  const bounds = intersect(wholePeriods(cycle, intersect(query.range, ALL_PERIODS)), recorded)
  if (bounds.from >= bounds.until || query.limit < 1) return columnsOf([])
  const isFilledOnly = baseCycle === undefined || query.isFilledOnly === true
  const parts = isFilledOnly
    ? await filledPeriods(store, stream, { cycle, bounds, limit: query.limit })
    : [await foldPeriods(store, stream, cycle.periods(bounds, query.limit))]
  const columns: StatisticColumns[] = []
  let left = query.limit
  for (const part of parts) {
    const wanted = chooseLatest(part, isFilledOnly, left)
    left -= wanted.length
    columns.push(await latestFirst(store, stream, { part, wanted, statistic: query.statistic }))
  }
  return columnsOf(columns)
}

/** A range widened to the whole periods it touches: a year asked in June has its January samples. */
function wholePeriods(cycle: Cycle, { from, until }: Range): Range {
  if (from >= until) return { from, until }
  return {
    from: cycle.periodOf(from)?.from ?? from,
    until: cycle.periodOf(until - 1)?.until ?? until,
  }
}

function intersect(a: Range, b: Range): Range {
  return { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) }
}

/** Which periods of a part are returned, latest first. */
function chooseLatest(part: FoldedPeriods, isFilledOnly: boolean, limit: number): number[] {
  const wanted: number[] = []
  for (let i = part.periods.count - 1; i >= 0 && wanted.length < limit; i--) {
    if (!isFilledOnly || part.entries[i] >= 0) wanted.push(i)
  }
  return wanted
}

interface ChosenPeriods {
  readonly part: FoldedPeriods
  readonly wanted: readonly number[]
  readonly statistic: StatisticId
}

/** Sets the value of a period of a part. */
type PeriodReader = (period: number) => StatisticValue

async function latestFirst(
  store: SampleReads,
  stream: RecordedStream,
  { part, wanted, statistic }: ChosenPeriods,
): Promise<StatisticColumns> {
  const { periods } = part
  const readOne = await periodReader(store, stream, { part, wanted, statistic })
  const count = wanted.length
  const froms = new Float64Array(count)
  const untils = new Float64Array(count)
  const valueTimes = new Float64Array(count)
  const data = new Array<StatisticValue>(count)
  const occurred = statistic === 'first' ? part.summaries.firstTime : part.summaries.lastTime
  for (let at = 0; at < count; at++) {
    const period = wanted[at]
    froms[at] = periods.froms[period]
    untils[at] = periods.untils[period]
    valueTimes[at] = occurred[part.entries[period]]
    data[at] = readOne(period)
  }
  return { count, froms, untils, data, valueTimes }
}

/** Sets the values of the wanted periods of a part. */
export function periodReader(
  store: SampleReads,
  stream: RecordedStream,
  { part, wanted, statistic }: ChosenPeriods,
): Promise<PeriodReader> | PeriodReader {
  if (stream.isDecimal && isDecimalStatistic(statistic)) {
    return decimalReader(store, stream, { part, wanted, statistic })
  }
  if (needsWeights(stream, statistic)) return weightedReader(store, stream, { part, statistic })
  return (period) => readValue(stream, part, { period, statistic })
}

function readValue(
  { baseCycle }: RecordedStream,
  { periods, entries, summaries }: FoldedPeriods,
  { period, statistic }: { period: number; statistic: StatisticId },
): StatisticValue {
  const entry = entries[period]
  switch (statistic) {
    case 'gapcount':
    case 'nongapcount':
    case 'intvlcount':
    case 'milliseccount':
    case 'nongapmilliseccount':
      return countStatistic(statistic, {
        period: { from: periods.froms[period], until: periods.untils[period] },
        sampleCount: entry < 0 ? 0 : summaries.count[entry],
        baseCycle,
      })
    default:
      return valueStatistic(statistic, summaries, entry)
  }
}

async function decimalReader(
  store: SampleReads,
  stream: RecordedStream,
  { part, wanted, statistic }: ChosenPeriods & { readonly statistic: DecimalStatistic },
): Promise<PeriodReader> {
  const { entries, summaries, periods } = part
  const filled = wanted.filter((period) => entries[period] >= 0).sort((a, b) => a - b)
  requireFewSamples(filled.reduce((sum, period) => sum + summaries.count[entries[period]], 0))
  const chosen = {
    count: filled.length,
    froms: Float64Array.from(filled, (period) => periods.froms[period]),
    untils: Float64Array.from(filled, (period) => periods.untils[period]),
  }
  const baseCycle = needsWeights(stream, statistic) ? stream.baseCycle : undefined
  const weighed = { ...stream, baseCycle }
  const values = await decimalStatistics(store, weighed, { periods: chosen, statistic })
  const byPeriod = new Map(filled.map((period, at) => [period, values[at]]))
  return (period) => byPeriod.get(period) ?? null
}

/** Whether the lengths of base intervals, which differ, decide a statistic. */
function needsWeights({ baseCycle }: RecordedStream, statistic: StatisticId): boolean {
  if (baseCycle === undefined || baseCycle.fixedMs !== undefined) return false
  return statistic === 'avg' || statistic === 'nongapmilliseccount'
}

async function weightedReader(
  store: SampleReads,
  stream: RecordedStream,
  { part, statistic }: { part: FoldedPeriods; statistic: StatisticId },
): Promise<PeriodReader> {
  const { baseCycle } = stream
  if (baseCycle === undefined || part.periods.count === 0) return () => null
  const means = await weightedMeans(store, { ...stream, baseCycle }, part.periods)
  if (statistic !== 'avg') return (period) => means.coveredMs[period]
  return (period) => (Number.isNaN(means.mean[period]) ? null : means.mean[period])
}

function columnsOf(parts: readonly StatisticColumns[]): StatisticColumns {
  if (parts.length === 1) return parts[0]
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const all = {
    count,
    froms: new Float64Array(count),
    untils: new Float64Array(count),
    data: parts.flatMap((part) => part.data),
    valueTimes: new Float64Array(count),
  }
  let at = 0
  for (const part of parts) {
    all.froms.set(part.froms, at)
    all.untils.set(part.untils, at)
    all.valueTimes.set(part.valueTimes, at)
    at += part.count
  }
  return all
}
