import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { RunClock } from './run-clock.ts'

test('RunClock.over separates work from waiting', () => {
  const clock = new ManualClock(0)
  const run = new RunClock(clock, { workMs: 10, waitMs: 100 })
  clock.advance(9)
  assert.equal(run.over, undefined)
  run.wait()
  clock.advance(90)
  assert.equal(run.over, undefined)
  run.work()
  clock.advance(2)
  assert.equal(run.over, 'work')
})

test('RunClock.over adds waits up', () => {
  const clock = new ManualClock(0)
  const run = new RunClock(clock, { workMs: 10, waitMs: 100 })
  for (let count = 0; count < 3; count += 1) {
    run.wait()
    clock.advance(40)
    run.work()
    clock.advance(1)
  }
  assert.equal(run.over, 'wait')
})
