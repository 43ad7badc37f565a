import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCycle } from './compile-cycle.ts'
import {
  countIntervals,
  firstIntervalEnd,
  intervalEnds,
  intervalEndsIn,
  intervalOf,
} from './interval.ts'
import { loadZone } from './zone.ts'

const MINUTE = 60_000
const newYork = loadZone('America/New_York')
const minute = compileCycle(
  { sizeType: 'MINUTE', count: 1, referenceDate: '2024-01-01', timeZone: '' },
  newYork,
)
const day = compileCycle(
  { sizeType: 'DAY', count: 1, referenceDate: '2024-01-01', timeZone: '' },
  newYork,
)
const shifts = compileCycle(
  {
    sizeType: 'CUSTOM',
    count: 1,
    referenceDate: '',
    timeZone: 'UTC',
    intervals: [{ from: '2024-01-01T08:00', until: '2024-01-01T16:00' }],
  },
  newYork,
)
const noon = Date.UTC(2024, 0, 1, 12)

test('intervalOf() holds start < time ≤ end', () => {
  assert.deepEqual(intervalOf(minute, noon), { from: noon - MINUTE, until: noon })
  assert.deepEqual(intervalOf(minute, noon + 1), { from: noon, until: noon + MINUTE })
  assert.equal(intervalOf(shifts, Date.UTC(2024, 0, 1, 8)), undefined)
  assert.equal(intervalOf(shifts, Date.UTC(2024, 0, 1, 16))?.until, Date.UTC(2024, 0, 1, 16))
})

test('intervalEnds() places many samples, NaN where a custom cycle has no interval', () => {
  const times = Float64Array.of(noon, noon + 1, noon + MINUTE, noon - MINUTE, noon)
  assert.deepEqual(
    [...intervalEnds(minute, times)],
    [noon, noon + MINUTE, noon + MINUTE, noon - MINUTE, noon],
  )
  const placed = intervalEnds(shifts, Float64Array.of(noon, noon + 86_400_000))
  assert.deepEqual([...placed], [Date.UTC(2024, 0, 1, 16), Number.NaN])
})

test('intervalEndsIn() enumerates the intervals that overlap a range', () => {
  const range = { from: noon, until: noon + 2 * MINUTE }
  assert.deepEqual([...intervalEndsIn(minute, range, 10)], [noon + MINUTE, noon + 2 * MINUTE])
  assert.deepEqual([...intervalEndsIn(minute, range, 1)], [noon + 2 * MINUTE])
})

test('countIntervals() counts those that start in a period: 23 hours of minutes on a short day', () => {
  const period = day.periodOf(Date.UTC(2024, 2, 10, 12))
  assert.ok(period)
  assert.equal(countIntervals(minute, period), 23 * 60)
  assert.equal(countIntervals(day, period), 1)
})

test('firstIntervalEnd() maps the edge of a period to sample times', () => {
  assert.equal(firstIntervalEnd(minute, noon), noon + MINUTE)
  assert.equal(firstIntervalEnd(minute, noon - 1), noon + MINUTE)
  assert.equal(firstIntervalEnd(minute, noon + 1), noon + 2 * MINUTE)
  assert.equal(firstIntervalEnd(shifts, Date.UTC(2024, 0, 1, 8)), Date.UTC(2024, 0, 1, 16))
  assert.equal(firstIntervalEnd(shifts, Date.UTC(2024, 0, 1, 8) + 1), undefined)
})
