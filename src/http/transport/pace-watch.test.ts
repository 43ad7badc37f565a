import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { PaceWatch } from './pace-watch.ts'

class Body {
  passedBytes = 0
  heldBytes = 0
  isStuck = false
  isGivenUp = false
  isHeldBack = (): boolean => this.isStuck
  giveUp = (): void => {
    this.isGivenUp = true
  }
}

/** Lets seconds pass in steps of five, with `rate` bytes of the body in each second. */
function pass(
  at: { readonly clock: ManualClock; readonly watch: PaceWatch },
  body: Body,
  { seconds, rate }: { readonly seconds: number; readonly rate: number },
): void {
  for (let step = 0; step < seconds / 5 && !body.isGivenUp; step++) {
    at.clock.advance(5_000)
    body.passedBytes += rate * 5
    at.watch.check()
  }
}

function watched(): { clock: ManualClock; watch: PaceWatch; body: Body } {
  const clock = new ManualClock(1_700_000_000_000)
  const watch = new PaceWatch(clock)
  const body = new Body()
  watch.begin(body)
  return { clock, watch, body }
}

test('check() gives up a body that comes byte by byte, not before a minute', () => {
  const { body, ...at } = watched()
  pass(at, body, { seconds: 60, rate: 1 })
  assert.equal(body.isGivenUp, false)
  pass(at, body, { seconds: 60, rate: 1 })
  assert.equal(body.isGivenUp, true)
  assert.equal(at.watch.count, 0)
  at.watch.close()
})

test('check() lets a slow line pass for hours', () => {
  const { body, ...at } = watched()
  pass(at, body, { seconds: 36_000, rate: 250 })
  assert.equal(body.isGivenUp, false)
  at.watch.end(body)
  assert.equal(at.watch.count, 0)
  at.watch.close()
})

test('check() does not count the time in which the service itself takes no bytes', () => {
  const { body, ...at } = watched()
  body.isStuck = true
  pass(at, body, { seconds: 3_600, rate: 0 })
  assert.equal(body.isGivenUp, false)
  body.isStuck = false
  pass(at, body, { seconds: 600, rate: 0 })
  assert.equal(body.isGivenUp, true)
  at.watch.close()
})

test('check() asks more of what holds more memory', () => {
  const { body, ...at } = watched()
  body.heldBytes = 36_000_000
  pass(at, body, { seconds: 60, rate: 250 })
  assert.equal(body.isGivenUp, false)
  pass(at, body, { seconds: 60, rate: 250 })
  assert.equal(body.isGivenUp, true)
  at.watch.close()
})
