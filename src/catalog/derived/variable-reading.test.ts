import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packGrid } from '../shape/interval-grid.ts'
import type { StatisticId } from '../shape/statistic-ids.ts'
import { INTERVAL, POINT, RANDOM } from '../shape/stream-kind.ts'
import { VALUE_TYPES, type ValueType } from '../shape/value-type.ts'
import { type ReadStream, readingOf } from './variable-reading.ts'

const grid = (sizeType: 'HOUR' | 'DAY', zone = 'UTC') =>
  packGrid({ sizeType, count: 1, referenceDate: '2024-01-01T00:00:00', timeZone: '' }, zone)

const random = { kind: RANDOM, grid: '' } as const
const hourly = { kind: INTERVAL, grid: grid('HOUR') } as const
const daily = { kind: INTERVAL, grid: grid('DAY') } as const

function source(
  place: Pick<ReadStream, 'kind' | 'grid'>,
  valueType: ValueType,
  rollupMethod: ReadStream['rollupMethod'] = 'avg',
): ReadStream {
  return { ...place, valueType, rollupMethod }
}

test('readingOf() takes samples as they are where the result has none of its own intervals', () => {
  for (const place of [random, hourly]) {
    const reading = readingOf(random, source(place, 'BOOLEAN'), '')
    assert.deepEqual(reading, { type: 'BOOLEAN', rollup: undefined })
  }
  const same = readingOf(daily, source(daily, 'LONG', 'sum'), '')
  assert.deepEqual(same, { type: 'LONG', rollup: undefined })
  const sameInBerlin = { kind: INTERVAL, grid: grid('HOUR', 'Europe/Berlin') } as const
  const alike = readingOf(hourly, source(sameInBerlin, 'LONG', 'sum'), '')
  assert.deepEqual(alike, { type: 'LONG', rollup: undefined })
})

test('readingOf() rolls up what is shorter, by the method of the source', () => {
  const check = (of: ReadStream, type: string, rollup: StatisticId) =>
    assert.deepEqual(readingOf(daily, of, ''), { type, rollup })
  check(source(hourly, 'DOUBLE', 'sum'), 'DOUBLE', 'sum')
  check(source(random, 'LONG', 'max'), 'LONG', 'max')
  check(source(random, 'LONG'), 'DOUBLE', 'avg')
  check(source(random, 'BOOLEAN'), 'DOUBLE', 'avg')
  check(source(random, 'BOOLEAN', 'last'), 'BOOLEAN', 'last')
  check(source(random, 'STRING'), 'STRING', 'last')
  check(source(random, 'STRING', 'first'), 'STRING', 'first')
  check(source(random, 'BIG_DECIMAL', 'sum'), 'BIGDECIMAL', 'sum')
  check(source(random, ''), 'UNKNOWN', 'avg')
})

test('readingOf() gives statistics of periods their types', () => {
  const check = (valueType: ValueType, stat: StatisticId, type: string) =>
    assert.deepEqual(readingOf(random, source(random, valueType), stat), {
      type,
      rollup: undefined,
    })
  check('DOUBLE', 'avg', 'DOUBLE')
  check('INTEGER', 'min', 'LONG')
  check('INTEGER', 'sum', 'DOUBLE')
  check('BOOLEAN', 'max', 'DOUBLE')
  check('STRING', 'last', 'STRING')
  check('BIG_DECIMAL', 'avg', 'BIGDECIMAL')
  for (const valueType of VALUE_TYPES.filter((type) => type !== 'FILE')) {
    check(valueType, 'nongapcount', 'LONG')
    check(valueType, 'milliseccount', 'LONG')
  }
})

test('readingOf() reports why a source cannot be read', () => {
  const check = (
    result: Pick<ReadStream, 'kind' | 'grid'>,
    of: ReadStream,
    stat: StatisticId | '',
    expected: RegExp,
  ) => {
    const reading = readingOf(result, of, stat)
    assert.match(typeof reading === 'string' ? reading : 'was read', expected)
  }
  check(random, source({ kind: POINT, grid: '' }, 'DOUBLE'), '', /point stream/)
  check(random, source(random, 'FILE'), '', /file stream/)
  check(random, source(random, 'FILE'), 'last', /file stream/)
  for (const stat of ['min', 'max', 'avg', 'sum', 'minoccurrence', 'maxoccurrence'] as const) {
    check(random, source(random, 'STRING'), stat, /not available for texts/)
  }
  check(hourly, source(daily, 'DOUBLE'), '', /do not add up to intervals/)
  const india = { kind: INTERVAL, grid: grid('DAY', 'Asia/Kolkata') } as const
  check(india, source(hourly, 'DOUBLE'), '', /do not add up to intervals/)
})
