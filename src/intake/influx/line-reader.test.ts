import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VALUE_FALSE, VALUE_NULL, VALUE_NUMBER, VALUE_TEXT, VALUE_TRUE } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { DoorSlice } from '../door-slice.ts'
import { SeriesCache } from '../series-cache.ts'
import { LineReader } from './line-reader.ts'
import { type Precision, readPrecision } from './line-time.ts'

const BOUNDS = { samplesMax: 1_000_000, seriesMax: 20_000 }

function newCache(deleted: ReadonlySet<number> = new Set()) {
  return new SeriesCache({ seriesGeneration: 0, has: (handle) => !deleted.has(handle) })
}

function read(text: string | Buffer, cache = newCache(), precision: Precision = 'ms') {
  const reader = new LineReader(Buffer.from(text), cache, { ...BOUNDS, precision })
  const slice = reader.begin()
  while (reader.read('org', 64));
  return { reader, slice }
}

function shownValue({ samples }: DoorSlice, index: number): unknown {
  switch (samples.kinds[index]) {
    case VALUE_NUMBER:
      return samples.numbers[index]
    case VALUE_TEXT:
      return samples.texts?.[index]
    case VALUE_TRUE:
      return true
    case VALUE_FALSE:
      return false
    default:
      assert.equal(samples.kinds[index], VALUE_NULL)
      return 'dropped'
  }
}

/** The points of a body by the name of their series: value and time. */
function pointsOf(text: string | Buffer, precision: Precision = 'ms') {
  const { slice } = read(text, newCache(), precision)
  return slice.samples.series.flatMap(({ series, samples }) =>
    samples.map((index) => {
      const { __name__: name, ...tags } = series
      return [name, tags, shownValue(slice, index), slice.samples.times[index]]
    }),
  )
}

function reasonsOf(text: string | Buffer): [line: number, reason: string][] {
  return read(text).slice.refused.map(({ line, reason }) => [line, reason])
}

test('LineReader reads measurement, tags, fields, and time, with their escapes', () => {
  const check = (text: string, expected: unknown[]) => assert.deepEqual(pointsOf(text), expected)
  check('m f=1.5 7', [['m_f', {}, 1.5, 7]])
  check('m value=1 7', [['m', {}, 1, 7]])
  check('m,a=x,b=y f=1,g=2 7', [
    ['m_f', { a: 'x', b: 'y' }, 1, 7],
    ['m_g', { a: 'x', b: 'y' }, 2, 7],
  ])
  check('  m\\ n\\,o=p,a\\ b\\=c\\,=\\,\\=\\  f\\ g\\=h=1 7', [
    ['m n,o=p_f g=h', { 'a b=c,': ',= ' }, 1, 7],
  ])
  check('m\\a\\\\b,t=\\x\\\\y f=1 7', [['m\\a\\\\b_f', { t: '\\x\\\\y' }, 1, 7]])
  check('m   f=1   7  ', [['m_f', {}, 1, 7]])
  check('温度,場所=東京 値=1 7', [['温度_値', { 場所: '東京' }, 1, 7]])
})

test('LineReader reads numbers, integers, booleans, and texts', () => {
  const check = (written: string, expected: unknown) =>
    assert.deepEqual(pointsOf(`m value=${written} 7`), [['m', {}, expected, 7]], written)
  check('0', 0)
  check('-0.0', -0)
  check('.5', 0.5)
  check('5.', 5)
  check('-007.250', -7.25)
  check('1e3', 1_000)
  check('1.5E-3', 0.0015)
  check('123456789012345678', 123456789012345680)
  check('0.1234567890123456789', 0.12345678901234568)
  check('1_000.5', 1_000.5)
  check('0x1p-2', 0.25)
  check('0x1.8p1', 3)
  check('1e-400', 0)
  check('12i', 12)
  check('-12i', -12)
  check('9223372036854775807i', 2 ** 63)
  check('18446744073709551615u', 2 ** 64)
  check('t', true)
  check('TRUE', true)
  check('False', false)
  check('"a b,c=d"', 'a b,c=d')
  check('"a\\"b\\\\c\\d"', 'a"b\\c\\d')
  check('"line\none"', 'line\none')
  check('""', '')
})

test('LineReader refuses values that are none, and the line with them', () => {
  for (const written of [
    '1x',
    '-',
    '.',
    '1e',
    '1__0',
    '_1',
    '0x1',
    '1e400',
    '-inf',
    'nan',
    '1.5i',
    '-1u',
    '+1',
    '9223372036854775808i',
    '-9223372036854775809i',
    '18446744073709551616u',
    '1_0i',
    'i',
    'tru',
    'truE',
    'yes',
    '"open',
    'a',
    "'a'",
    '"a"b',
  ]) {
    const { slice } = read(`m good=1,bad=${written} 7`)
    assert.equal(slice.refusedCount, 1, written)
    assert.equal(slice.samples.count, 0, written)
  }
})

test('LineReader names each bad line by its number and reads on behind it', () => {
  const text = [
    'm f=1 1',
    '# a comment',
    '',
    'm,=x f=1 2',
    'm f="two\nlines" 3',
    'm',
    'm f=1 4\r',
    'm f=1 5 6',
    'm,a=1,a=2 f="a\nb" 7',
    'm f=1 8',
  ].join('\n')
  const { slice } = read(text)
  assert.deepEqual(
    slice.refused.map(({ line, reason }) => [line, reason]),
    [
      [4, 'A tag key is missing'],
      [7, 'The line has no fields'],
      [9, 'Nothing may follow the time'],
      [10, 'Tag "a" is there twice'],
    ],
  )
  assert.deepEqual([...slice.samples.times.slice(0, slice.samples.count)], [1, 3, 4, 8])
  assert.deepEqual(slice.lineOf(0).line, 1)
  assert.deepEqual(slice.lineOf(1).line, 5)
  assert.deepEqual(slice.lineOf(3).line, 12)
})

test('LineReader refuses NUL bytes, control characters, and bytes that are not UTF-8', () => {
  const bad = [0x00, 0x01, 0x09, 0x7f, 0xff]
  for (const byte of bad) {
    const at = (text: string) =>
      Buffer.concat(
        text
          .split('?')
          .flatMap((part, index) =>
            index === 0 ? [Buffer.from(part)] : [Buffer.of(byte), Buffer.from(part)],
          ),
      )
    for (const text of ['m? f=1', 'm,t?=a f=1', 'm,t=a? f=1', 'm f?=1', 'm f=1?', 'm f=1 7?']) {
      if (byte === 0xff && !/[mta]\?/.test(text)) continue
      assert.equal(reasonsOf(at(text)).length, 1, `${byte} in ${text}`)
    }
  }
  assert.deepEqual(pointsOf('m value="a\0b" 7'), [['m', {}, 'a\0b', 7]])
  assert.equal(reasonsOf('# tab\there').length, 1)
})

test('LineReader gives a field that a line has twice its last value', () => {
  const { slice } = read('m f=1,g=2,f="x" 7\nm f=3,f=4 8')
  const values = Array.from({ length: slice.samples.count }, (_, at) => shownValue(slice, at))
  assert.deepEqual(values, ['dropped', 2, 'x', 'dropped', 4])
})

test('LineReader reads times in each precision, and cuts what is finer than a millisecond', () => {
  const check = (time: string, precision: Precision, expected: number) =>
    assert.deepEqual(pointsOf(`m f=1 ${time}`, precision)[0]?.[3], expected, `${time} ${precision}`)
  check('1700000000123456789', 'ns', 1700000000123)
  check('-1', 'ns', -1)
  check('-1000000', 'ns', -1)
  check('-1000001', 'ns', -2)
  check('1700000000123999', 'us', 1700000000123)
  check('1700000000123', 'ms', 1700000000123)
  check('1700000000', 's', 1700000000000)
  check('28333333', 'm', 28333333 * 60_000)
  check('472222', 'h', 472222 * 3_600_000)
  check('0001', 'ms', 1)
  check('1700000000', 'auto', 1700000000000)
  check('1700000000123', 'auto', 1700000000123)
  check('1700000000123456', 'auto', 1700000000123)
  check('1700000000123456789', 'auto', 1700000000123)
  assert.deepEqual(readPrecision('v1', 'µ'), 'us')
  assert.deepEqual(readPrecision('v2', 'h'), undefined)
  assert.deepEqual(readPrecision('v3', 'second'), 's')
})

test('LineReader refuses times that are none, beyond 64 bits, or out of range', () => {
  for (const time of ['1.5', '-', '1-2', '9223372036854775808', '99999999999999999999', '1e3']) {
    assert.equal(read(`m f=1 ${time}`, newCache(), 'ns').slice.refusedCount, 1, time)
  }
  assert.equal(read('m f=1 1700000000123456789', newCache(), 's').slice.refusedCount, 1)
  assert.equal(read('m f=1 9223372036854775807', newCache(), 'ns').slice.refusedCount, 1)
})

test('LineReader leaves the time of lines without one to the service', () => {
  const { slice } = read('m f=1,g=2\nm f=1 5')
  assert.equal(slice.samples.isTimed, false)
  assert.deepEqual([...slice.samples.times.slice(0, 3)], [Number.NaN, Number.NaN, 5])
})

test('LineReader refuses series that cannot be labels, with all of their line', () => {
  const check = (text: string, reason: RegExp) => {
    const { slice } = read(text)
    assert.equal(slice.samples.count, 0)
    assert.match(slice.refused[0]?.reason ?? '', reason)
  }
  check('m,__name__=x f=1', /__name__/)
  check(`m,t=${'x'.repeat(1_000_000)} f=1`, /Label "t" must be a text of 1 to 4096/)
  check(`m,${'t'.repeat(201)}=x f=1`, /1 to 200/)
  const tags = Array.from({ length: 10_000 }, (_, at) => `t${at}=x`).join(',')
  check(`m,${tags} f=1`, /may have 64 labels/)
})

test('LineReader finds known series without their labels, in any order of fields', () => {
  const cache = newCache()
  const { reader, slice } = read('m,a=x f=1,g=2,h=3 1\nm,a=y f=1 1', cache)
  for (const [at, open] of slice.samples.series.entries()) open.handle = (at + 1) as StreamHandle
  reader.learn()
  const again = read('m,a=x h=3,f=1 2\nm,a=x g=1,h=2,f=3 3\nm,a=y f=1,g=5 4', cache).slice
  assert.deepEqual([...again.samples.handles.slice(0, 7)], [3, 1, 2, 3, 1, 4, 0])
  assert.equal(again.samples.series.length, 1)
})

test('LineReader reads lines of known series as it reads new ones', () => {
  const lines = [
    'm,a=x f=1,g=2.25 1700000000123456789',
    'm,a=y f=-0.5,g=123456789.5,h=7i 1700000000123999999',
    'm,a=x g=2,f=1 1700000000123456789',
    'm,a=x f=1,g=2,f=3 1700000000123456789',
    'm,a=x f=1,f=2 1700000000123456789',
    'm,a=x f=t,g="x" 1700000000123456789',
    'm,a=x f=1,g="x" 1700000000123456789',
    'm,a=x f=9007199254740993i,g=1. 1700000000123456789',
    'm\\ n,a=x f=1 -1',
    'm,a=x f=1',
    'm,a=x f=1 1699999999999999999\r',
    'm,a=x f=1i0 1700000000123456789',
    'm,a=x f=1,g=2  1700000000123456789 ',
    'm,a=x f=1,g= 1700000000123456789',
    'm,a=x f=1 17000000001234567890',
    'm,a=x f=1 9999999999999999999',
    'm,a=x f=12345678901234567890,g=1e3 1700000000123456789',
    '# comment',
    '',
  ]
  const shownOf = ({ samples, refused, ...slice }: DoorSlice) => {
    const count = samples.series.reduce((sum, open) => sum + open.samples.length, 0)
    return {
      refused,
      count: samples.count,
      known: samples.count - count,
      rounded: slice.roundedIntegers,
      values: Array.from({ length: samples.count }, (_, at) => [
        Object.is(samples.numbers[at], -0) ? '-0' : samples.numbers[at],
        samples.kinds[at],
        samples.times[at],
      ]),
    }
  }
  for (const first of lines) {
    for (const second of lines) {
      const body = `${lines[0]}\n${first}\n${second}\n${lines[1]}\n${second}`
      const cache = newCache()
      const fresh = read(body, cache, 'ns')
      const expected = shownOf(fresh.slice)
      for (const [at, open] of fresh.slice.samples.series.entries()) {
        open.handle = (at + 1) as StreamHandle
      }
      fresh.reader.learn()
      for (let times = 0; times < 2; times++) {
        const shown = shownOf(read(body, cache, 'ns').slice)
        assert.deepEqual(shown, { ...expected, known: shown.known }, body)
        assert.ok(shown.known >= 4, body)
      }
    }
  }
})

test('LineReader asks again for the series of a stream that is gone', () => {
  const deleted = new Set<number>()
  const cache = newCache(deleted)
  const { reader, slice } = read('m f=1 1', cache)
  for (const open of slice.samples.series) open.handle = 9 as StreamHandle
  reader.learn()
  deleted.add(9)
  const again = read('m f=1 2', cache).slice
  assert.equal(again.samples.handles[0], 0)
  assert.equal(again.samples.series.length, 1)
})

test('LineReader knows tags in another order as the same series', () => {
  const { slice } = read('m,a=x,b=y f=1 1\nm,b=y,a=x f=2 2')
  assert.equal(slice.samples.series.length, 1)
  assert.deepEqual(slice.samples.series[0]?.samples, [0, 1])
})

test('LineReader counts points that share a millisecond, and integers that lose digits', () => {
  const cache = newCache()
  const text = 'm f=1 1000000\nm f=2 1000001\nm f=3 2000000\nm f=3 2000000\nm i=9007199254740993i 1'
  const { slice } = read(text, cache, 'ns')
  assert.equal(slice.sharedMilliseconds, 1)
  assert.equal(slice.roundedIntegers, 1)
})

test('LineReader reads what Home Assistant writes as entities', () => {
  const text = '°C,domain=sensor,entity_id=hall value=21.5,state="x",icon_str="i" 1'
  const { slice } = read(text)
  const [value, state, icon] = slice.samples.series
  assert.deepEqual(value?.series, {
    __name__: 'homeassistant_value',
    domain: 'sensor',
    entity_id: 'hall',
  })
  assert.deepEqual(value?.moreLabels, { unit_of_measurement: '°C' })
  assert.deepEqual(value?.address.component, 'sensor.hall')
  assert.deepEqual(value?.address.stream, 'value')
  assert.deepEqual([state?.isOnChange, icon?.isOnChange], [false, true])
  assert.deepEqual(slice.samples.onChange, [2])
  const other = read('sensor.hall,domain=sensor,entity_id=hall value=1 1').slice
  assert.deepEqual(other.samples.series[0]?.moreLabels, {})
})

test('LineReader reads one line at a time when a slice is full', () => {
  const body = Buffer.from('m a=1,b=2 1\nm c=1 2\nm d=1 3\n')
  const options = { samplesMax: 2, seriesMax: 20_000, precision: 'ms' as const }
  const reader = new LineReader(body, newCache(), options)
  const counts: number[] = []
  while (!reader.isAtEnd) {
    const slice = reader.begin()
    while (reader.read('org', 1_000));
    counts.push(slice.samples.count)
  }
  assert.deepEqual(counts, [2, 2])
})

/** A text of tags, of `count` times `length` characters. */
function longTags(count: number, length: number): string {
  return Array.from({ length: count }, (_, at) => `,t${at}=${'x'.repeat(length)}`).join('')
}

test('LineReader refuses a line whose long tags are those of too many new fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join(',')
  const lines = [
    `a${longTags(60, 4_000)} ${fields(100)} 1`,
    'b f=1 1',
    `c${longTags(60, 4_000)} ${fields(10)} 1`,
  ]
  const reader = new LineReader(Buffer.from(lines.join('\n')), newCache(), {
    ...BOUNDS,
    precision: 'ms',
  })
  const read = []
  const reasons = []
  while (!reader.isAtEnd) {
    const slice = reader.begin()
    while (reader.read('org', 1_000_000));
    read.push(...slice.samples.series.filter(({ samples }) => samples.length > 0))
    reasons.push(...slice.refused.map(({ line, reason }) => [line, reason]))
  }
  assert.equal(read.length, 11)
  assert.deepEqual(reasons, [
    [1, 'The line has too many fields for tags of this length. Send fewer in a line'],
  ])
})

test('LineReader ends a slice where the labels of its new series are long', () => {
  const lines = Array.from({ length: 80 }, (_, at) => `m${at}${longTags(60, 4_000)} f=1 1`)
  const reader = new LineReader(Buffer.from(lines.join('\n')), newCache(), {
    ...BOUNDS,
    precision: 'ms',
  })
  const counts = []
  while (!reader.isAtEnd) {
    const slice = reader.begin()
    while (reader.read('org', 1_000_000));
    counts.push(slice.samples.series.length)
  }
  assert.ok(counts.length > 1 && Math.max(...counts) < 40, String(counts))
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    80,
  )
})

test('LineReader reads no more than a thousand tags of a line, and goes on with the next', () => {
  const { slice } = read(`m${longTags(5_000, 1)} f=1 1\nm f=2 2`)
  assert.deepEqual(
    slice.refused.map(({ line, reason }) => [line, reason]),
    [[1, 'A stream may have 64 labels']],
  )
  assert.equal(slice.samples.count, 1)
})
