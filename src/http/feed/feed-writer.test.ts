import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { roundsOf } from '../../../test/support/random.ts'
import type { FeedFields, FeedSeries } from '../../feed/index.ts'
import { writeFeed } from './feed-writer.ts'
import { JsonBytes } from './json-bytes.ts'

const plain: FeedFields = {
  compId: false,
  streamId: false,
  fData: false,
  unit: false,
  sdTime: false,
}
const all: FeedFields = { compId: true, streamId: true, fData: true, unit: true, sdTime: true }

function series(values: readonly number[], more: Partial<FeedSeries> = {}): FeedSeries {
  return {
    compId: 'c"1',
    streamId: 'ö',
    count: values.length,
    times: Float64Array.from(values, (_, index) => 1_700_000_000_000 - index),
    numbers: Float64Array.from(values),
    isBoolean: false,
    isDecimal: false,
    ...more,
  }
}

function numberAsJson(value: number): string {
  const out = new JsonBytes()
  out.number(value)
  return out.finish().toString()
}

test('JsonBytes.number() writes the shortest digits that read back as the same double', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.tuple(fc.maxSafeInteger(), fc.nat(6)).map(([whole, places]) => whole / 10 ** places),
    fc.tuple(fc.integer(), fc.nat(6)).map(([whole, places]) => whole / 10 ** places),
  )
  const expected = (value: number) => (Object.is(value, -0) ? '-0' : String(value))
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 10 }), (values) => {
      // One writer for all: what it learnt from one number must not show in the next.
      const out = new JsonBytes()
      for (const value of values) {
        out.number(value)
        out.byte(0x2c)
      }
      assert.equal(out.finish().toString(), values.map((value) => `${expected(value)},`).join(''))
    }),
    { numRuns: roundsOf(5_000) },
  )
  const check = (value: number, expected: string) => assert.equal(numberAsJson(value), expected)
  check(0, '0')
  check(-0, '-0')
  check(0.001, '0.001')
  check(-0.05, '-0.05')
  check(999_999_999_999_999, '999999999999999')
  check(1e15, '1000000000000000')
  check(123_456_789_012.345, '123456789012.345')
  check(1e21, '1e+21')
  check(5e-324, '5e-324')
  check(1_700_000_000_000, '1700000000000')
})

test('writeFeed() writes compact samples with the keys in the order of the contract', () => {
  const check = (list: readonly FeedSeries[], fields: FeedFields, expected: string) =>
    assert.equal(writeFeed(list, fields).toString(), expected)
  check([], plain, '[]')
  check([series([])], plain, '[]')
  check(
    [series([1.5]), series([]), series([2])],
    plain,
    '[{"time":1700000000000,"data":1.5},{"time":1700000000000,"data":2}]',
  )
  const unit = {
    symbol: 'C',
    symbolLocation: 'AFTER',
    numberFormat: '0.00',
    booleanStyle: 'TRUE_FALSE',
  } as const
  check(
    [series([20, 0], { unit, starts: Float64Array.of(5, 4), gaps: Uint8Array.of(0, 1) })],
    all,
    '[{"compId":"c\\"1","streamId":"ö","time":1700000000000,"data":20,"fData":"20.00C","unit":"C","sdTime":5},' +
      '{"compId":"c\\"1","streamId":"ö","time":1699999999999,"data":null,"fData":"","unit":"C","sdTime":4}]',
  )
  check(
    [series([0, 1], { isBoolean: true, texts: [] })],
    plain,
    '[{"time":1700000000000,"data":false},{"time":1699999999999,"data":true}]',
  )
  check(
    [series([0], { texts: ['a"\u0001é😀'] })],
    { ...plain, unit: true, sdTime: true },
    '[{"time":1700000000000,"data":"a\\"\\u0001é😀","unit":""}]',
  )
})

test('writeFeed() writes plain samples exactly as JSON.stringify() does', () => {
  const time = fc.oneof(
    fc.integer({ min: -2_208_988_800_000, max: 9_183_110_400_000 }),
    fc.integer({ min: 1_700_000_000_000, max: 1_700_002_000_000 }),
    fc.constantFrom(999_999_999_999, 1e12, 1e12 + 1, 9_999_999_999_999, 1e13, 0, -1, 1_999_999),
  )
  const hundredths = fc.integer({ min: -1_100_000, max: 1_100_000 }).map((whole) => whole / 100)
  const value = fc.oneof(
    hundredths,
    fc.constantFrom(
      0,
      0.01,
      -0.5,
      0.1,
      0.99,
      1,
      9.9,
      10,
      99.99,
      100,
      100.05,
      9_999.99,
      10_000,
      0.005,
    ),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(time, value), { maxLength: 200 }),
      fc.boolean(),
      (rows, named) => {
        const one = series(
          rows.map(([, data]) => data),
          { times: Float64Array.from(rows, ([at]) => at) },
        )
        const written = writeFeed([one, one], {
          ...plain,
          compId: named,
          streamId: named,
        }).toString()
        const names = named ? { compId: one.compId, streamId: one.streamId } : {}
        const list = rows.map(([at, data]) => ({ ...names, time: at, data }))
        assert.equal(written, JSON.stringify([...list, ...list]))
      },
    ),
    { numRuns: roundsOf(2_000) },
  )
})

test('writeFeed() distinguishes -0 from 0 and goes on after rows of any kind', () => {
  const values = [-0, 0, 1.5, -0, 123_456.789, 2, 0.005, -3.25]
  const written = writeFeed([series([...values, ...Array.from({ length: 80 }, () => 7.5)])], plain)
  const shown = written.toString().match(/(?<="data":)[^}]+/g) ?? []
  const expected = ['-0', '0', '1.5', '-0', '123456.789', '2', '0.005', '-3.25']
  assert.deepEqual(shown.slice(0, values.length), expected)
  assert.equal(shown.length, values.length + 80)
  assert.ok(shown.slice(values.length).every((text) => text === '7.5'))
})
