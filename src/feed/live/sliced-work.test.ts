import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { SlicedWork } from './sliced-work.ts'

test('SlicedWork.rest() lets others have a turn once a slice is over, which counts as no work', async () => {
  const clock = new ManualClock(0)
  const work = new SlicedWork(clock)
  work.begin()
  clock.advance(1)
  assert.equal(work.rest(), undefined)
  clock.advance(1)
  const resting = work.rest()
  assert.notEqual(resting, undefined)
  clock.advance(100)
  await resting
  assert.equal(work.rest(), undefined)
  clock.advance(3)
  work.end()
  clock.advance(50)
  work.begin()
  clock.advance(1)
  assert.equal(work.takeBusyMs(), 6)
  assert.equal(work.takeBusyMs(), 0)
})
