/** Random series for queries that are compared with Prometheus. */
import { setStale, type TestSeries } from './promql-series.ts'
import type { Random } from './random.ts'

/** Where the samples of the series lie. */
export const PROMQL_TEST_START = 1_700_000_000_000
const SPAN_MS = 3 * 3_600_000

type NextPoint = (at: number) => number | 'stale'

/** A series whose samples come in a rhythm of their own, with gaps and stale markers. */
function randomSeries(random: Random, labels: Record<string, string>, next: NextPoint): TestSeries {
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
  return { labels, times, values }
}

/** Series with gaps, resets, stale markers, NaNs, infinities, and classic histograms. */
export function promqlTestSeries(random: Random): TestSeries[] {
  const series: TestSeries[] = []
  const add = (labels: Record<string, string>, next: NextPoint): void => {
    series.push(randomSeries(random, labels, next))
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

/** Names of metrics that PromQL also knows as words. */
export const WORD_METRICS = 'sum offset by and start step fill min_of limitk anchored'.split(' ')

/** A metric and a label whose names need quotes. */
export const QUOTED_METRIC = 'room.temp °C'
export const QUOTED_LABEL = 'the room'

/** Buckets whose bounds are spelled in many ways; `db` has no +Inf, and one bound is no number. */
const ODD_BOUNDS = {
  api: ['-1', '0', '0.10', '1e0', '1.5', '+Inf'],
  db: ['0.5', '5e-1', '2', 'x'],
}

/** Series with unusual names, times, and values. None matches a query over `promqlTestSeries()`. */
export function promqlOddSeries(random: Random): TestSeries[] {
  const series: TestSeries[] = []
  const add = (labels: Record<string, string>, next: NextPoint): void => {
    series.push(randomSeries(random, labels, next))
  }
  for (const [at, name] of WORD_METRICS.entries()) {
    add({ __name__: name, job: 'api', inst: 'abc'[at % 3] }, () => random.integer(0, 10))
  }
  for (const room of ['north hall', 'böse "ecke"', 'a\\b']) {
    add({ __name__: QUOTED_METRIC, job: 'api', [QUOTED_LABEL]: room }, () => random.next() * 30)
  }
  for (const inst of ['a', 'b']) {
    add({ __name__: 'tiny', job: 'api', inst }, () =>
      random.pick([0, -0, 2.5e-308, -2.5e-308, 1e-300, 3e-290]),
    )
    add({ __name__: 'huge', job: 'api', inst }, () => random.pick([1e15, 3e18, 2 ** 53 + 2, 1e20]))
    add({ __name__: 'steady', job: 'api', inst }, () => 7)
    add({ __name__: 'build_info', job: 'api', instance: inst, inst, version: `v${inst}` }, () => 1)
  }
  for (const [job, bounds] of Object.entries(ODD_BOUNDS)) {
    for (const [at, le] of bounds.entries()) {
      let count = 0
      add({ __name__: 'odd_bucket', job, le }, () => {
        count += random.integer(0, 5) * (at + 1)
        return count
      })
    }
  }
  const middle = PROMQL_TEST_START + SPAN_MS / 2
  series.push(
    { labels: { __name__: 'once', job: 'api' }, times: [middle], values: Float64Array.of(42) },
    {
      labels: { __name__: 'once', job: 'db' },
      times: [middle, middle + 1, middle + 2],
      values: Float64Array.of(1, 5, 2),
    },
  )
  return series
}
