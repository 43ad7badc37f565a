import { ExactSums } from '../../base/index.ts'
import type { SampleColumns, Summaries } from '../../store/index.ts'
import { type Cycle, intervalOf, type Range } from '../../time/index.ts'
import type { StatisticId } from './statistic-id.ts'
import { countStatistic, type StatisticValue, valueStatistic } from './statistic-value.ts'

/** Where plain sums and sums weighted by milliseconds are kept. */
const [PLAIN, WEIGHTED] = [0, 1]

/** A statistic of one period while its samples come in, in order: the same bits as of a fold. */
export class RunningStatistic {
  readonly #statistic: StatisticId
  readonly #baseCycle: Cycle | undefined
  /** Whether intervals differ in length and weigh the statistic. */
  readonly #isWeighed: boolean
  readonly #sums = new ExactSums(new Float64Array(2), new Float64Array(2))
  readonly #first: (number | string)[] = [0]
  readonly #last: (number | string)[] = [0]
  readonly #summary: Summaries = {
    length: 1,
    count: new Float64Array(1),
    numberCount: new Float64Array(1),
    sum: new Float64Array(1),
    mean: new Float64Array(1),
    min: new Float64Array(1),
    minTime: new Float64Array(1),
    max: new Float64Array(1),
    maxTime: new Float64Array(1),
    firstTime: new Float64Array(1),
    lastTime: new Float64Array(1),
    first: this.#first,
    last: this.#last,
  }
  #coveredMs = 0
  #numberMs = 0

  constructor(statistic: StatisticId, baseCycle: Cycle | undefined) {
    this.#statistic = statistic
    this.#baseCycle = baseCycle
    const isUneven = baseCycle !== undefined && baseCycle.fixedMs === undefined
    this.#isWeighed = isUneven && (statistic === 'avg' || statistic === 'nongapmilliseccount')
  }

  /** Whether any sample has come. */
  get isEmpty(): boolean {
    return this.#summary.count[0] === 0
  }

  /** Takes the next sample of the period. */
  add({ times, numbers, texts }: SampleColumns, at: number): void {
    const { count, numberCount, firstTime, lastTime } = this.#summary
    const text = texts?.[at]
    const value = text ?? numbers[at]
    if (count[0] === 0) {
      this.#first[0] = value
      firstTime[0] = times[at]
    }
    count[0] += 1
    this.#last[0] = value
    lastTime[0] = times[at]
    const lengthMs = this.#isWeighed ? this.#lengthAt(times[at]) : 0
    this.#coveredMs += lengthMs
    if (text !== undefined) return
    this.#addNumber(numbers[at], times[at])
    this.#numberMs += lengthMs
    if (lengthMs > 0) this.#sums.addProduct(WEIGHTED, numbers[at], lengthMs)
    numberCount[0] += 1
  }

  #addNumber(value: number, time: number): void {
    const { numberCount, min, minTime, max, maxTime } = this.#summary
    const isFirst = numberCount[0] === 0
    if (isFirst || value < min[0]) {
      min[0] = value
      minTime[0] = time
    }
    if (isFirst || value > max[0]) {
      max[0] = value
      maxTime[0] = time
    }
    this.#sums.add(PLAIN, value)
  }

  #lengthAt(time: number): number {
    const interval = this.#baseCycle && intervalOf(this.#baseCycle, time)
    return interval === undefined ? 0 : interval.until - interval.from
  }

  /** The statistic of the period over what has come. */
  value(period: Range): StatisticValue {
    const statistic = this.#statistic
    const { count, numberCount, sum, mean } = this.#summary
    if (this.#isWeighed) {
      if (statistic !== 'avg') return this.#coveredMs
      return this.#numberMs === 0 ? null : this.#sums.quotient(WEIGHTED, this.#numberMs)
    }
    switch (statistic) {
      case 'gapcount':
      case 'nongapcount':
      case 'intvlcount':
      case 'milliseccount':
      case 'nongapmilliseccount':
        return countStatistic(statistic, {
          period,
          sampleCount: count[0],
          baseCycle: this.#baseCycle,
        })
      case 'sum':
        sum[0] = this.#sums.value(PLAIN)
        break
      case 'avg':
        mean[0] = numberCount[0] === 0 ? 0 : this.#sums.quotient(PLAIN, numberCount[0])
        break
    }
    return valueStatistic(statistic, this.#summary, this.isEmpty ? -1 : 0)
  }
}
