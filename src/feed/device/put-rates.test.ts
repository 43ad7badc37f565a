import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { PutRates } from './put-rates.ts'

test('PutRates counts the samples of the last whole minute, for each organization', () => {
  const clock = new ManualClock(1_000_000)
  const rates = new PutRates(clock)
  assert.equal(rates.perMinute('a'), 0)
  for (let second = 0; second < 300; second++) {
    rates.note('a', 2)
    if (second === 100) rates.note('b', 7)
    clock.advance(1_000)
  }
  assert.equal(rates.perMinute('a'), 120)
  assert.equal(rates.perMinute('b'), 0)
  clock.advance(30_000)
  assert.equal(rates.perMinute('a'), 60)
  clock.advance(86_400_000)
  assert.equal(rates.perMinute('a'), 0)
  rates.note('a', 5)
  assert.equal(rates.perMinute('a'), 0)
  clock.advance(10_000)
  assert.equal(rates.perMinute('a'), 5)
})
