/** How the studio writes values, times and small lines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axesOf, ownScaleText } from '../../studio/src/chart/axes.ts'
import { tickTexts, timeTicks } from '../../studio/src/chart/time-ticks.ts'
import { spacedText, withUnit } from '../../studio/src/chart/unit-text.ts'
import { csvName, isoTimes, withIsoTimes } from '../../studio/src/pages/stream/csv-text.ts'
import { drawSparkline } from '../../studio/src/ui/spark-drawing.ts'
import { ageText } from '../../studio/src/ui/time/age-text.ts'
import { rangeText, zonedRangeText } from '../../studio/src/ui/time/moment-text.ts'

const ms = (text: string) => Date.parse(text)
const DAY = 86_400_000
/** A space at which no line is broken. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test('spacedText() parts a number and its unit where people do', () => {
  const check = (fData: string, data: unknown, expected: string) =>
    assert.equal(plain(spacedText(fData, data)), expected)
  check('20.5°C', 20.5, '20.5 °C')
  check('-1,234.50kWh', -1234.5, '-1,234.50 kWh')
  check('1e+21W', 1e21, '1e+21 W')
  check('45%', 45, '45%')
  check('45%RH', 45, '45 %RH')
  check('12°', 12, '12°')
  check('3.00 lbs', 3, '3.00 lbs')
  check('$12.50', 12.5, '$12.50')
  check('12.5', 12.5, '12.5')
  check('5e-7', 5e-7, '5e-7')
  check('12abc', '12abc', '12abc')
  check('On', true, 'On')
  assert.equal(plain(withUnit('4', '')), '4')
})

test('an age of years is shown in years', () => {
  const check = (days: number, expected: string) => assert.equal(ageText(days * DAY), expected)
  check(364, '364 d ago')
  check(366, '1 year ago')
  check(20_772, '56 years ago')
  check(-20_772, 'in 56 years')
})

test('marks of another year say it, those of this year do not', () => {
  const textsOf = (day: string, now: string) => {
    const ticks = timeTicks('UTC', ms(`${day}T00:00Z`), ms(`${day}T12:00Z`), DAY / 4)
    return tickTexts('UTC', ticks, ms(now))
  }
  assert.deepEqual(textsOf('2025-03-01', '2026-11-15'), ['00:00\n1 Mar 2025', '06:00', '12:00'])
  assert.deepEqual(textsOf('2026-03-01', '2026-11-15'), ['00:00\n1 Mar', '06:00', '12:00'])
})

test('rangeText() says a day once, and seconds only in short ranges', () => {
  const check = (from: string, until: string, expected: string) =>
    assert.equal(rangeText('UTC', ms(from), ms(until)), expected)
  check('2026-03-01T00:00:00Z', '2026-03-01T06:00:00Z', '2026-03-01 00:00 – 06:00')
  check('2026-03-01T00:00:00Z', '2026-03-02T06:00:00Z', '2026-03-01 00:00 – 2026-03-02 06:00')
  check('2026-03-01T00:00:01.25Z', '2026-03-01T06:00:59.9Z', '2026-03-01 00:00 – 06:00')
  check('2026-03-01T00:00:01.25Z', '2026-03-01T00:06:00Z', '2026-03-01 00:00:01 – 00:06:00')
  check('2026-03-01T00:00:01.25Z', '2026-03-01T00:00:02Z', '2026-03-01 00:00:01.250 – 00:00:02')
})

test('rangeText() shows both offsets of a range with a clock change', () => {
  const [from, until] = [ms('2026-10-24T22:00:00Z'), ms('2026-10-25T04:00:00Z')]
  const set = '2026-10-25 00:00 UTC+2 – 05:00 UTC+1'
  assert.equal(rangeText('Europe/Berlin', from, until), set)
  assert.equal(zonedRangeText('Europe/Berlin', from, until), set)
  assert.equal(rangeText('UTC', from, until), '2026-10-24 22:00 – 2026-10-25 04:00')
  assert.equal(zonedRangeText('UTC', from, until), '2026-10-24 22:00 – 2026-10-25 04:00 UTC')
})

test('ownScaleText() says which units have no axis', () => {
  const axes = (...units: string[]) => axesOf(units.map((unit) => ({ unit, isNumber: true })))
  const two = 'A chart has two axes: °C on the left, % on the right.'
  assert.equal(ownScaleText(axes('°C', '%')), '')
  assert.equal(
    ownScaleText(axes('°C', '%', 'bar')),
    `${two} bar uses a separate scale. See the legend for values.`,
  )
  assert.equal(
    ownScaleText(axes('°C', '%', 'bar', '')),
    `${two} bar and no unit use separate scales. See the legend for values.`,
  )
})

test('drawSparkline(): one sample is a dot where it lies, on and off are steps', () => {
  const at = { height: 32, from: 0, until: 100 }
  assert.deepEqual(drawSparkline([{ at: 25, value: 7 }], at), {
    path: '',
    dot: { left: 0.25, top: 0.5 },
  })
  const states = [
    { at: 0, value: 1 },
    { at: 50, value: 0 },
    { at: 75, value: 1 },
  ]
  const { path } = drawSparkline(states, { ...at, isSteps: true })
  assert.equal(path, 'M0.0 2.0H100.0V30.0H150.0V2.0H200')
  const late = drawSparkline([{ at: 99, value: 1 }], { ...at, isSteps: true })
  assert.deepEqual(late, { path: 'M198.0 2.0H200', dot: { left: 0.99, top: 2 / 32 } })
  const line = drawSparkline(states, at)
  assert.equal(line.path, 'M0.0 2.0L100.0 30.0L150.0 2.0')
  assert.deepEqual(drawSparkline([], at), { path: '', dot: undefined })
})

test('withIsoTimes() writes each moment on the clocks of the zone, also where they are set', () => {
  const isoOf = isoTimes('Europe/Berlin')
  assert.equal(isoOf(ms('2026-03-29T00:59:59.999Z')), '2026-03-29T01:59:59.999+01:00')
  assert.equal(isoOf(ms('2026-03-29T01:00:00Z')), '2026-03-29T03:00:00.000+02:00')
  assert.equal(isoTimes('America/St_Johns')(0), '1969-12-31T20:30:00.000-03:30')
  assert.equal(isoTimes('UTC')(-1), '1969-12-31T23:59:59.999+00:00')
  // Offsets with seconds are of long ago: the moment is the same.
  const old = isoTimes('Europe/Amsterdam')(ms('1910-01-01T00:00:00Z'))
  assert.equal(ms(old), ms('1910-01-01T00:00:00Z'))
  const csv = 'time,data\r\n0,"a ""b""\r\n5,c"\r\n1000,d\r\n'
  assert.equal(
    withIsoTimes(csv, { isoOf: isoTimes('UTC'), hasHead: true }),
    'time,isoTime,data\r\n0,1970-01-01T00:00:00.000+00:00,"a ""b""\r\n5,c"\r\n' +
      '1000,1970-01-01T00:00:01.000+00:00,d\r\n',
  )
  assert.equal(
    withIsoTimes('0,', { isoOf: isoTimes('UTC'), hasHead: false }),
    '0,1970-01-01T00:00:00.000+00:00,',
  )
})

test('csvName() holds component, stream and range, and fits any file system', () => {
  const range = { from: ms('2026-03-01T00:00:00Z'), until: ms('2026-03-02T00:00:00.500Z') }
  assert.equal(
    csvName({ componentName: 'Hall / 2', streamName: 'Wärme' }, range, 'Asia/Tokyo'),
    'Hall-2_Wärme_2026-03-01T090000_2026-03-02T090000.csv',
  )
  const long = '温'.repeat(512)
  const name = csvName({ componentName: long, streamName: long }, range, 'UTC')
  assert.ok(Buffer.byteLength(name) <= 255, `${Buffer.byteLength(name)} bytes`)
})
