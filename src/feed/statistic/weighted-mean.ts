/**
 * Time-weighted means of interval streams whose base intervals differ in length (local days, months,
 * lists): such streams have at most some 130,000 samples in all, so their samples are read instead
 * of summaries.
 */
import { ExactSums } from '../../base/index.ts'
import type { SampleReads } from '../../store/index.ts'
import { type Cycle, intervalOf, type Periods } from '../../time/index.ts'
import type { PlacedStream } from './fold-periods.ts'
import { visitPeriodSamples } from './period-samples.ts'

/** Per period: the milliseconds its valued base intervals cover, and Σ value·ms / Σ ms of numbers. */
interface WeightedMeans {
  readonly coveredMs: Float64Array
  /** Rounded once, so never outside the numbers of its period; NaN where there are none. */
  readonly mean: Float64Array
}

/** Measures the base intervals with a value in each of some ascending periods. */
export async function weightedMeans(
  store: SampleReads,
  stream: PlacedStream & { readonly baseCycle: Cycle },
  periods: Periods,
): Promise<WeightedMeans> {
  const { count } = periods
  const coveredMs = new Float64Array(count)
  const numberMs = new Float64Array(count)
  const sums = new ExactSums(new Float64Array(count), new Float64Array(count))
  await visitPeriodSamples(store, stream, periods, (period, page, at) => {
    const interval = intervalOf(stream.baseCycle, page.times[at])
    if (interval === undefined) return
    const lengthMs = interval.until - interval.from
    coveredMs[period] += lengthMs
    if (page.texts?.[at] !== undefined) return
    numberMs[period] += lengthMs
    sums.addProduct(period, page.numbers[at], lengthMs)
  })
  const mean = numberMs.map((ms, period) => (ms === 0 ? Number.NaN : sums.quotient(period, ms)))
  return { coveredMs, mean }
}
