import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../base/index.ts'
import { HybridClock } from './hybrid-clock.ts'

test('HybridClock never gives a stamp twice and never goes back, whatever the clock does', () => {
  const clock = new ManualClock(1_000)
  const stamps = new HybridClock(clock)
  assert.deepEqual([stamps.next(), stamps.next()], [1_000_000, 1_000_001])
  clock.advance(1)
  assert.equal(stamps.next(), 1_001_000)
  clock.jump(-500)
  assert.equal(stamps.next(), 1_001_001)
})

test('HybridClock goes behind what it has read, unless that is further ahead than clocks may be', () => {
  const clock = new ManualClock(1_000)
  const stamps = new HybridClock(clock)
  stamps.observe(1_500_000)
  assert.equal(stamps.next(), 1_500_001)
  stamps.observe(1_000)
  assert.equal(stamps.next(), 1_500_002)
  stamps.observe(900_000_000)
  assert.equal(stamps.next(), 5_000_001)
  assert.equal(stamps.before(400), 600_000)
})
