import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../base/index.ts'
import { ClockWatch } from './clock-watch.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function setUp() {
  const clock = new ManualClock(1_700_000_000_000)
  const marked: { time: number | undefined } = { time: undefined }
  const mark = {
    read: async () => marked.time,
    write: async (time: number) => {
      marked.time = time
    },
  }
  const jumps: number[] = []
  const open = () => new ClockWatch({ clock, mark, onJump: (jumpMs) => jumps.push(jumpMs) })
  const watch = open()
  return { clock, marked, jumps, open, trust: async () => (await watch.look()).trust }
}

test('look() trusts a clock after an hour, also one that drifts and is corrected', async () => {
  const { clock, jumps, trust } = setUp()
  assert.equal(await trust(), 'unproven')
  clock.advance(HOUR - 1)
  assert.equal(await trust(), 'unproven')
  clock.advance(1)
  assert.equal(await trust(), 'steady')
  for (let hour = 0; hour < 100; hour++) {
    clock.advance(HOUR)
    clock.jump(30_000)
    assert.equal(await trust(), 'steady')
  }
  assert.deepEqual(jumps, [])
})

test('look() sees a jump in either direction, also one between two far looks', async () => {
  for (const jumpMs of [2 * MINUTE, -2 * MINUTE]) {
    const { clock, jumps, trust } = setUp()
    await trust()
    clock.advance(50 * HOUR)
    assert.equal(await trust(), 'steady')
    clock.advance(10 * HOUR)
    clock.jump(jumpMs)
    assert.equal(await trust(), 'jumped')
    clock.advance(HOUR - 1)
    assert.equal(await trust(), 'jumped')
    clock.advance(1)
    assert.equal(await trust(), 'steady')
    assert.deepEqual(jumps, [jumpMs])
  }
})

test('look() at a start compares the clock with the mark, which a jump does not move', async () => {
  const check = async (moveMs: number, expected: string) => {
    const { clock, marked, open, trust } = setUp()
    await trust()
    const before = marked.time
    clock.jump(moveMs)
    const { trust: after } = await open().look()
    assert.equal(after, expected, `${moveMs}`)
    assert.equal(marked.time, expected === 'jumped' ? before : clock.now())
  }
  await check(0, 'unproven')
  await check(29 * MINUTE, 'unproven')
  await check(31 * MINUTE, 'jumped')
  await check(-30_000, 'unproven')
  await check(-2 * MINUTE, 'jumped')
})

test('look() sees a jump between the start and the first look', async () => {
  const { clock, jumps, trust } = setUp()
  clock.advance(30_000)
  clock.jump(10 * HOUR)
  assert.equal(await trust(), 'jumped')
  assert.deepEqual(jumps, [10 * HOUR])
})

test('look() takes a mark that another process has written since the start for no jump', async () => {
  const { clock, jumps, open } = setUp()
  const [one, other] = [open(), open()]
  clock.advance(20 * MINUTE)
  assert.equal((await one.look()).trust, 'unproven')
  clock.advance(5 * MINUTE)
  assert.equal((await other.look()).trust, 'unproven')
  assert.deepEqual(jumps, [])
  // A mark that is ahead of the clock all the same was written by another clock.
  const last = open()
  clock.advance(HOUR)
  await one.look()
  clock.jump(-HOUR)
  assert.equal((await last.look()).trust, 'jumped')
})
