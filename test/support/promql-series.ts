import {
  type CompilePattern,
  type FoldedSeries,
  PromqlError,
  type SampleSteps,
  type SelectedSeries,
  type SeriesFold,
  type SeriesLabels,
  type SeriesMatcher,
  type SeriesRead,
  type SeriesRequest,
  type SeriesSamples,
  type SeriesSource,
  type SeriesStatistics,
  STALE_MARKER_BITS,
  type StatisticValues,
  type TextPattern,
} from '../../src/promql/index.ts'

/** One series of a test. `setStale()` writes a stale marker. */
export interface TestSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly times: readonly number[]
  /** Their exact bits are kept. */
  readonly values: Float64Array
  readonly lookbackMs?: number
}

function bitsOf(values: Float64Array): BigUint64Array {
  return new BigUint64Array(values.buffer, values.byteOffset, values.length)
}

/** Whether the value at an index of a column is the stale marker. */
export function isStaleAt(values: Float64Array, index: number): boolean {
  return bitsOf(values)[index] === STALE_MARKER_BITS
}

/** Writes the stale marker into a column. */
export function setStale(values: Float64Array, index: number): void {
  bitsOf(values)[index] = STALE_MARKER_BITS
}

/** Regular expressions of JavaScript under the rules of the port; for tests without hostile patterns. */
export const compileTestPattern: CompilePattern = (pattern): TextPattern => {
  // Go names groups (?P<name>…).
  const whole = new RegExp(`^(?:${pattern.replaceAll('(?P<', '(?<')})$`, 'su')
  const names = [...pattern.matchAll(/(\\.)|\((?:\?P?<(\w+)>|(?!\?))/g)]
    .filter(([, escaped]) => escaped === undefined)
    .map(([, , name]) => name ?? '')
  return {
    matches: (text) => whole.test(text),
    groups: (text) => whole.exec(text) ?? undefined,
    groupNames: ['', ...names],
  }
}

function matcherTest(
  { operation, value }: SeriesMatcher,
  compilePattern: CompilePattern,
): (value: string) => boolean {
  if (operation === '=') return (text) => text === value
  if (operation === '!=') return (text) => text !== value
  const pattern = compilePattern(value)
  if (operation === '=~') return (text) => pattern.matches(text)
  return (text) => !pattern.matches(text)
}

function labelsOf(record: Readonly<Record<string, string>>): SeriesLabels {
  return Object.entries(record)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
}

/** Series in memory behind the port of the engine. */
export class TestSource implements SeriesSource {
  readonly #series: readonly TestSeries[]
  /** Whether `fold` answers, by plain loops over samples. */
  readonly #folds: boolean
  readonly #compilePattern: CompilePattern
  /** How many samples were read, and how many windows folded. */
  readonly counts = { samples: 0, windows: 0 }
  /** What `statistics` was asked, in order. */
  readonly asked: SeriesStatistics[] = []

  constructor(
    series: readonly TestSeries[],
    options: { readonly folds?: boolean; readonly compilePattern?: CompilePattern } = {},
  ) {
    this.#series = series
    this.#compilePattern = options.compilePattern ?? compileTestPattern
    this.#folds = options.folds ?? false
  }

  async select(request: SeriesRequest): Promise<SelectedSeries> {
    const tests = request.matchers.map((matcher) => ({
      name: matcher.name,
      accepts: matcherTest(matcher, this.#compilePattern),
    }))
    const series = this.#series.flatMap(({ labels, lookbackMs = 300_000 }, ref) =>
      tests.every(({ name, accepts }) => accepts(labels[name] ?? ''))
        ? [{ ref, labels: labelsOf(labels), lookbackMs }]
        : [],
    )
    return { series, warnings: [], infos: [] }
  }

  async read(request: SeriesRead): Promise<SeriesSamples> {
    const starts = [0]
    const times: number[] = []
    const spans: Float64Array[] = []
    for (const ref of request.refs) {
      const { times: all, values } = this.#series[ref]
      const start = all.findIndex((time) => time > request.from)
      const beyond = all.findIndex((time) => time > request.until)
      const end = beyond < 0 ? all.length : beyond
      const count = start < 0 ? 0 : Math.max(0, end - start)
      if (times.length + count > request.samplesMax) break
      for (let at = start; at < start + count; at++) {
        if (request.steps !== undefined && at + 1 < start + count) {
          if (isSameStep(request.steps, all[at], all[at + 1])) continue
        }
        times.push(all[at])
        spans.push(values.subarray(at, at + 1))
      }
      starts.push(times.length)
    }
    const values = new Float64Array(times.length)
    let filled = 0
    for (const span of spans) {
      values.set(span, filled)
      filled += span.length
    }
    this.counts.samples += times.length
    return {
      seriesCount: starts.length - 1,
      starts: Uint32Array.from(starts),
      times: Float64Array.from(times),
      values,
    }
  }

  async fold(request: SeriesFold): Promise<FoldedSeries | undefined> {
    if (!this.#folds) return undefined
    const { refs, windowCount } = request
    const values = new Float64Array(refs.length * windowCount)
    const present = new Uint8Array(values.length)
    const isFolded = new Uint8Array(refs.length)
    for (const [row, ref] of refs.entries()) {
      const { times, values: samples } = this.#series[ref]
      if (!samples.every(Number.isFinite)) continue
      isFolded[row] = 1
      for (let window = 0; window < windowCount; window++) {
        const from = request.firstFrom + window * request.windowMs
        const inside = [...samples].filter(
          (_, at) => times[at] > from && times[at] <= from + request.windowMs,
        )
        if (inside.length === 0) continue
        values[row * windowCount + window] = foldOf(request.statistic, inside)
        present[row * windowCount + window] = 1
        this.counts.windows++
      }
    }
    return { isFolded, values, present }
  }

  /** The statistic of every period is its name's length plus the hour of its time. */
  async statistics(request: SeriesStatistics): Promise<StatisticValues> {
    if (request.cycle !== 'day') {
      throw new PromqlError('bad_data', `Cycle "${request.cycle}" does not exist.`)
    }
    this.asked.push(request)
    const { refs, times } = request
    const values = new Float64Array(refs.length * times.length)
    for (let at = 0; at < values.length; at++) {
      values[at] = request.statistic.length + Math.floor(times[at % times.length] / 3_600_000)
    }
    return { values, present: new Uint8Array(values.length).fill(1) }
  }
}

/** Only whole times of tests: the quotients are exact where they are whole. */
function isSameStep({ start, stepMs }: SampleSteps, time: number, next: number): boolean {
  return Math.ceil((time - start) / stepMs) === Math.ceil((next - start) / stepMs)
}

function foldOf(statistic: SeriesFold['statistic'], inside: readonly number[]): number {
  if (statistic === 'min') return Math.min(...inside)
  if (statistic === 'max') return Math.max(...inside)
  if (statistic === 'count') return inside.length
  if (statistic === 'last') return inside[inside.length - 1]
  // Values of tests have few digits, so that this sum is exact.
  const sum = inside.reduce((total, value) => total + value, 0)
  return statistic === 'sum' ? sum : sum / inside.length
}
