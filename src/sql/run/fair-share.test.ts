import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { FairShare } from './fair-share.ts'

test('mayRun() keeps the last free runner for webhooks, for a while after one arrived', () => {
  const clock = new ManualClock(0)
  const share = new FairShare(3, clock)
  const mayQuery = (freeCount: number) => share.mayRun(share.count([], freeCount), 'a', 'query')
  assert.equal(mayQuery(1), true)
  assert.equal(share.mostRunners(), 3)
  share.note('query')
  assert.equal(mayQuery(1), true)
  share.note('webhook')
  assert.equal(mayQuery(1), false)
  assert.equal(mayQuery(2), true)
  assert.equal(share.mayRun(share.count([], 1), 'a', 'webhook'), true)
  assert.equal(share.mostRunners(), 4)
  clock.advance(600_000)
  assert.equal(mayQuery(1), true)
  assert.equal(share.mostRunners(), 3)
})
