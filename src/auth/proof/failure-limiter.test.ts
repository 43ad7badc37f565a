import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { FailureLimiter } from './failure-limiter.ts'

const figure = { calls: 10, perMs: 60_000 }
const one = (name: string) => [{ name, factor: 1 }]

test('take() allows as many failures as the figure, which come back with time', () => {
  const clock = new ManualClock(0)
  const failures = new FailureLimiter({ clock, figure })
  for (let at = 0; at < 10; at += 1) assert.equal(failures.take(one('a')).isAllowed, true)
  assert.deepEqual(failures.take(one('a')), { isAllowed: false, retryAfterSeconds: 6 })
  clock.advance(6_000)
  assert.equal(failures.take(one('a')).isAllowed, true)
  assert.equal(failures.take(one('a')).isAllowed, false)
})

test('take() takes from all buckets or from none, and giveBack() undoes it', () => {
  const failures = new FailureLimiter({ clock: new ManualClock(0), figure })
  for (let at = 0; at < 10; at += 1) failures.take(one('narrow'))
  const both = [...one('narrow'), { name: 'wide', factor: 10 }]
  for (let at = 0; at < 200; at += 1) assert.equal(failures.take(both).isAllowed, false)
  const wide = [{ name: 'wide', factor: 10 }]
  for (let at = 0; at < 100; at += 1) {
    const decision = failures.take(wide)
    assert.equal(decision.isAllowed, true)
    if (at % 2 === 0) failures.giveBack(decision)
  }
  for (let at = 0; at < 50; at += 1) assert.equal(failures.take(wide).isAllowed, true)
  assert.equal(failures.take(wide).isAllowed, false)
})

test('take() counts for several names that it sees for the first time', () => {
  const failures = new FailureLimiter({ clock: new ManualClock(0), figure })
  const three = ['a', 'b', 'c'].flatMap(one)
  for (let at = 0; at < 10; at += 1) assert.equal(failures.take(three).isAllowed, true)
  for (const name of ['a', 'b', 'c']) assert.equal(failures.take(one(name)).isAllowed, false, name)
})

test('no number of other names makes a bucket forget its failures', () => {
  const clock = new ManualClock(0)
  const failures = new FailureLimiter({ clock, figure, bucketsMax: 1_000 })
  for (let at = 0; at < 10; at += 1) failures.take(one('victim'))
  for (let at = 0; at < 50_000; at += 1) failures.take(one(`other ${at}`))
  assert.equal(failures.take(one('victim')).isAllowed, false)
  assert.equal(failures.size, 1_000)
})

test('names for which there is no room share one bucket, until others are full again', () => {
  const clock = new ManualClock(0)
  const failures = new FailureLimiter({ clock, figure, bucketsMax: 100 })
  for (let at = 0; at < 100; at += 1) failures.take(one(`early ${at}`))
  let allowed = 0
  for (let at = 0; at < 5_000; at += 1) {
    if (failures.take(one(`late ${at}`)).isAllowed) allowed += 1
  }
  assert.equal(allowed, 1_000)
  clock.advance(60_000)
  for (let at = 0; at < 10; at += 1) assert.equal(failures.take(one('own')).isAllowed, true)
  assert.equal(failures.take(one('own')).isAllowed, false)
  assert.ok(failures.size <= 100)
})

test('a limiter without a figure limits nothing', () => {
  const failures = new FailureLimiter({ clock: new ManualClock(0), figure: undefined })
  for (let at = 0; at < 1_000; at += 1) assert.equal(failures.take(one('a')).isAllowed, true)
  assert.equal(failures.size, 0)
})
