/** Statistics of BIG_DECIMAL streams: their samples are texts, which summaries do not add up. */
import { refuse, unreachable } from '../../base/index.ts'
import type { SampleColumns, SampleReads } from '../../store/index.ts'
import { type Cycle, intervalOf, type Periods } from '../../time/index.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimal,
  MEAN_DIGITS,
  multiplyDecimal,
  readDecimal,
  writeDecimal,
} from '../value/decimal.ts'
import { canonicalDecimal } from '../value/number-text.ts'
import { showNumber } from '../value/unit-format.ts'
import type { PlacedStream } from './fold-periods.ts'
import { visitPeriodSamples } from './period-samples.ts'
import type { StatisticId } from './statistic-id.ts'
import type { StatisticValue } from './statistic-value.ts'

/** Every sample of a statistic is read and added: a few seconds of work, in turns with other calls. */
const DECIMAL_SAMPLES_MAX = 5_000_000

const DECIMAL_STATISTICS = ['min', 'max', 'sum', 'avg', 'minoccurrence', 'maxoccurrence'] as const

/** A statistic that is worked out from the digits of the samples. */
export type DecimalStatistic = (typeof DECIMAL_STATISTICS)[number]

/** Whether a statistic needs the digits of samples; the others are the same for all texts. */
export function isDecimalStatistic(statistic: StatisticId): statistic is DecimalStatistic {
  return (DECIMAL_STATISTICS as readonly StatisticId[]).includes(statistic)
}

/** Refuses to read more samples for one answer than it may. */
export function requireFewSamples(count: number): void {
  if (count <= DECIMAL_SAMPLES_MAX) return
  const most = `At most ${DECIMAL_SAMPLES_MAX} are allowed. Request fewer or shorter periods`
  const what = `Cannot add up ${count} samples of a BIG_DECIMAL stream in one request. ${most}`
  refuse('bad_input', { what })
}

/** What one period's samples come to. */
interface Tally {
  count: number
  sum: Decimal
  /** Σ ms, the weights of the sum. */
  weight: number
  /** Decimals of the value with the most. */
  scale: number
  least: { readonly value: Decimal; readonly time: number } | undefined
  greatest: { readonly value: Decimal; readonly time: number } | undefined
}

/** The values of a statistic for some ascending periods, exact; a mean has MEAN_DIGITS more decimals. */
export async function decimalStatistics(
  store: SampleReads,
  stream: PlacedStream & {
    /** Where its intervals differ in length and weigh the mean. */
    readonly baseCycle: Cycle | undefined
  },
  { periods, statistic }: { readonly periods: Periods; readonly statistic: DecimalStatistic },
): Promise<StatisticValue[]> {
  const tallies = Array.from({ length: periods.count }, emptyTally)
  await visitPeriodSamples(store, stream, periods, (period, page, at) => {
    const tally = tallies[period]
    const sample = { value: decimalAt(page, at), time: page.times[at] }
    tally.count += 1
    if (statistic === 'sum' || statistic === 'avg') addSample(tally, sample, stream.baseCycle)
    else noteExtremes(tally, sample)
  })
  return tallies.map((tally) => resultOf(tally, statistic))
}

function emptyTally(): Tally {
  const sum = { units: 0n, scale: 0 }
  return { count: 0, sum, weight: 0, scale: 0, least: undefined, greatest: undefined }
}

function decimalAt(page: SampleColumns, at: number): Decimal {
  return readDecimal(page.texts?.[at] ?? canonicalDecimal(showNumber(page.numbers[at])) ?? '0')
}

function addSample(
  tally: Tally,
  { value, time }: { value: Decimal; time: number },
  baseCycle: Cycle | undefined,
): void {
  const interval = baseCycle === undefined ? undefined : intervalOf(baseCycle, time)
  const weight = interval === undefined ? 1 : interval.until - interval.from
  tally.sum = addDecimals(tally.sum, weight === 1 ? value : multiplyDecimal(value, weight))
  tally.weight += weight
  tally.scale = Math.max(tally.scale, value.scale)
}

function noteExtremes(tally: Tally, sample: { value: Decimal; time: number }): void {
  const { least, greatest } = tally
  if (least === undefined || compareDecimals(sample.value, least.value) < 0) tally.least = sample
  if (greatest === undefined || compareDecimals(sample.value, greatest.value) > 0) {
    tally.greatest = sample
  }
}

function resultOf(tally: Tally, statistic: DecimalStatistic): StatisticValue {
  const { count, sum, weight, scale, least, greatest } = tally
  if (count === 0) return null
  switch (statistic) {
    case 'sum':
      return writeDecimal(sum)
    case 'avg':
      return writeDecimal(divideDecimal(sum, weight, scale + MEAN_DIGITS))
    case 'min':
      return least === undefined ? null : writeDecimal(least.value)
    case 'max':
      return greatest === undefined ? null : writeDecimal(greatest.value)
    case 'minoccurrence':
      return least?.time ?? null
    case 'maxoccurrence':
      return greatest?.time ?? null
    default:
      return unreachable(statistic)
  }
}
