import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, TIME_END } from '../base/index.ts'
import type { CycleDefinition } from './cycle-definition.ts'
import { nextPeriods } from './next-periods.ts'

const day: CycleDefinition = {
  sizeType: 'DAY',
  count: 1,
  referenceDate: '2024-01-01',
  timeZone: '',
}
const at = (text: string) => Date.parse(text)

test('nextPeriods() begins with the period that holds the instant and shows days of 23 hours', () => {
  const asked = { timeZone: 'Europe/Berlin', from: at('2026-03-28T12:00:00Z'), count: 3 }
  const found = nextPeriods(day, asked)
  assert.deepEqual(
    found.map(({ localFrom, localUntil }) => `${localFrom} ${localUntil}`),
    [
      '2026-03-28T00:00:00+01:00 2026-03-29T00:00:00+01:00',
      '2026-03-29T00:00:00+01:00 2026-03-30T00:00:00+02:00',
      '2026-03-30T00:00:00+02:00 2026-03-31T00:00:00+02:00',
    ],
  )
  assert.deepEqual(
    found.map(({ from, until }) => (until - from) / 3_600_000),
    [24, 23, 24],
  )
})

test('nextPeriods() takes the zone of the cycle before the one that is asked for', () => {
  const tokyo = { ...day, timeZone: 'Asia/Tokyo' }
  const [first] = nextPeriods(tokyo, {
    timeZone: 'UTC',
    from: at('2026-01-01T20:00:00Z'),
    count: 1,
  })
  assert.equal(first.localFrom, '2026-01-02T00:00:00+09:00')
})

test('nextPeriods() of a CUSTOM cycle skips what no interval holds, and ends with the list', () => {
  const custom: CycleDefinition = {
    ...day,
    sizeType: 'CUSTOM',
    intervals: [
      { from: '2026-01-01', until: '2026-01-02' },
      { from: '2026-02-01', until: '2026-02-03' },
    ],
  }
  const found = (from: string) =>
    nextPeriods(custom, { timeZone: 'UTC', from: at(from), count: 9 }).map(({ localFrom }) =>
      localFrom.slice(0, 10),
    )
  assert.deepEqual(found('2025-06-01T00:00:00Z'), ['2026-01-01', '2026-02-01'])
  assert.deepEqual(found('2026-01-01T05:00:00Z'), ['2026-01-01', '2026-02-01'])
  assert.deepEqual(found('2026-01-02T00:00:00Z'), ['2026-02-01'])
  assert.deepEqual(found('2026-02-03T00:00:00Z'), [])
})

test('nextPeriods() ends with the time of samples, and writes old offsets whole', () => {
  const asked = { timeZone: 'America/New_York', from: TIME_END - 1, count: 9 }
  assert.equal(nextPeriods(day, asked).length, 1)
  const old = { timeZone: 'Europe/Amsterdam', from: at('1910-06-01T00:00:00Z'), count: 1 }
  assert.match(nextPeriods(day, old)[0].localFrom, /^1910-06-01T00:00:00\+00:\d\d/)
})

test('nextPeriods() refuses what is no cycle', () => {
  const wrong = { ...day, count: 0 }
  assert.throws(
    () => nextPeriods(wrong, { timeZone: 'UTC', from: 0, count: 1 }),
    (error: unknown) => error instanceof Refusal && /count: 0/.test(error.message),
  )
})
