/** Random queries over the series of `promqlTestSeries()`, and these series. Nearly every query is valid. */

import { setStale, type TestSeries } from './promql-series.ts'
import type { Random } from './random.ts'

const ranges = ['30s', '1m', '2m', '5m', '7m30s', '20m', '1h', '2m * 3', 'max_of(step(), 90s)']

const numberCalls = [
  ...'abs acos acosh asin asinh atan atanh ceil cos cosh deg exp floor ln log10 log2'.split(' '),
  ...'rad sgn sin sinh sqrt tan tanh'.split(' '),
]
const dateCalls = 'days_in_month day_of_month day_of_week day_of_year hour minute month year'.split(
  ' ',
)
const rangeCalls = [
  ...'rate increase delta irate idelta resets changes deriv sum_over_time avg_over_time'.split(' '),
  ...'min_over_time max_over_time count_over_time present_over_time absent_over_time'.split(' '),
  ...'first_over_time last_over_time stddev_over_time stdvar_over_time mad_over_time'.split(' '),
  ...'ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time'.split(' '),
  'ts_of_min_over_time',
]
const aggregations = 'sum avg min max count group stddev stdvar'.split(' ')
const matchers = [
  '{job="api"}',
  '{job!="api"}',
  '{inst=~"a|b"}',
  '{inst!~"a.*"}',
  '{}',
  '{job="api",inst="a"}',
  '{mode=~"x|y"}',
  '{nothing=""}',
  // As dashboards write them.
  "{job='api',inst!=''}",
  '{inst=~".+",}',
  '{inst=~"^(a|c)$"}',
  '{job!~"^(db|x.*)$",inst=~"[a-b]|c"}',
  '{mode=~"x|y|",job=~".*"}',
]
const groupings = ['job', 'inst', 'job, inst', 'mode', 'nothing', '']

export interface RandomQuery {
  readonly text: string
  readonly start: number
  readonly end: number
  /** 0 for a query at one time. */
  readonly stepMs: number
}

/** Where the samples of the series lie. */
export const PROMQL_TEST_START = 1_700_000_000_000
const SPAN_MS = 3 * 3_600_000

/** Series with gaps, resets, stale markers, NaNs, infinities, and classic histograms. */
export function promqlTestSeries(random: Random): TestSeries[] {
  const series: TestSeries[] = []
  const add = (labels: Record<string, string>, next: (at: number) => number | 'stale'): void => {
    const stepMs = random.pick([10_000, 15_000, 30_000, 60_000])
    const jitter = random.integer(0, 3) * 100
    const times: number[] = []
    const points: Array<number | 'stale'> = []
    for (let time = PROMQL_TEST_START; time < PROMQL_TEST_START + SPAN_MS; time += stepMs) {
      if (random.next() < 0.01) time += stepMs * random.integer(1, 40)
      times.push(time + (jitter === 0 ? 0 : random.integer(0, jitter)))
      points.push(random.next() < 0.004 ? 'stale' : next(times.length))
    }
    const values = new Float64Array(points.length)
    for (const [at, point] of points.entries()) {
      if (point === 'stale') setStale(values, at)
      else values[at] = point
    }
    series.push({ labels, times, values })
  }
  for (const job of ['api', 'db']) {
    for (const inst of ['a', 'b', 'c']) {
      let total = 0
      add({ __name__: 'req_total', job, inst }, () => {
        total = random.next() < 0.02 ? random.integer(0, 5) : total + random.integer(0, 20)
        return total
      })
      add({ __name__: 'temp', job, inst, mode: random.pick(['x', 'y', 'z']) }, (at) => {
        if (random.next() < 0.01) return random.pick([Number.NaN, Infinity, -Infinity])
        return Math.round(2_000 * Math.sin(at / 10) + random.integer(-100, 100)) / 100
      })
      add({ __name__: 'up', job, inst }, () => (random.next() < 0.1 ? 0 : 1))
    }
    add({ __name__: 'target_info', job, instance: 'a', version: job }, () => 1)
    add({ __name__: 'lag', job, instance: 'a' }, () => random.integer(-5, 5))
    let counts = [0, 0, 0, 0]
    const draw = [10, 40, 80, 100]
    for (const [index, le] of ['0.1', '0.5', '2', '+Inf'].entries()) {
      add({ __name__: 'lat_bucket', job, le }, () => {
        counts = counts.map((count, at) => (at === index ? count + draw[at] : count))
        return counts[index] + (random.next() < 0.02 ? -draw[index] * 2 : 0)
      })
    }
  }
  return series
}

/** Makes one query after the other. */
export class RandomPromql {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  next(): RandomQuery {
    const random = this.#random
    const text = random.next() < 0.07 ? this.#scalar(2) : this.#vector(random.integer(0, 4))
    const start = PROMQL_TEST_START + random.integer(-600, 12_000) * 1_000
    if (random.next() < 0.3) return { text, start, end: start, stepMs: 0 }
    const stepMs = random.pick([1_000, 7_000, 15_000, 60_000, 300_000, 3_600_000])
    const count = random.integer(0, 40)
    return { text, start, end: start + count * stepMs + random.integer(0, 900), stepMs }
  }

  #number(): string {
    return this.#random.pick([
      '0',
      '1',
      '2',
      '0.5',
      '-3',
      '1e3',
      '7.25',
      '100',
      'NaN',
      'Inf',
      '-Inf',
    ])
  }

  #selector(): string {
    const random = this.#random
    const name = random.pick(['req_total', 'temp', 'temp', 'up', 'lag', 'lat_bucket', 'missing'])
    const matcher = random.next() < 0.3 ? '' : random.pick(matchers)
    if (random.next() < 0.05) return '{__name__=~"temp|up"}'
    return `${name}${matcher}`
  }

  #shift(): string {
    const random = this.#random
    const fixed = ` @ ${(PROMQL_TEST_START + 5_000_000) / 1_000}`
    const at = random.next() < 0.7 ? '' : random.pick([' @ start()', ' @ end()', fixed])
    const offset = random.pick([
      '',
      '',
      '',
      '',
      ' offset 1m',
      ' offset 10m',
      ' offset -3m',
      ' offset (1m + step())',
    ])
    return random.next() < 0.5 ? `${at}${offset}` : `${offset}${at}`
  }

  #range(depth: number): string {
    const random = this.#random
    const length = random.pick(ranges)
    if (depth > 0 && random.next() < 0.25) {
      const step = random.pick(['', '15s', '1m', '4m', '17s'])
      return `(${this.#vector(depth - 1)})[${length}:${step}]${this.#shift()}`
    }
    return `${this.#selector()}[${length}]${this.#shift()}`
  }

  #scalar(depth: number): string {
    const random = this.#random
    const kind = depth > 0 ? random.integer(0, 8) : 0
    if (kind < 2) return this.#number()
    if (kind === 2) return 'time()'
    if (kind === 3) return `scalar(${this.#vector(depth - 1)})`
    if (kind === 4) return random.pick(['pi()', 'start()', 'end()', 'step()', 'range()'])
    if (kind === 5) return `(${this.#scalar(depth - 1)} > bool ${this.#scalar(depth - 1)})`
    if (kind === 6) return `max_of(${this.#scalar(depth - 1)}, ${this.#scalar(depth - 1)})`
    const operator = random.pick(['+', '-', '*', '/', '%', '^', 'atan2'])
    return `(${this.#scalar(depth - 1)} ${operator} ${this.#scalar(depth - 1)})`
  }

  #vector(depth: number): string {
    const random = this.#random
    if (depth === 0) return `${this.#selector()}${this.#shift()}`
    const inner = depth - 1
    const kind = random.integer(0, 11)
    if (kind < 3) return this.#rangeCall(inner)
    if (kind < 5) return random.next() < 0.3 ? this.#panel(inner) : this.#aggregation(inner)
    if (kind < 7) return this.#binary(inner)
    if (kind === 7) return `${random.pick(numberCalls)}(${this.#vector(inner)})`
    if (kind === 8) return this.#otherCall(inner)
    if (kind === 9) return `-(${this.#vector(inner)})`
    return this.#labelCall(inner)
  }

  #rangeCall(depth: number): string {
    const random = this.#random
    const range = this.#range(depth)
    const kind = random.next()
    if (kind < 0.06)
      return `quantile_over_time(${random.pick(['0.5', '0.9', '0', '1', '2'])}, ${range})`
    if (kind < 0.1)
      return `predict_linear(${this.#selector()}[5m], ${random.pick(['60', '-600', '3600'])})`
    if (kind < 0.14) return `double_exponential_smoothing(${range}, 0.3, 0.7)`
    return `${random.pick(rangeCalls)}(${range})`
  }

  #grouping(): string {
    const random = this.#random
    if (random.next() < 0.3) return ''
    return ` ${random.pick(['by', 'without'])} (${random.pick(groupings)})`
  }

  #aggregation(depth: number): string {
    const random = this.#random
    const vector = this.#vector(depth)
    const grouping = this.#grouping()
    const kind = random.next()
    if (kind < 0.1)
      return `quantile${grouping} (${random.pick(['0.5', '0.99', '0', '-1'])}, ${vector})`
    if (kind < 0.2)
      return `${random.pick(['topk', 'bottomk'])}${grouping} (${random.pick(['1', '2', '3', '10'])}, ${vector})`
    if (kind < 0.25) return `count_values${grouping} ("v", ${vector})`
    return `${random.pick(aggregations)}${grouping} (${vector})`
  }

  /** The forms that queries of public dashboards have: node exporter, Kubernetes, and histograms of latency. */
  #panel(depth: number): string {
    const random = this.#random
    const labels = random.pick(['job', 'inst', 'job, inst', 'job,inst,', ''])
    const range = random.pick(['2m', '5m', '1m30s', '1h'])
    const counter = `req_total${random.pick(['', ...matchers])}`
    const vector = this.#vector(depth)
    const rate = `${random.pick(['rate', 'irate', 'increase'])}(${counter}[${range}])`
    const aggregation = random.pick(aggregations)
    return random.pick([
      () => `${aggregation}(${vector}) by (${labels})`,
      () => `${aggregation}(${vector}) without(${labels})`,
      () => `count(count(${vector}) by (inst)) by (job)`,
      () => `scalar(sum(${rate})) * 100 / count(count(${counter}) by (inst))`,
      () => `100 - avg by (job) (${rate}) * 100`,
      () => `sum by(inst) (${rate}) / on(inst) group_left sum by (inst)((${rate}))`,
      () => `sum(${rate}) by (job) / ignoring(mode) group_left () sum(up) by (job)`,
      () => `${rate} * on (job, inst) group_left(mode) (temp * 0 + 1)`,
      () => `${rate} * on (job) group_left(version) target_info`,
      () => `(1 - (${counter} / (${counter} + 1))) * 1e2 > .5`,
      () => `sum(${vector}) or vector(0)`,
      () => `count(${vector} == 1) or on() vector(0)`,
      () => `${vector} unless on (inst) (up == 0)`,
      () => `${vector} and on(job, inst) up > bool 0`,
      () => `absent(up${random.pick(matchers)} == 1)`,
      () => `time() - timestamp(${this.#selector()})`,
      () => `-${rate}`,
      () => `max(max_over_time(${rate}[30m:${random.pick(['', '1m', '90s'])}])) by (job)`,
      () => `histogram_quantile(.99, sum(rate(lat_bucket[${range}])) by (le, job))`,
      () => `histogram_quantile(0.5, sum without (nothing) (increase(lat_bucket[${range}])))`,
      () =>
        `sum(rate(lat_bucket{le="0.5"}[${range}])) / sum(rate(lat_bucket{le='+Inf'}[${range}]))`,
      () => `topk(3, sum(${rate}) by (inst) # the busiest\n)`,
      () => `quantile(.9, ${rate}) by (job)`,
      () => `label_replace(sum by (inst) (${rate}), "pod", "pod-$1", "inst", "([a-z]+).*")`,
      () => `sum(rate(${counter}[${range}] offset 10m)) - sum(rate(${counter}[${range}] @ end()))`,
      () => `clamp_max(sum(changes(up[${range}])) by (inst), 3) > bool 1`,
      () => `group by (job) (${vector}) * 0x10`,
      () => `avg_over_time(up[1h]) < 0.95 or up == 0`,
    ])()
  }

  #matching(isSet: boolean): string {
    const random = this.#random
    if (random.next() < 0.4) return ''
    const labels = random.pick(['job', 'job, inst', 'inst', 'mode', ''])
    const side = random.pick(['on', 'ignoring'])
    const group = isSet
      ? ''
      : random.pick(['', '', 'group_left ', 'group_right ', 'group_left (mode) '])
    return ` ${side} (${labels}) ${group}`
  }

  #binary(depth: number): string {
    const random = this.#random
    const kind = random.next()
    if (kind < 0.25) {
      const operator = random.pick(['and', 'or', 'unless'])
      return `(${this.#vector(depth)} ${operator}${this.#matching(true)} ${this.#vector(depth)})`
    }
    const operator = random.pick([
      '+',
      '-',
      '*',
      '/',
      '%',
      '^',
      'atan2',
      '==',
      '!=',
      '>',
      '<',
      '>=',
      '<=',
    ])
    const isComparison = /[=<>]/.test(operator)
    const bool = isComparison && random.next() < 0.4 ? ' bool' : ''
    if (kind < 0.6) {
      const sides = [this.#vector(depth), this.#scalar(1)]
      if (random.next() < 0.5) sides.reverse()
      return `(${sides[0]} ${operator}${bool} ${sides[1]})`
    }
    return `(${this.#vector(depth)} ${operator}${bool}${this.#matching(false)} ${this.#vector(depth)})`
  }

  #otherCall(depth: number): string {
    const random = this.#random
    const vector = this.#vector(depth)
    return random.pick([
      () => `timestamp(${random.next() < 0.5 ? this.#selector() : `-(${vector})`})`,
      () => `absent(${vector})`,
      () => `clamp(${vector}, ${this.#number()}, ${this.#number()})`,
      () => `clamp_min(${vector}, ${this.#number()})`,
      () => `clamp_max(${vector}, ${this.#scalar(1)})`,
      () => `round(${vector})`,
      () => `round(${vector}, ${random.pick(['5', '0.1', '0.25'])})`,
      () => `sort(${vector})`,
      () => `sort_desc(${vector})`,
      () => `vector(${this.#scalar(depth)})`,
      () => `${random.pick(dateCalls)}(${random.next() < 0.3 ? '' : vector})`,
      () => `histogram_quantile(${random.pick(['0.5', '0.9', '0', '1.5'])}, rate(lat_bucket[5m]))`,
      () => `histogram_quantile(0.9, sum by (le) (lat_bucket))`,
      () => `histogram_fraction(0.05, ${random.pick(['1', '0.3', 'Inf'])}, lat_bucket)`,
      () => `info(${random.pick(['lag', 'rate(lag[5m])'])})`,
      () => `info(lag, {version=~"a.*"})`,
      () => `sort_by_label(${vector}, "job", "inst")`,
    ])()
  }

  #labelCall(depth: number): string {
    const random = this.#random
    const vector = this.#vector(depth)
    return random.pick([
      () => `label_replace(${vector}, "to", "$1-x", "inst", "(.*)")`,
      () => `label_replace(${vector}, "inst", "", "inst", "a")`,
      () => `label_join(${vector}, "to", "-", "job", "inst")`,
    ])()
  }
}
