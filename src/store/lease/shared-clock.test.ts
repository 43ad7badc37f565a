import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { SharedClock } from './shared-clock.ts'
import { TimeSlot } from './time-slot.ts'

test('a clock that is off by more than 2 s is reported as ahead or behind', () => {
  const clock = new SharedClock()
  for (const aheadMs of [0, 2_000, -2_000]) {
    clock.note(aheadMs)
    assert.equal(clock.problem, undefined)
  }
  clock.note(2_500)
  assert.match(clock.problem ?? '', /2\.5 s ahead of that of PostgreSQL/)
  clock.note(-61_000)
  assert.match(clock.problem ?? '', /61\.0 s behind that of PostgreSQL/)
})

test('now() is the shared time, whatever this machine has and however it jumps', () => {
  const own = new ManualClock(1_700_000_000_000)
  const clock = new SharedClock(own)
  assert.equal(clock.now(), 1_700_000_000_000)
  own.jump(7_200_000)
  clock.note(7_200_000)
  own.advance(5_000)
  own.jump(-90_000)
  assert.equal(clock.now(), 1_700_000_005_000)
  assert.equal(clock.elapsed(), 5_000)
})

test('no times are assigned while the clock is off', async () => {
  const shared = new SharedClock()
  const lease = { name: 'times:0', holder: 'me', fence: 1 }
  const slot = await TimeSlot.open({
    shared,
    clock: new ManualClock(1_700_000_000_000),
    catalog: { acquireLease: async () => lease, releaseLease: async () => {} },
  })
  slot.require()
  shared.note(3_000)
  assert.throws(() => slot.require(), { code: 'read_only', status: 503, retryAfterSeconds: 5 })
  shared.note(0)
  slot.require()
  await slot.close()
})
