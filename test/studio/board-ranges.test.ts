import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeAt } from '../../studio/src/pages/boards/ranges.ts'

const at = (text: string) => Date.parse(text)
const shown = (range: string, zone: string, now: string) => {
  const { from, until } = rangeAt(range, zone, at(now))
  return `${new Date(from).toISOString()} ${new Date(until).toISOString()}`
}

test('rangeAt() knows days of 23 hours, weeks, months and years of a zone; those that go on end now', () => {
  const berlin = (range: string) => shown(range, 'Europe/Berlin', '2026-03-29T12:00:00Z')
  assert.equal(berlin('today'), '2026-03-28T23:00:00.000Z 2026-03-29T12:00:00.001Z')
  assert.equal(berlin('yesterday'), '2026-03-27T23:00:00.000Z 2026-03-28T23:00:00.000Z')
  assert.equal(berlin('this-week'), '2026-03-22T23:00:00.000Z 2026-03-29T12:00:00.001Z')
  assert.equal(berlin('last-week'), '2026-03-15T23:00:00.000Z 2026-03-22T23:00:00.000Z')
  assert.equal(berlin('last-month'), '2026-01-31T23:00:00.000Z 2026-02-28T23:00:00.000Z')
  assert.equal(berlin('this-year'), '2025-12-31T23:00:00.000Z 2026-03-29T12:00:00.001Z')
})

test('rangeAt() counts back from now, and takes exact times', () => {
  const now = '2026-03-31T12:00:00Z'
  assert.equal(shown('last-24h', 'UTC', now), '2026-03-30T12:00:00.000Z 2026-03-31T12:00:00.001Z')
  assert.equal(shown('last-2w', 'UTC', now), '2026-03-17T12:00:00.000Z 2026-03-31T12:00:00.001Z')
  assert.equal(shown('last-1y', 'UTC', now), '2025-03-31T12:00:00.000Z 2026-03-31T12:00:00.001Z')
  assert.deepEqual(rangeAt('-5..1000', 'UTC', 0), { from: -5, until: 1000 })
  assert.deepEqual(rangeAt('nonsense', 'UTC', at(now)), rangeAt('last-24h', 'UTC', at(now)))
})
