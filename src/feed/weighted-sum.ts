/**
 * Time-weighted sums of interval streams whose base intervals differ in length (local days, months,
 * lists): such streams have at most some 130,000 samples in all, so their samples are read instead
 * of summaries.
 */
import type { SampleStore, StreamHandle } from '../store/index.ts'
import { type Cycle, intervalOf, type Periods } from '../time/index.ts'
import type { Placement } from './fold-periods.ts'
import { visitPeriodSamples } from './period-samples.ts'

/** Per period: the milliseconds its valued base intervals cover, and of numbers Σ value·ms too. */
export interface WeightedSums {
  readonly coveredMs: Float64Array
  readonly numberMs: Float64Array
  readonly valueMs: Float64Array
}

/** Measures the base intervals with a value in each of some ascending periods. */
export async function weightedSums(
  store: SampleStore,
  stream: {
    readonly handle: StreamHandle
    readonly placement: Placement
    readonly baseCycle: Cycle
  },
  periods: Periods,
): Promise<WeightedSums> {
  const sums = new PeriodSums(periods.count)
  await visitPeriodSamples(store, stream, periods, (period, page, at) => {
    const interval = intervalOf(stream.baseCycle, page.times[at])
    if (interval === undefined) return
    const isText = page.texts?.[at] !== undefined
    sums.add(period, interval.until - interval.from, isText ? undefined : page.numbers[at])
  })
  return sums.finish()
}

/** Sums kept as a high and a low part, so that they are rounded once at the end. */
class PeriodSums {
  readonly #coveredMs: Float64Array
  readonly #numberMs: Float64Array
  readonly #high: Float64Array
  readonly #low: Float64Array

  constructor(count: number) {
    this.#coveredMs = new Float64Array(count)
    this.#numberMs = new Float64Array(count)
    this.#high = new Float64Array(count)
    this.#low = new Float64Array(count)
  }

  add(period: number, lengthMs: number, value: number | undefined): void {
    this.#coveredMs[period] += lengthMs
    if (value === undefined) return
    this.#numberMs[period] += lengthMs
    const product = value * lengthMs
    const high = this.#high[period]
    const sum = high + product
    const added = sum - high
    this.#low[period] += high - (sum - added) + (product - added) + productError(value, lengthMs)
    this.#high[period] = sum
  }

  finish(): WeightedSums {
    const valueMs = this.#high.map((high, period) => high + this.#low[period])
    return { coveredMs: this.#coveredMs, numberMs: this.#numberMs, valueMs }
  }
}

/** What value · lengthMs loses to rounding: a length has few bits, so two halves suffice. */
function productError(value: number, lengthMs: number): number {
  const product = value * lengthMs
  const split = value * 134_217_729
  const upper = split - (split - value)
  const lower = value - upper
  const lengthUpper = Math.floor(lengthMs / 2 ** 20) * 2 ** 20
  const lengthLower = lengthMs - lengthUpper
  const error =
    upper * lengthUpper - product + upper * lengthLower + lower * lengthUpper + lower * lengthLower
  return Number.isFinite(error) ? error : 0
}
