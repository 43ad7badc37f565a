import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contextOf,
  instant,
  minuteSeries,
  range,
  rangeResult,
} from '../../test/support/promql-query.ts'
import { TestSource } from '../../test/support/promql-series.ts'
import { queryInstant, queryRange } from './index.ts'

const counting = Array.from({ length: 61 }, (_, minute) => minute * 60)
const requests = [
  minuteSeries('requests_total{job="a",code="200"}', counting),
  minuteSeries(
    'requests_total{job="a",code="500"}',
    counting.map((value) => value / 10),
  ),
  minuteSeries(
    'requests_total{job="b",code="200"}',
    counting.map((value) => value * 2),
  ),
]

test('queryInstant() keeps a sample for five minutes, until a stale marker', async () => {
  const series = [minuteSeries('up', [1, 'stale', 3])]
  assert.deepEqual(await instant(series, 'up', 0), ['up 1'])
  assert.deepEqual(await instant(series, 'up', 1), [])
  assert.deepEqual(await instant(series, 'up', 6.9), ['up 3'])
  assert.deepEqual(await instant(series, 'up', 7), [])
})

test('queryInstant() uses the lookback of a series, and that of the call first', async () => {
  const series = [{ ...minuteSeries('up', [1]), lookbackMs: 3_600_000 }]
  assert.deepEqual(await instant(series, 'up', 59), ['up 1'])
  assert.deepEqual(await instant(series, 'up', 60), [])
  const context = contextOf(series, { lookbackMs: 60_000 })
  const { value } = await queryInstant({ text: 'up', time: 60_000 }, context)
  assert.deepEqual(value, { type: 'vector', time: 60_000, samples: [] })
})

test('queryRange() evaluates rates over left-open ranges', async () => {
  assert.deepEqual(
    await range(requests, 'rate(requests_total{code="500"}[5m])', { from: 10, until: 12 }),
    ['{code="500",job="a"} 10:0.1 11:0.1 12:0.1'],
  )
  assert.deepEqual(
    await range(requests, 'count_over_time(requests_total{job="b"}[5m])', {
      from: 0,
      until: 6,
      step: 3,
    }),
    ['{code="200",job="b"} 0:1 3:4 6:5'],
  )
})

test('queryRange() aggregates by labels and orders series by theirs', async () => {
  assert.deepEqual(await range(requests, 'sum by (job) (requests_total)', { from: 1, until: 2 }), [
    '{job="a"} 1:66 2:132',
    '{job="b"} 1:120 2:240',
  ])
  assert.deepEqual(await instant(requests, 'topk(1, requests_total)', 10), [
    'requests_total{code="200",job="b"} 1200',
  ])
})

test('queryRange() matches series of both sides at each step', async () => {
  const ratio = 'requests_total{code="500"} / ignoring(code) requests_total{code="200"}'
  assert.deepEqual(await range(requests, ratio, { from: 1, until: 2 }), ['{job="a"} 1:0.1 2:0.1'])
  const grouped = 'requests_total / on(job) group_left sum by (job) (requests_total)'
  assert.deepEqual(await instant(requests, grouped, 10), [
    '{code="200",job="a"} 0.9090909090909091',
    '{code="200",job="b"} 1',
    '{code="500",job="a"} 0.09090909090909091',
  ])
})

test('queryRange() evaluates subqueries at multiples of their step', async () => {
  const inner = 'max_over_time(requests_total{job="b"}[10m:4m])'
  assert.deepEqual(await range(requests, inner, { from: 11, until: 13 }), [
    '{code="200",job="b"} 11:960 12:1440 13:1440',
  ])
})

test('queryInstant() answers a range vector with its samples', async () => {
  assert.deepEqual(await instant(requests, 'requests_total{job="b"}[3m] @ 600 offset 1m', 0), [
    'requests_total{code="200",job="b"} 7:840 8:960 9:1080',
  ])
})

test('queryRange() takes adjacent windows from summaries with the same result', async () => {
  for (const name of ['min', 'max', 'sum', 'avg', 'count', 'last', 'present']) {
    const text = `${name}_over_time(requests_total[10m])`
    const folding = new TestSource(requests, { folds: true })
    const minutes = { from: 10, until: 60, step: 10 }
    assert.deepEqual(await range(folding, text, minutes), await range(requests, text, minutes))
    assert.deepEqual(folding.counts, { samples: 0, windows: 18 }, name)
  }
})

test('queryRange() asks for calendar statistics at its steps', async () => {
  const source = new TestSource(requests)
  const text = 'requests_total{job="b",__cycle__="day",__stat__="max"} offset 1h'
  assert.deepEqual(await range(source, text, { from: 120, until: 180, step: 60 }), [
    'requests_total{code="200",job="b"} 120:4 180:5',
  ])
  const [{ cycle, statistic, times }] = source.asked
  assert.deepEqual([cycle, statistic, ...times], ['day', 'max', 3_600_000, 7_200_000])
})

test('queryRange() refuses ranges of calendar statistics, and an unknown cycle', async () => {
  const refused = (text: string, message: RegExp): Promise<void> =>
    assert.rejects(rangeResult(requests, text, { from: 0, until: 1 }), {
      kind: 'bad_data',
      message,
    })
  await refused('rate(x{__cycle__="day",__stat__="max"}[5m])', /subquery/)
  await refused('x{__cycle__="day"}', /both labels/)
  await refused('x{__cycle__=~"day",__stat__="max"}', /both labels/)
  await refused('requests_total{__cycle__="noon",__stat__="max"}', /noon/)
})

test('queryRange() reads long ranges in blocks with the same result', async () => {
  const points = Array.from({ length: 300_000 }, (_, at) => Math.sin(at) * 1000)
  const series = [minuteSeries('m{a="1"}', points, 1_000), minuteSeries('m{a="2"}', points, 1_000)]
  const text = 'sum_over_time(m[1h]) - max_over_time(m[1h])'
  const whole = await rangeResult(series, text, { from: 60, until: 4_980, step: 10 })
  const single = await rangeResult(series.slice(0, 1), text, { from: 60, until: 4_980, step: 10 })
  assert.ok(whole.value.type === 'matrix' && single.value.type === 'matrix')
  assert.equal(whole.value.series.length, 2)
  assert.equal(whole.value.series[0].times.length, 493)
  assert.deepEqual(whole.value.series[0], single.value.series[0])
  assert.deepEqual(whole.value.series[1].values, single.value.series[0].values)
})

test('queryRange() ends when it is canceled or timed out, and when samples are too many', async () => {
  const query = { text: 'rate(requests_total[5m])', start: 0, end: 3_600_000, stepMs: 60_000 }
  for (const reason of ['timeout', 'canceled'] as const) {
    const context = contextOf(requests, { stopReason: () => reason })
    await assert.rejects(queryRange(query, context), { kind: reason })
  }
  const small = contextOf(requests, { samplesMax: 100 })
  await assert.rejects(queryRange(query, small), { kind: 'execution', message: /too many samples/ })
})

test('queryRange() limits steps and the types that have them', async () => {
  const run = (text: string, end: number): Promise<unknown> =>
    queryRange({ text, start: 0, end, stepMs: 1 }, contextOf(requests))
  await run('1', 11_000)
  await assert.rejects(run('1', 11_001), { kind: 'bad_data', message: /11,000 points/ })
  await assert.rejects(run('x[5m]', 10), { kind: 'bad_data', message: /range vector/ })
  await assert.rejects(run('"text"', 10), { kind: 'bad_data' })
})

test('queryRange() reports annotations with their place', async () => {
  const series = [minuteSeries('speed', [1, 2, 3])]
  const { infos } = await rangeResult(series, 'sum(rate(speed[5m]))', { from: 1, until: 2 })
  assert.match(infos.join('\n'), /might not be a counter.*"speed" \(1:10\)$/)
  const { warnings } = await rangeResult(series, 'quantile(2, speed)', { from: 1, until: 2 })
  assert.match(warnings.join('\n'), /between 0 and 1, got 2 \(1:10\)$/)
})

test('queryRange() takes -0 as a quantile, and clamps to nothing where limits contradict each other', async () => {
  const buckets = [minuteSeries('b{le="1"}', [4, 4]), minuteSeries('b{le="+Inf"}', [4, 4])]
  const range = { from: 0, until: 1 }
  const { value } = await rangeResult(buckets, 'histogram_quantiles(b, "q", -0, 0.5)', range)
  assert.deepEqual(value.type === 'matrix' && value.series.map(({ labels }) => labels), [
    ['q', '0.0'],
    ['q', '0.5'],
  ])
  const twins = [minuteSeries('x', [1, 1]), minuteSeries('y', [1, 1])]
  const clamped = await rangeResult(twins, 'clamp({__name__=~"x|y"}, 2, 1)', range)
  assert.deepEqual(clamped.value, { type: 'matrix', series: [] })
})

test('queryInstant() refuses info() for instances whose names would fill memory', async () => {
  const series = Array.from({ length: 300 }, (_, at) => minuteSeries(`m{instance="${at}"}`, [1]))
  const text = `info(label_replace(m, "instance", "\${1}${'x'.repeat(16_000)}", "instance", "(.*)"))`
  const query = { text, time: 0 }
  await assert.rejects(queryInstant(query, contextOf(series)), { message: /Add matchers/ })
})

test('queryRange() shows ten annotations of a kind, and counts the others', async () => {
  const series = Array.from({ length: 25 }, (_, at) =>
    minuteSeries(`speed${at}{at="${at}"}`, [1, 2, 3]),
  )
  const query = 'rate({__name__=~"speed.+"}[5m])'
  const { infos, warnings } = await rangeResult(series, query, { from: 1, until: 2 })
  assert.equal(infos.length, 11)
  assert.match(infos[9], /might not be a counter/)
  assert.equal(infos[10], '15 more info annotations omitted')
  assert.deepEqual(warnings, [])
})

test('queryRange() can end in the middle of one long series', async () => {
  const points = Array.from({ length: 20_000 }, (_, at) => at)
  const series = [minuteSeries('m', points, 1_000)]
  let asked = 0
  const context = contextOf(series, {
    stopReason: () => (++asked > 20 ? 'canceled' : undefined),
  })
  const text = 'quantile_over_time(0.5, m[1h])'
  const query = { text, start: 3_600_000, end: 14_400_000, stepMs: 2_000 }
  await assert.rejects(queryRange(query, context), { kind: 'canceled' })
})

test('durations may be arithmetic expressions, with the steps of the query', async () => {
  const series = [minuteSeries('x', [1, 2, 3, 4, 5, 6, 7, 8])]
  const counted = async (text: string, minute = 7) =>
    (await instant(series, `count_over_time(${text})`, minute)).map((line) => Number(line))
  assert.deepEqual(await counted('x[1m * 2 + 60]'), [3])
  assert.deepEqual(await counted('x[2 ^ 2 * 1m % 3m]'), [1])
  assert.deepEqual(await counted('x[-1m + 3m]'), [2])
  assert.deepEqual(await counted('x[min_of(1h, max_of(4m, range()))]'), [4])
  assert.deepEqual(await counted('x[4m:30s * 2]'), [4])
  assert.deepEqual(await instant(series, 'x offset (1m * 2) * 2', 7), ['x 4'])
  assert.deepEqual(await instant(series, 'x offset 2m * 2', 7), ['12'])
  assert.deepEqual(await instant(series, 'x offset -(1m + 1m) - 1', 3), ['5'])
  const steps = { from: 2, until: 6, step: 2 }
  assert.deepEqual(await range(series, 'count_over_time(x[step() * 1.5])', steps), ['2:3 4:3 6:3'])
  const refused = {
    'x[step()]': /duration must be greater than 0/,
    'x[1m - 1m]': /duration must be greater than 0/,
    'x[1m / 0]': /division by zero/,
    'x[1m % (1m - 1m)]': /modulo by zero/,
    'x[10 ^ 400]': /duration is NaN or infinite/,
    'x[10 ^ 20]': /duration is out of range/,
    'x[step]': /unexpected/,
    'x[min_of(1m)]': /unexpected/,
  }
  for (const [text, message] of Object.entries(refused)) {
    await assert.rejects(instant(series, text), { kind: 'bad_data', message }, text)
  }
  const deep = `x[${'('.repeat(10_000)}1m${')'.repeat(10_000)}]`
  await assert.rejects(instant(series, deep), { kind: 'bad_data' })
})
