import {
  type InstantQuery,
  type QueryContext,
  type QueryResult,
  type QueryValue,
  queryInstant,
  queryRange,
  type SteppedQuery,
} from '../../src/promql/index.ts'
import { compileTestPattern, setStale, type TestSeries, TestSource } from './promql-series.ts'

/** Points of a series, one for each interval: a number, `undefined` for none, or `stale`. */
type TestPoint = number | undefined | 'stale'

const STEP_MS = 60_000

/** A series with a point a minute, from minute 0 on, named as in `up{job="a"}`. */
export function minuteSeries(
  metric: string,
  points: readonly TestPoint[],
  stepMs: number = STEP_MS,
): TestSeries {
  const labels: Record<string, string> = { __name__: metric.replace(/\{.*$/, '') }
  for (const [, name, value] of metric.matchAll(/([\w.]+)="([^"]*)"/g)) labels[name] = value
  const kept = points.flatMap((point, at) => (point === undefined ? [] : [{ point, at }]))
  const values = new Float64Array(kept.length)
  for (const [index, { point }] of kept.entries()) {
    if (point === 'stale') setStale(values, index)
    else values[index] = point
  }
  return { labels, times: kept.map(({ at }) => at * stepMs), values }
}

export function contextOf(
  series: readonly TestSeries[] | TestSource,
  more: Partial<QueryContext> = {},
): QueryContext {
  const source = series instanceof TestSource ? series : new TestSource(series)
  return { source, compilePattern: compileTestPattern, ...more }
}

/** An answer in short: `name{a="b"} value` for each element, or `time:value` for each point of a series. */
export async function instant(
  series: readonly TestSeries[] | TestSource,
  text: InstantQuery['text'],
  minute = 0,
): Promise<string[]> {
  const result = await queryInstant({ text, time: minute * STEP_MS }, contextOf(series))
  return showValue(result.value)
}

/** As `instant`, at every minute of a range. */
export async function range(
  series: readonly TestSeries[] | TestSource,
  text: SteppedQuery['text'],
  minutes: { readonly from: number; readonly until: number; readonly step?: number },
): Promise<string[]> {
  return showValue((await rangeResult(series, text, minutes)).value)
}

export function rangeResult(
  series: readonly TestSeries[] | TestSource,
  text: SteppedQuery['text'],
  minutes: { readonly from: number; readonly until: number; readonly step?: number },
): Promise<QueryResult> {
  const { from, until, step = 1 } = minutes
  const query = { text, start: from * STEP_MS, end: until * STEP_MS, stepMs: step * STEP_MS }
  return queryRange(query, contextOf(series))
}

function showValue(value: QueryValue): string[] {
  switch (value.type) {
    case 'scalar':
    case 'string':
      return [`${value.value}`]
    case 'vector':
      return value.samples.map((sample) => `${showMetric(sample.labels)} ${sample.value}`.trim())
    case 'matrix':
      return value.series.map(({ labels, times, values }) => {
        const points = [...times].map((time, at) => `${time / STEP_MS}:${values[at]}`)
        return `${showMetric(labels)} ${points.join(' ')}`.trim()
      })
  }
}

function showMetric(labels: readonly string[]): string {
  const pairs: string[] = []
  let name = ''
  for (let at = 0; at < labels.length; at += 2) {
    if (labels[at] === '__name__') name = labels[at + 1]
    else pairs.push(`${labels[at]}="${labels[at + 1]}"`)
  }
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`
}
