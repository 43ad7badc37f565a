/**
 * Random queries over the series of `promqlTestSeries()` and `promqlOddSeries()`, with every function, aggregation,
 * operator, and modifier of PromQL that Weir has. Most are valid.
 */
import {
  PROMQL_TEST_START,
  QUOTED_LABEL,
  QUOTED_METRIC,
  WORD_METRICS,
} from './promql-random-series.ts'
import type { Random } from './random.ts'

const ranges = ['30s', '1m', '2m', '5m', '7m30s', '20m', '1h', '2m * 3', 'max_of(step(), 90s)']
const rareRanges = [
  '300',
  '90.5',
  '0x12C',
  '1_200',
  '1.5e2',
  '1m5s250ms',
  '(5m)',
  ' 5m + 30s ',
  '-1m + 5m',
  '2 ^ 8',
  '1h / 7',
  '1h % 7m',
  'step() * 3',
  'min_of(5m, 2 * 1h)',
  'max_of(range(), 1m)',
  'RANGE() + 1',
  '1d',
  '0',
  '-5m',
]
const rareShifts = [
  ' offset 90',
  ' offset -1.5',
  ' offset 0x3C',
  ' offset +2m',
  ' offset - 5m',
  ' OFFSET 1m30s',
  ' offset -(1m + 30)',
  ' offset (-step())',
  ' offset min_of(1m, step())',
  ' offset 1w',
  ' offset 0s',
  ' offset 1ms',
  ' @ 1700005000.123',
  ' @ +1.700_006e9',
  ' @ 0x6553F100',
  ' @ -1',
  ' @ 0',
  ' @ START()',
]
const rareNumbers = [
  '0x1F',
  '0X_f',
  '1_000',
  '.5',
  '5.',
  '1E-3',
  '017',
  '5m',
  '1h30m',
  '1m1ms',
  '+Inf',
  'inf',
  'INF',
  'nan',
  '-NaN',
  '-0',
  '--2',
  '1e308',
  '5e-324',
]

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
const rareMatchers = [
  '{inst=~"(?i)A|(?-i)b"}',
  '{job=~"a\\\\w+"}',
  "{job=~'[[:alpha:]]{2}'}",
  '{job=~`\\pL{2}`}',
  '{inst=~"[^a]"}',
  '{inst=~"a||b"}',
  '{inst!~""}',
  '{inst=~""}',
  '{inst!=""}',
  '{"job"="api"}',
  "{ 'job' = 'api' , }",
  '{job="\\x61p\\u0069"}',
  '{job="api",job!="db"}',
  '{job=~"d.", # comment }\n inst="a"}',
  '{__name__!="temp",job="api"}',
  '{job=~"(a"}',
  '{inst=~"(?P<x>a)|b"}',
  '{job=~".p.|\\\\Qdb\\\\E"}',
  '{on="x",by!="y",sum=""}',
]
const namelessSelectors = [
  '{__name__=~"temp|up"}',
  '{__name__=~"temp|up"}',
  '{"temp"}',
  '{"temp",job="api"}',
  "{job='api', 'up'}",
  '{job="api",inst="a",__name__!~"lat.*"}',
  `{"${QUOTED_METRIC}"}`,
  `{"${QUOTED_METRIC}", "${QUOTED_LABEL}"=~"n.*|a.*"}`,
  `{"${QUOTED_METRIC}", "${QUOTED_LABEL}"='böse "ecke"'}`,
  `{"${QUOTED_METRIC}", '${QUOTED_LABEL}'!=\`a\\b\`}`,
  '{}',
  '{job=~".*"}',
]
const groupings = ['job', 'inst', 'job, inst', 'mode', 'nothing', '']
const rareGroupings = ['job,', '"job"', `"${QUOTED_LABEL}"`, '__name__', 'le', 'by', 'job, job']

export interface RandomQuery {
  readonly text: string
  readonly start: number
  readonly end: number
  /** 0 for a query at one time. */
  readonly stepMs: number
}

/** Makes one query after the other. */
export class RandomPromql {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  next(): RandomQuery {
    const random = this.#random
    const text = this.#spelled(this.#query())
    const ms = random.next() < 0.8 ? 0 : random.integer(0, 1_000)
    const start = PROMQL_TEST_START + random.integer(-600, 12_000) * 1_000 + ms
    if (random.next() < 0.3) return { text, start, end: start, stepMs: 0 }
    const stepMs = random.pick([1_000, 7_000, 15_000, 60_000, 300_000, 3_600_000, 12_345, 250])
    const count = random.integer(0, 40)
    return { text, start, end: start + count * stepMs + random.integer(0, 900), stepMs }
  }

  #query(): string {
    const random = this.#random
    const kind = random.next()
    if (kind < 0.07) return this.#scalar(2)
    if (kind < 0.1) return this.#range(1)
    if (kind < 0.105) return random.pick(['"text"', "'a\\'b\\n'", '`raw\\n`', '("x")'])
    return this.#vector(random.integer(0, 4))
  }

  /** The query with other blanks, comments, and capitals, or with a token too many or too few. */
  #spelled(text: string): string {
    const random = this.#random
    const kind = random.next()
    if (kind < 0.85) return text
    const tokens = text.match(/"[^"]*"|`[^`]*`|'[^']*'|[\w.:]+|\s+|[^\w\s]/g) ?? []
    if (kind < 0.9) {
      const blank = random.pick([' ', '\n', '\t', ' # a comment (\n', '  \r\n'])
      // Prometheus has no comments in brackets.
      let isInside = false
      return tokens
        .map((token) => {
          if (token === '[' || token === ']') isInside = token === '['
          return /^\s+$/.test(token) && !isInside ? blank : token
        })
        .join('')
    }
    if (kind < 0.94) {
      const words = /^(sum|avg|min|max|by|without|on|ignoring|group_left|and|or|bool|offset)$/
      return tokens.map((token) => (words.test(token) ? token.toUpperCase() : token)).join('')
    }
    const at = random.integer(0, tokens.length)
    const other = random.next() < 0.5 ? random.pick(tokens) : random.pick([...'()[]{},:@-=!#'])
    const spoiled = random.pick([[], [tokens[at], tokens[at]], [other], [tokens[at], other]])
    return tokens.toSpliced(at, 1, ...spoiled).join('')
  }

  #number(): string {
    if (this.#random.next() < 0.15) return this.#random.pick(rareNumbers)
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
    const matcher = random.next() < 0.3 ? '' : this.#matchers()
    if (random.next() < 0.07) return random.pick(namelessSelectors)
    if (random.next() < 0.1) return `${this.#rareName()}${random.pick(['', '', '{job="api"}'])}`
    return `${name}${matcher}`
  }

  #rareName(): string {
    const random = this.#random
    if (random.next() < 0.3) return random.pick(WORD_METRICS)
    return random.pick('tiny huge steady once odd_bucket build_info'.split(' '))
  }

  #matchers(): string {
    return this.#random.next() < 0.15
      ? this.#random.pick(rareMatchers)
      : this.#random.pick(matchers)
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
    if (random.next() < 0.08) return random.pick(rareShifts)
    return random.next() < 0.5 ? `${at}${offset}` : `${offset}${at}`
  }

  #range(depth: number): string {
    const random = this.#random
    const length = random.next() < 0.12 ? random.pick(rareRanges) : random.pick(ranges)
    if (depth > 0 && random.next() < 0.25) {
      const step = random.pick(['', '15s', '1m', '4m', '17s', '90', '1m * 2', ' step() '])
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
    if (kind === 6) {
      const choice = random.pick(['max_of', 'min_of'])
      return `${choice}(${this.#scalar(depth - 1)}, ${this.#scalar(depth - 1)})`
    }
    const operator = random.pick(['+', '-', '*', '/', '%', '^', 'atan2'])
    return this.#enclosed(`${this.#scalar(depth - 1)} ${operator} ${this.#scalar(depth - 1)}`)
  }

  /** In parentheses, or without them: then precedence decides what an operator combines. */
  #enclosed(text: string): string {
    return this.#random.next() < 0.75 ? `(${text})` : text
  }

  #vector(depth: number): string {
    const random = this.#random
    if (depth === 0) return `${this.#selector()}${this.#shift()}`
    const inner = depth - 1
    const kind = random.integer(0, 11)
    if (kind < 3) return this.#rangeCall(inner)
    if (kind < 5) return random.next() < 0.3 ? this.#panel(inner) : this.#aggregation(inner)
    if (kind < 7) return this.#binary(inner)
    if (kind === 7) {
      // Some functions turn an uncertain last digit into another result.
      const isPlain = random.next() < 0.7
      const operand = isPlain ? `${this.#selector()}${this.#shift()}` : this.#vector(inner)
      const name = random.pick(isPlain ? numberCalls : ['abs', 'sqrt', 'deg', 'rad'])
      return `${name}(${operand})`
    }
    if (kind === 8) return this.#otherCall(inner)
    if (kind === 9) {
      const operand = this.#vector(inner)
      return random.next() < 0.7 ? `-(${operand})` : `${random.pick(['-', '+', '- -'])}${operand}`
    }
    return this.#labelCall(inner)
  }

  #rangeCall(depth: number): string {
    const random = this.#random
    const range = this.#range(depth)
    const kind = random.next()
    if (kind < 0.06)
      return `quantile_over_time(${random.pick(['0.5', '0.9', '0', '1', '2', 'NaN', this.#scalar(1)])}, ${range})`
    if (kind < 0.1)
      return `predict_linear(${this.#range(0)}, ${random.pick(['60', '-600', '3600', '1h', this.#scalar(1)])})`
    if (kind < 0.14) {
      const [smoothing, trend] = [
        random.pick(['0.3', '0.9', '0', '1']),
        random.pick(['0.7', '0.1', '2']),
      ]
      return `double_exponential_smoothing(${range}, ${smoothing}, ${trend})`
    }
    return `${random.pick(rangeCalls)}(${range})`
  }

  #grouping(): string {
    const random = this.#random
    if (random.next() < 0.3) return ''
    const names = random.next() < 0.15 ? random.pick(rareGroupings) : random.pick(groupings)
    return ` ${random.pick(['by', 'without'])} (${names})`
  }

  #aggregation(depth: number): string {
    const random = this.#random
    const vector = this.#vector(depth)
    const grouping = this.#grouping()
    const kind = random.next()
    if (kind < 0.1)
      return `quantile${grouping} (${random.pick(['0.5', '0.99', '0', '-1', 'NaN', this.#scalar(1)])}, ${vector})`
    if (kind < 0.2) {
      const count = random.pick(['1', '2', '3', '10', '1.9', '0', '-1', this.#scalar(1)])
      // Where Prometheus keeps series in a map, their order and the choice among equals are random.
      const chosen = `${this.#selector()}${this.#shift()}`
      return `${random.pick(['topk', 'bottomk'])}${grouping} (${count}, ${chosen})`
    }
    if (kind < 0.25) {
      const label = random.pick(['"v"', "'v'", '"job"', `"${QUOTED_LABEL}"`, '("v")', '"__name__"'])
      // Only of samples: the last digit of a calculated value may differ.
      return `count_values${grouping} (${label}, ${this.#selector()}${this.#shift()})`
    }
    // Which series it takes is not said, only how many.
    if (kind < 0.28) return `count(limitk${grouping} (${random.integer(0, 4)}, ${vector}))`
    if (kind < 0.4) return `${random.pick(aggregations)}(${vector})${grouping}`
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
    const labels = random.pick(['job', 'job, inst', 'inst', 'mode', '', '"job", inst,'])
    const side = random.pick(['on', 'ignoring'])
    const group = isSet
      ? ''
      : random.pick([
          '',
          '',
          'group_left ',
          'group_right ',
          'group_left (mode) ',
          'group_right (mode, "nothing") ',
          `group_left ("${QUOTED_LABEL}") `,
          'group_left () ',
        ])
    return ` ${side} (${labels}) ${group}`
  }

  #binary(depth: number): string {
    const random = this.#random
    const kind = random.next()
    if (kind < 0.25) {
      const operator = random.pick(['and', 'or', 'unless'])
      return this.#enclosed(
        `${this.#vector(depth)} ${operator}${this.#matching(true)} ${this.#vector(depth)}`,
      )
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
    const inner = operator === '%' || operator === '^' ? 0 : depth
    const bool = isComparison && random.next() < 0.4 ? ' bool' : ''
    if (kind < 0.6) {
      const sides = [this.#vector(inner), this.#scalar(1)]
      if (random.next() < 0.5) sides.reverse()
      return this.#enclosed(`${sides[0]} ${operator}${bool} ${sides[1]}`)
    }
    return this.#enclosed(
      `${this.#vector(inner)} ${operator}${bool}${this.#matching(false)} ${this.#vector(inner)}`,
    )
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
      () => `round(${vector}, ${random.pick(['5', '0.1', '0.25', '0', '-3', 'Inf', '1e-320'])})`,
      () => `sort(${vector})`,
      () => `sort_desc(${vector})`,
      () => `vector(${this.#scalar(depth)})`,
      () => `${random.pick(dateCalls)}(${random.next() < 0.3 ? '' : vector})`,
      () => `histogram_quantile(${random.pick(['0.5', '0.9', '0', '1.5'])}, rate(lat_bucket[5m]))`,
      () => `histogram_quantile(0.9, sum by (le) (lat_bucket))`,
      () => `histogram_fraction(0.05, ${random.pick(['1', '0.3', 'Inf'])}, lat_bucket)`,
      () =>
        `histogram_quantile(${this.#scalar(1)}, ${random.pick(['odd_bucket', 'rate(odd_bucket[10m])', vector])})`,
      () => `histogram_fraction(${this.#number()}, ${this.#number()}, odd_bucket)`,
      () =>
        `histogram_quantiles(${random.pick(['lat_bucket', 'odd_bucket', vector])}, "q", 0.5, ${this.#number()})`,
      () => `histogram_${random.pick(['avg', 'count', 'sum', 'stddev', 'stdvar'])}(${vector})`,
      () => `info(${random.pick(['lag', 'rate(lag[5m])', 'up'])})`,
      () => `info(lag, {version=~"a.*"})`,
      () => `info(lag, {__name__=~"(target|build)_info"${random.pick(['', ',version!=""'])}})`,
      () => `${random.pick(['sort_by_label', 'sort_by_label_desc'])}(${vector}, "job", "inst")`,
      () => `absent_over_time(${random.pick(['missing', 'temp'])}${this.#matchers()}[5m])`,
      () => `absent(missing${this.#matchers()})`,
      () =>
        `timestamp(${this.#selector()}${random.pick([' offset 10m', ' offset -3m', ' @ end()'])}) - 1.7e9`,
    ])()
  }

  #labelCall(depth: number): string {
    const random = this.#random
    const vector = this.#vector(depth)
    return random.pick([
      () => `label_replace(${vector}, "to", "$1-x", "inst", "(.*)")`,
      () => `label_replace(${vector}, "inst", "", "inst", "a")`,
      () => `label_join(${vector}, "to", "-", "job", "inst")`,
      () => `label_replace(${vector}, "to", "\${n}-$1-$$-$9", "inst", "(?P<n>.)(.*)")`,
      () => `label_replace(${vector}, "to", "$1x", "job", "a(.)(x)?")`,
      () => `label_replace(${vector}, "${QUOTED_LABEL}", "all", "nothing", "")`,
      () => `label_replace(${vector}, "__name__", "other_$1", "__name__", "(.*)")`,
      () => `label_replace(${vector}, "job", "same", "inst", ".*")`,
      () => `label_replace(${vector}, "", "x", "inst", ".*")`,
      () => `label_join(${vector}, "job", "", "inst")`,
      () => `label_join(${vector}, "__name__", ":", "job", "inst")`,
      () => `label_join(${vector}, "to", ",")`,
    ])()
  }
}
