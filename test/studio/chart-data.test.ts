import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axesOf } from '../../studio/src/chart/axes.ts'
import {
  type ChartData,
  chartData,
  isNumbers,
  type NumberSeries,
  type Plot,
  type StateSeries,
} from '../../studio/src/chart/chart-series.ts'
import { isEmptyIn } from '../../studio/src/chart/empty.ts'
import { extentOf, roomyExtent } from '../../studio/src/chart/extent.ts'
import { figuresOf, numberText } from '../../studio/src/chart/figures.ts'
import { formatNumber } from '../../studio/src/chart/number-format.ts'
import { precisionOf, statisticPrecision } from '../../studio/src/chart/precision.ts'
import { moved, rangeAfter, soundRange, zoomed } from '../../studio/src/chart/time-range.ts'
import { valueTexts } from '../../studio/src/chart/value-ticks.ts'
import { withSample } from '../../studio/src/state/live-plot.ts'
import { ageText } from '../../studio/src/ui/time/age-text.ts'

const facts: Plot = {
  component: { uid: 'c', id: 'c' },
  stream: { uid: 's', id: 's' },
  form: 'samples',
  kind: 'number',
  unit: '',
  numberFormat: '',
  timeZone: 'UTC',
  from: 0,
  until: 1_000,
  firstTime: 0,
  lastTime: 1_000,
}
const numbers = (data: ChartData): NumberSeries => {
  assert.ok(isNumbers(data))
  return data
}
const states = (data: ChartData): StateSeries => {
  assert.ok(!isNumbers(data))
  return data
}
const brokenIn = (data: NumberSeries): number[] =>
  data.values.flatMap((_, at) => (data.isBroken(at) ? [at] : []))

test('chartData() leads lines out of the range, and breaks them where much more than usual is missing', () => {
  const time = [100, 200, 300, 400, 5_000, 5_100]
  const plot = { ...facts, time, value: [1, 2, 3, 4, 5, 6], before: { time: 0, value: 9 } }
  const data = numbers(chartData(plot))
  assert.deepEqual(data.starts, [0, ...time])
  assert.equal(data.values[0], 9)
  assert.deepEqual(brokenIn(data), [5])
  const even = numbers(chartData({ ...facts, time: [1, 2, 3, 5, 9], value: [1, 2, 3, 4, 5] }))
  assert.deepEqual(brokenIn(even), [])
  assert.deepEqual(brokenIn(numbers(chartData({ ...facts, time: [1, 900], value: [1, 2] }))), [])
})

test('chartData() breaks a line where samples of an even stream are missing, and has none without samples', () => {
  const time = Array.from({ length: 40 }, (_, at) => at * 10).filter((at) => at < 100 || at > 140)
  const even = numbers(chartData({ ...facts, time, value: time }))
  assert.deepEqual(brokenIn(even), [10])
  const [before, after] = [-500, 1_500].map((at) => ({ time: at, value: 1 }))
  const nothing = { ...facts, time: [], value: [], before, after }
  assert.deepEqual(numbers(chartData(nothing)).values, [])
})

test('isEmptyIn() says so where all is known and nothing is in the range', () => {
  const range = { from: 0, until: 1_000 }
  const nothing: Plot = { ...facts, time: [], value: [] }
  assert.equal(isEmptyIn([nothing], range), true)
  assert.equal(isEmptyIn([nothing, undefined], range), false, 'one is not known yet')
  assert.equal(isEmptyIn([nothing], { from: 500, until: 1_500 }), false, 'beyond what is known')
  assert.equal(isEmptyIn([nothing, { ...facts, time: [5], value: [1] }], range), false)
  assert.equal(isEmptyIn([{ ...facts, time: [5], value: [1] }], { from: 6, until: 900 }), true)
  const lasting: Plot = { ...nothing, kind: 'text', before: { time: -5, value: 'on' } }
  assert.equal(isEmptyIn([lasting], range), false, 'a state lasts')
  const periods: Plot = { ...facts, form: 'periods', start: [0], end: [900], value: [null] }
  assert.equal(isEmptyIn([periods], range), true)
})

test('chartData() breaks intervals wherever one is missing', () => {
  const plot = { ...facts, start: [0, 10, 30], time: [10, 20, 40], value: [1, 2, 3] }
  const data = numbers(chartData(plot))
  assert.equal(data.shape, 'steps')
  assert.deepEqual(brokenIn(data), [2])
})

test('chartData() draws spans as a band with their mean, decimals without one too', () => {
  const spans: Plot = {
    ...facts,
    form: 'spans',
    spanMs: 10,
    start: [0, 10, 20, 90],
    end: [9, 19, 29, 99],
    count: [5, 5, 5, 5],
    first: [1, 1, 1, 1],
    last: [3, 3, 3, 4],
    min: [0, 0, 0, 0],
    max: [4, 4, 4, 5],
    mean: [2, 2, 2, 2],
  }
  const data = numbers(chartData(spans))
  assert.deepEqual([data.lows, data.highs, data.values], [spans.min, spans.max, spans.mean])
  assert.deepEqual(brokenIn(data), [3])
  const figures = figuresOf({ data }, { from: 0, until: 100 }, undefined)
  assert.deepEqual(figures, { value: '4', min: '0', max: '5', mean: '2' })
  assert.deepEqual(figuresOf({ data }, { from: 0, until: 100 }, 60).value, '–', 'over the gap')
  assert.equal(figuresOf({ data }, { from: 0, until: 100 }, 12).max, '4')
  const decimals = { ...spans, kind: 'decimal', mean: [null, null, null, null] } as const
  assert.deepEqual(numbers(chartData(decimals)).values, [2, 2, 2, 2.5])
})

test('chartData() makes bars of sums, steps of other statistics, states of texts', () => {
  const periods: Plot = {
    ...facts,
    form: 'periods',
    start: [0, 10],
    end: [10, 20],
    value: [1, null],
  }
  assert.equal(numbers(chartData(periods, { stat: 'sum' })).shape, 'bars')
  assert.equal(numbers(chartData(periods, { stat: 'max' })).shape, 'steps')
  const band = numbers(chartData({ ...periods, min: [0, null], max: [3, null] }, { stat: 'band' }))
  assert.deepEqual([band.lows[0], band.highs[0]], [0, 3])
  assert.deepEqual(extentOf([numbers(chartData(periods, { stat: 'sum' }))], 0, 20), [0, 1])
  assert.equal(states(chartData({ ...periods, value: ['on', null] })).bands.length, 1)
})

test('states last until the next sample, the last one to this moment', () => {
  const plot: Plot = {
    ...facts,
    kind: 'text',
    time: [100, 200, 300],
    value: ['a', 'a', 'b'],
    lastTime: 300,
    before: { time: -50, value: 'z' },
  }
  const { bands } = states(chartData(plot, { now: 700 }))
  assert.deepEqual(
    bands.map(({ from, until, state }) => [from, until, state]),
    [
      [-50, 100, 'z'],
      [100, 300, 'a'],
      [300, 700, 'b'],
    ],
  )
  assert.equal(states(chartData(plot, { now: 9_000 })).bands[2].until, 1_000)
  const data = chartData(plot, { now: 700 })
  assert.equal(figuresOf({ data }, { from: 0, until: 1_000 }, 150).value, 'a')
  assert.equal(figuresOf({ data }, { from: 0, until: 1_000 }, undefined).value, 'b')
})

test('several states in a span too short to show them are shown as such', () => {
  const spans: Plot = {
    ...facts,
    form: 'spans',
    kind: 'boolean',
    spanMs: 10,
    start: [0, 10],
    end: [9, 19],
    count: [5, 5],
    first: [true, true],
    last: [true, true],
    mean: [1, 0.5],
    min: [true, false],
    max: [true, true],
  }
  const data = states(chartData(spans, { now: 1_000 }))
  assert.deepEqual(
    data.bands.map(({ state }) => state),
    ['true', undefined],
  )
  assert.equal(figuresOf({ data }, { from: 0, until: 20 }, 15).value, 'several (5)')
})

test('a plot without samples has no figures and an axis all the same', () => {
  const data = numbers(
    chartData({ ...facts, firstTime: null, lastTime: null, time: [], value: [] }),
  )
  assert.equal(figuresOf({ data }, { from: 0, until: 10 }, undefined).mean, '–')
  assert.deepEqual(roomyExtent(extentOf([data], 0, 10)), [0, 1])
  assert.deepEqual(roomyExtent([5, 5]), [4.5, 5.5])
  assert.deepEqual(roomyExtent([0, 100]), [0, 106])
})

test('withSample() grows samples and spans as the service would, and asks where it cannot', () => {
  const few: Plot = { ...facts, time: [10], value: [1], lastTime: 10 }
  const grown = withSample(few, { time: 20, data: 2 })
  assert.deepEqual([grown?.time, grown?.value, grown?.lastTime], [[10, 20], [1, 2], 20])
  assert.deepEqual(withSample(few, { time: 10, data: 7 })?.value, [7])
  assert.equal(withSample(few, { time: 5, data: 7 }), undefined)
  assert.equal(withSample(few, { time: 5_000, data: 7 }), few, 'beyond what is shown')
  const spans: Plot = {
    ...facts,
    form: 'spans',
    spanMs: 10,
    start: [0],
    end: [4],
    count: [2],
    first: [1],
    min: [1],
    max: [3],
    last: [3],
    mean: [2],
  }
  const wider = withSample(spans, { time: 6, data: 8 })
  assert.deepEqual([wider?.end, wider?.max, wider?.mean, wider?.count], [[6], [8], [4], [3]])
  assert.deepEqual(withSample(spans, { time: 12, data: 8 })?.start, [0, 12])
  assert.equal(withSample({ ...spans, kind: 'text' }, { time: 12, data: 'x' }), undefined)
})

test('a span that grows beyond the range between two of its moves keeps its figures', () => {
  const spans: Plot = {
    ...facts,
    form: 'spans',
    spanMs: 500,
    start: [],
    end: [],
    count: [],
    first: [],
    min: [],
    max: [],
    last: [],
    mean: [],
  }
  let plot: Plot | undefined = spans
  for (const time of [100, 200, 300, 400]) {
    plot = withSample(plot ?? spans, { time, data: time })
    assert.ok(plot !== undefined)
    const seen = figuresOf({ data: chartData(plot) }, { from: -650, until: 350 }, undefined)
    assert.deepEqual([seen.value, seen.min, seen.max], [`${time}`, '100', `${time}`])
  }
  const data = chartData(plot ?? spans)
  assert.equal(figuresOf({ data }, { from: 250, until: 1_250 }, undefined).mean, '250')
  assert.equal(figuresOf({ data }, { from: 401, until: 1_401 }, undefined).mean, '–')
  assert.equal(figuresOf({ data }, { from: -900, until: 100 }, undefined).mean, '–')
})

test('the figures are of every period that is drawn, the running one and the first among them', () => {
  const days: Plot = {
    ...facts,
    form: 'periods',
    start: [0, 10, 20],
    end: [10, 20, 30],
    value: [1, 2, 6],
  }
  const figures = figuresOf(
    { data: chartData(days, { stat: 'avg' }) },
    { from: 5, until: 24 },
    undefined,
  )
  assert.deepEqual(figures, { value: '6', min: '1', max: '6', mean: '3' })
  const one = figuresOf(
    { data: chartData(days, { stat: 'avg' }) },
    { from: 21, until: 24 },
    undefined,
  )
  assert.equal(one.mean, '6')
  const edges = figuresOf(
    { data: chartData(days, { stat: 'avg' }) },
    { from: 10, until: 20 },
    undefined,
  )
  assert.equal(edges.mean, '2', 'periods beside the range are not in it')
})

test('figures have the digits of the unit or of the samples, and means one more', () => {
  const range = { from: 0, until: 1_000 }
  const plot: Plot = { ...facts, time: [100, 200, 300], value: [1.5, 2.25, 7] }
  const shown = (of: Plot) =>
    figuresOf({ data: chartData(of), precision: precisionOf(of) }, range, undefined)
  assert.deepEqual(shown(plot), { value: '7', min: '1.5', max: '7', mean: '3.583' })
  const unit = { ...plot, numberFormat: '0,000.0' }
  assert.deepEqual(shown(unit), { value: '7.0', min: '1.5', max: '7.0', mean: '3.6' })
  const calculated = { ...plot, value: [1 / 3, 2 / 3, 1] }
  assert.equal(precisionOf(calculated), undefined)
  assert.equal(shown(calculated).mean, '0.666667')
  assert.equal(precisionOf({ ...plot, kind: 'text' }), undefined)
  assert.equal(formatNumber(-1_234_567.891, '0,000.00'), '-1,234,567.89')
  assert.equal(formatNumber(-0.001, '0.0'), '0.0')
})

test('statistics have the digits of the extremes, averages one more, and counts their own', () => {
  const plot: Plot = { ...facts, form: 'periods', start: [0, 10], value: [15.84424, 16.4759] }
  const values = (...all: readonly number[]) => new Map(all.map((one, at) => [at * 10, one]))
  const figures = [
    { stat: 'nongapcount', values: values(496, 1276) },
    { stat: 'min', values: values(15.58, 15.6) },
    { stat: 'max', values: values(16.2, 17) },
  ]
  const shown = statisticPrecision(plot, 'avg', figures)
  assert.deepEqual(shown('avg'), { decimals: 3, isFixed: false })
  assert.deepEqual(shown('max'), { decimals: 2, isFixed: false })
  assert.equal(shown('nongapcount'), undefined)
  const unit = statisticPrecision({ ...plot, numberFormat: '0.0' }, 'avg', figures)
  assert.deepEqual(unit('avg'), { decimals: 1, isFixed: true })
  assert.equal(unit('nongapcount'), undefined)
  assert.equal(statisticPrecision(plot, 'avg', [])('avg'), undefined)
  const text = statisticPrecision({ ...plot, kind: 'text' }, 'first', [])
  assert.equal(text('first'), undefined)
})

test('numberText() cuts long fractions, and never what a meter reads', () => {
  const texts: readonly (readonly [number, string])[] = [
    [21.307142857, '21.3071'],
    [0.00013507405, '0.000135074'],
    [9_999.999, '10000'],
    [12_345.678, '12345.68'],
    [1_234_567.89, '1234567.89'],
    [-1_234_567.894, '-1234567.89'],
    [123_456_789, '123456789'],
    [1e15, '1e+15'],
    [9_299_694_087_652_762_000, '9.29969e+18'],
    [Number.NaN, '–'],
  ]
  for (const [value, text] of texts) assert.equal(numberText(value), text)
})

test('valueTexts() distinguishes the ticks of an axis, however close they are', () => {
  const check = (values: readonly number[], step: number, texts: readonly string[]) =>
    assert.deepEqual(valueTexts(values, step), texts)
  check([-0.001, -0.0005, 0, 0.0005, 0.001], 0.0005, ['-0.001', '-0.0005', '0', '0.0005', '0.001'])
  check([1_000, 1_000.00001], 0.00001, ['1,000', '1,000.00001'])
  check([0, 2.5, 5], 2.5, ['0', '2.5', '5'])
  check([0.1 + 0.2, 0.4], 0.1, ['0.3', '0.4'])
  check([-5.5e-17, 0.5], 0.5, ['0', '0.5'])
  check([0, 2.5e-10, 5e-10, 1e-9], 2.5e-10, ['0', '2.5e-10', '5e-10', '1e-9'])
  check([0, 2e18, 1e19], 2e18, ['0', '2e+18', '1e+19'])
  check([1e12, 1e12 + 2], 2, ['1,000,000,000,000', '1,000,000,000,002'])
})

test('ranges stay sound however they are zoomed and moved', () => {
  assert.deepEqual(zoomed({ from: 0, until: 100 }, 0.5, 20), { from: 10, until: 60 })
  assert.deepEqual(moved({ from: 0, until: 100 }, -0.1), { from: -10, until: 90 })
  assert.deepEqual(
    rangeAfter({ from: 0, until: 100 }, (range) => moved(range, 0.5)),
    { from: 50, until: 150 },
  )
  const tiny = soundRange({ from: 5, until: 5 })
  assert.ok(tiny.until - tiny.from >= 10)
  const huge = zoomed({ from: 0, until: 1e12 }, 1e9, 0)
  assert.ok(Number.isSafeInteger(huge.from) && huge.until > huge.from)
})

test('axesOf() gives two units an axis each, in the order in which they come, and a third none', () => {
  const axes = axesOf([
    { unit: '°C', isNumber: true },
    { unit: '', isNumber: false },
    { unit: '%', isNumber: true },
    { unit: '°C', isNumber: true },
    { unit: 'bar', isNumber: true },
  ])
  assert.deepEqual([axes.left, axes.right, axes.own], [['°C'], ['%'], ['bar']])
  assert.deepEqual(axes.sides, ['y', 'y', 'y2', 'y', 'own'])
})

test('axesOf() gives the axis of a hidden unit to one that is seen, where three want one', () => {
  const hiding = (hidden: string, units: readonly string[]) =>
    axesOf(units.map((unit) => ({ unit, isNumber: true, isHidden: unit === hidden })))
  const { left, right, own, sides } = hiding('%', ['°C', '%', 'bar'])
  assert.deepEqual([left, right, own], [['°C'], ['bar'], []])
  assert.deepEqual(sides, ['y', 'own', 'y2'])
  assert.deepEqual(hiding('°C', ['°C', '%']).sides, ['y', 'y2'], 'two units stay where they are')
})

test('an age has one unit, and slightly different clocks give no future ages', () => {
  const reported = [0, 999, 1_000, 61_000, 7_200_000, 86_400_000, -1, -999, -4_999].map(ageText)
  const justNow = 'just now'
  assert.deepEqual(reported.slice(0, 6), [
    justNow,
    justNow,
    '1 s ago',
    '1 min ago',
    '2 h ago',
    '1 d ago',
  ])
  assert.deepEqual(reported.slice(6), [justNow, justNow, justNow])
  assert.deepEqual([-5_000, -120_000].map(ageText), ['in 5 s', 'in 2 min'])
})
