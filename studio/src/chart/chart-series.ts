/** What of a stream a chart draws: columns of one kind of shape, taken from the answer of a plot. */
import type { Precision } from './digits.ts'

/** A value of a plot. */
export type PlotValue = number | string | boolean | null

/** A sample beside the range of a plot. */
interface Neighbour {
  readonly time: number
  readonly value: PlotValue
}

/** What the service answers of a stream and a range; its form says which lists are there. */
export interface Plot {
  readonly component: { readonly uid: string; readonly id: string }
  readonly stream: { readonly uid: string; readonly id: string }
  readonly form: 'samples' | 'changes' | 'spans' | 'periods'
  readonly kind: 'number' | 'boolean' | 'text' | 'decimal' | 'file'
  readonly unit: string
  /** Of the unit; blank without one. */
  readonly numberFormat: string
  readonly timeZone: string
  readonly from: number
  readonly until: number
  readonly spanMs?: number
  /** Of periods: older ones were left out, as there are too many. */
  readonly more?: boolean
  readonly firstTime: number | null
  readonly lastTime: number | null
  readonly before?: Neighbour | null
  readonly after?: Neighbour | null
  readonly start?: readonly number[]
  readonly time?: readonly number[]
  readonly end?: readonly number[]
  readonly count?: readonly number[]
  readonly value?: readonly PlotValue[]
  readonly first?: readonly PlotValue[]
  readonly min?: readonly PlotValue[]
  readonly max?: readonly PlotValue[]
  readonly last?: readonly PlotValue[]
  readonly mean?: readonly PlotValue[]
}

/** How a series is drawn: lines of numbers, steps of intervals, bars of periods, bands of states, marks of files. */
export type SeriesShape = 'line' | 'steps' | 'bars' | 'states' | 'marks'

/** Numbers over time; entry i reaches from starts[i] to ends[i]. */
export interface NumberSeries {
  readonly shape: 'line' | 'steps' | 'bars'
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** What the line goes through: the value, or the mean of a span. NaN: there is none. */
  readonly values: readonly number[]
  /** Of spans; the same lists as values where each entry is one sample. */
  readonly lows: readonly number[]
  readonly highs: readonly number[]
  readonly counts: readonly number[] | undefined
  /** The last value of each span, where it is not the one that the line goes through. */
  readonly lasts?: readonly number[]
  /** Each value is a statistic of a period. */
  readonly isOfPeriods?: true
  /** Whether something is missing between entry i - 1 and i. */
  readonly isBroken: (index: number) => boolean
}

/** A stretch in which a stream had a state. */
export interface StateBand {
  readonly from: number
  readonly until: number
  /** What it was; undefined: several in a stretch too short to show them. */
  readonly state: string | undefined
  readonly count: number
}

/** States over time, or marks of single moments. */
export interface StateSeries {
  readonly shape: 'states' | 'marks'
  readonly bands: readonly StateBand[]
}

/** What a chart draws of one stream. */
export type ChartData = NumberSeries | StateSeries

/** A stream on a chart. */
export interface ChartSeries {
  readonly key: string
  readonly name: string
  readonly unit: string
  /** Absent until the first answer has come. */
  readonly data: ChartData | undefined
  /** Undefined: as many digits as people read. */
  readonly precision?: Precision
}

/** Whether a series is numbers on a y axis. */
export function isNumbers(data: ChartData): data is NumberSeries {
  return data.shape !== 'states' && data.shape !== 'marks'
}

const numberOf = (value: PlotValue | undefined): number =>
  value === null || value === undefined || value === '' ? Number.NaN : Number(value)

/** What else decides how a plot is drawn. */
interface DrawnAs {
  /** The statistic of periods: sums and counts are bars. */
  readonly stat?: string
  /** A state lasts until the next sample, and no longer than to this moment. */
  readonly now?: number
}

/** Turns a plot into what is drawn of it. */
export function chartData(plot: Plot, { stat = '', now = Date.now() }: DrawnAs = {}): ChartData {
  if (plot.form === 'periods') return periodData(plot, BARS.has(stat) ? 'bars' : 'steps')
  if (plot.kind === 'file') return { shape: 'marks', bands: markBands(plot) }
  if (plot.kind === 'text' || plot.kind === 'boolean') {
    return { shape: 'states', bands: stateBands(plot, now) }
  }
  return plot.form === 'spans' ? spanData(plot) : sampleData(plot)
}

const BARS: ReadonlySet<string> = new Set([
  'sum',
  'gapcount',
  'nongapcount',
  'intvlcount',
  'milliseccount',
  'nongapmilliseccount',
])

function periodData(plot: Plot, shape: 'bars' | 'steps'): ChartData {
  const { start = [], end = [], value = [] } = plot
  if (value.some((one) => typeof one === 'string' && Number.isNaN(Number(one)))) {
    const bands = value.flatMap((one, at) =>
      one === null ? [] : [{ from: start[at], until: end[at], state: String(one), count: 1 }],
    )
    return { shape: 'states', bands }
  }
  const values = value.map(numberOf)
  return {
    shape,
    starts: start,
    ends: end,
    values,
    lows: plot.min?.map(numberOf) ?? values,
    highs: plot.max?.map(numberOf) ?? values,
    counts: undefined,
    isOfPeriods: true,
    isBroken: (index) => index > 0 && start[index] !== end[index - 1],
  }
}

function spanData({
  start = [],
  end = [],
  count,
  min = [],
  max = [],
  ...plot
}: Plot): NumberSeries {
  const { first = [], last = [], mean = [] } = plot
  const values = mean.map((one, at) => {
    if (one !== null) return numberOf(one)
    // Decimals have no mean: the line goes through the middle of what the span began and ended with.
    return (numberOf(first[at]) + numberOf(last[at])) / 2
  })
  const gapMs = gapLength(start, end)
  return {
    shape: 'line',
    starts: start,
    ends: end,
    values,
    counts: count,
    lasts: last.map(numberOf),
    lows: min.map((one, at) => (one === null ? values[at] : numberOf(one))),
    highs: max.map((one, at) => (one === null ? values[at] : numberOf(one))),
    isBroken: (index) => index > 0 && start[index] - end[index - 1] > gapMs,
  }
}

function sampleData({ start, time = [], value = [], before, after }: Plot): NumberSeries {
  if (start !== undefined) {
    const values = value.map(numberOf)
    return {
      shape: 'steps',
      starts: start,
      ends: time,
      values,
      lows: values,
      highs: values,
      counts: undefined,
      isBroken: (index) => index > 0 && start[index] > time[index - 1],
    }
  }
  // Where no sample is in the range, a line through it would hide that.
  const sides = [before, after].map((one) =>
    one === null || one === undefined || time.length === 0 ? [] : [one],
  )
  const times = [...sides[0].map((one) => one.time), ...time, ...sides[1].map((one) => one.time)]
  const all = [...sides[0].map((one) => one.value), ...value, ...sides[1].map((one) => one.value)]
  const values = all.map(numberOf)
  const gapMs = gapLength(times, times)
  return {
    shape: 'line',
    starts: times,
    ends: times,
    values,
    lows: values,
    highs: values,
    counts: undefined,
    isBroken: (index) => index > 0 && times[index] - times[index - 1] > gapMs,
  }
}

/** A distance that is longer than the usual one by this factor is a gap. */
const GAP_FACTOR = 10
/** The same for samples at regular times, and for spans, which follow one another. */
const EVEN_GAP_FACTOR = 3
/** Samples are at regular times if four of five distances are at most so much longer than usual. */
const EVEN_PART = 0.8
const EVEN_FACTOR = 1.2

/**
 * The distance from which on two entries have a gap between them. Samples of random streams have irregular times, so
 * only a distance far beyond the usual one is a gap.
 */
function gapLength(starts: readonly number[], ends: readonly number[]): number {
  if (starts.length < 4) return Number.POSITIVE_INFINITY
  const steps = Float64Array.from({ length: starts.length - 1 }, (_, at) => {
    return starts[at + 1] - starts[at]
  }).sort()
  const usual = steps[Math.floor(steps.length / 2)]
  if (ends !== starts) return usual * EVEN_GAP_FACTOR
  const isEven = steps[Math.floor(steps.length * EVEN_PART)] <= usual * EVEN_FACTOR
  return usual * (isEven ? EVEN_GAP_FACTOR : GAP_FACTOR)
}

function stateBands(plot: Plot, now: number): StateBand[] {
  const {
    form,
    time = [],
    start = [],
    end = [],
    count = [],
    value = [],
    first = [],
    last = [],
  } = plot
  const { min = [], max = [], until: rangeEnd, before, after } = plot
  const bands: StateBand[] = []
  const lastUntil = Math.min(rangeEnd, after?.time ?? Math.max(plot.lastTime ?? now, now))
  if (before !== null && before !== undefined) {
    const until = (form === 'spans' ? start[0] : time[0]) ?? lastUntil
    bands.push({ from: before.time, until, state: String(before.value), count: 1 })
  }
  if (form === 'spans') {
    for (const [at, from] of start.entries()) {
      const until = start[at + 1] ?? Math.max(end[at], lastUntil)
      const isOne = count[at] === 1 || (min[at] !== null && min[at] === max[at])
      bands.push({
        from,
        until,
        state: isOne ? String(first[at] ?? last[at]) : undefined,
        count: count[at],
      })
    }
    return bands
  }
  for (const [at, from] of time.entries()) {
    const until = time[at + 1] ?? Math.max(from, lastUntil)
    bands.push({ from, until, state: String(value[at]), count: count[at] ?? 1 })
  }
  return joined(bands)
}

/** Neighbours of the same state as one. */
function joined(bands: readonly StateBand[]): StateBand[] {
  const all: StateBand[] = []
  for (const band of bands) {
    const last = all.at(-1)
    if (last !== undefined && last.state === band.state && last.until === band.from) {
      all[all.length - 1] = { ...last, until: band.until, count: last.count + band.count }
    } else all.push(band)
  }
  return all
}

function markBands({
  form,
  time = [],
  value = [],
  start = [],
  end = [],
  count = [],
  last = [],
}: Plot) {
  if (form === 'spans') {
    return start.map((from, at) => ({
      from,
      until: end[at],
      state: fileName(last[at]),
      count: count[at],
    }))
  }
  return time.map((at, index) => ({ from: at, until: at, state: fileName(value[index]), count: 1 }))
}

/** The name of a file at the end of its address. */
export function fileName(address: PlotValue | undefined): string {
  const name =
    String(address ?? '')
      .split('/')
      .at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The first entry that reaches beyond a time, by bisection over ascending ends. */
export function entryAt(ends: readonly number[], time: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ends[middle] < time) low = middle + 1
    else high = middle
  }
  return low
}
