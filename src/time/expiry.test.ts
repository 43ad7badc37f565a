import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Age, agedBefore } from './expiry.ts'
import { loadZone } from './zone.ts'

test('agedBefore() counts hours as they elapse, and days and longer on the calendar', () => {
  const check = (at: string, age: Age, expected: string) =>
    assert.equal(
      new Date(agedBefore(Date.parse(at), age, loadZone('America/New_York'))).toISOString(),
      expected,
    )
  // Noon in New York after the change to summer time; the day before had noon an hour later in UTC.
  check('2024-03-10T16:00Z', { sizeType: 'HOUR', count: 24 }, '2024-03-09T16:00:00.000Z')
  check('2024-03-10T16:00Z', { sizeType: 'DAY', count: 1 }, '2024-03-09T17:00:00.000Z')
  check('2024-03-31T16:00Z', { sizeType: 'MONTH', count: 1 }, '2024-02-29T17:00:00.000Z')
  check('2024-02-29T17:00Z', { sizeType: 'YEAR', count: 1 }, '2023-02-28T17:00:00.000Z')
  check('2024-03-15T16:00Z', { sizeType: 'WEEK', count: 1 }, '2024-03-08T17:00:00.000Z')
  check('2024-03-10T16:00Z', { sizeType: 'YEAR', count: 1e9 }, '1900-01-01T00:00:00.000Z')
  check('2024-03-10T16:00Z', { sizeType: 'MINUTE', count: 5 }, '2024-03-10T15:55:00.000Z')
})
