import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../base/index.ts'
import { RateLimiter } from './rate-limiter.ts'

const callOf = (name: string) => ({ credential: name, from: 'here' })
const figure = { calls: 4, perMs: 8_000 }

test('takeCall() empties a bucket, which fills with time and never over', () => {
  const clock = new ManualClock(0)
  const limiter = new RateLimiter(clock)
  const allowed = (count: number) =>
    Array.from({ length: count }, () => limiter.takeCall(figure, callOf('a')).isAllowed)
  assert.deepEqual(allowed(5), [true, true, true, true, false])
  clock.advance(2_000)
  assert.deepEqual(allowed(2), [true, false])
  clock.advance(1_000_000)
  assert.deepEqual(allowed(5), [true, true, true, true, false])
})

test('takeCall() says when to try again and when the bucket is full', () => {
  const clock = new ManualClock(0)
  const limiter = new RateLimiter(clock)
  for (let at = 0; at < 4; at += 1) limiter.takeCall(figure, callOf('a'))
  clock.advance(500)
  const { isAllowed, ...rest } = limiter.takeCall(figure, callOf('a'))
  assert.equal(isAllowed, false)
  assert.deepEqual(rest, { limit: 4, remaining: 0, resetSeconds: 8, retryAfterSeconds: 2 })
})

test('takeCall() keeps addresses apart under one bucket ten times as wide', () => {
  const limiter = new RateLimiter(new ManualClock(0))
  let allowed = 0
  for (let at = 0; at < 100; at += 1) {
    if (limiter.takeCall(figure, { credential: 'k', from: `address ${at}` }).isAllowed) allowed += 1
  }
  assert.equal(allowed, 40)
  assert.equal(limiter.takeCall(figure, { credential: 'l', from: 'address 0' }).isAllowed, true)
})

test('buckets stay bounded, and a busy one is not forgotten among many others', () => {
  const limiter = new RateLimiter(new ManualClock(0))
  for (let at = 0; at < 4; at += 1) limiter.takeCall(figure, callOf('busy'))
  for (let at = 0; at < 300_000; at += 1) {
    limiter.takeCall(figure, callOf(`other ${at}`))
    if (at % 10_000 === 0) assert.equal(limiter.takeCall(figure, callOf('busy')).isAllowed, false)
  }
})
