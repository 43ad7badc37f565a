import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../base/index.ts'
import { Arrivals } from './arrivals.ts'

test('next() gives no time twice to a connector while it is called less than once a millisecond', () => {
  const arrivals = new Arrivals()
  const now = epochMs(1_000_000)
  assert.deepEqual(
    [0, 0, 0, 5, 5].map((after) => arrivals.next('c', epochMs(now + after)) - now),
    [0, 1, 2, 5, 6],
  )
  assert.equal(arrivals.next('other', now), now)
})

test('next() stays within a second of the clock, also when that is set back', () => {
  const arrivals = new Arrivals()
  const now = epochMs(1_000_000)
  let greatest = 0
  for (let call = 0; call < 5_000; call += 1) {
    greatest = Math.max(greatest, arrivals.next('c', now) - now)
  }
  assert.ok(greatest <= 1_000)
  assert.equal(arrivals.next('c', epochMs(500)), 500)
})
