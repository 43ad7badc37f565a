import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ITEMS_PER_SLICE, inSlices, nextIteration, Pacer } from './pacer.ts'

/** Keeps the thread busy, as a slice of work does. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('nextIteration() lets others in between the slices of many calls, and wakes them in order', async () => {
  const order: string[] = []
  let isOver = false
  const others = (): void => {
    order.push('other')
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  const call = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice++) {
      await nextIteration()
      work(6)
      order.push(name)
    }
  }
  await Promise.all(['a', 'b', 'c'].map(call))
  isOver = true
  // A slice is longer than what a turn has for all, so each has a turn of its own.
  assert.doesNotMatch(order.join(' '), /[abc] [abc]/)
  const calls = order.filter((name) => name !== 'other').join('')
  assert.equal(calls, 'abcabcabc')
})

test('nextIteration() wakes many short calls in the same turn', async () => {
  let iterations = 0
  const count = setInterval(() => {}, 1_000)
  const tick = (): void => {
    iterations += 1
    if (iterations < 1_000) setImmediate(tick)
  }
  setImmediate(tick)
  await Promise.all(Array.from({ length: 500 }, () => nextIteration()))
  clearInterval(count)
  assert.ok(iterations < 500, `${iterations} turns for 500 calls`)
  iterations = 1_000
})

test('Pacer gives a turn once work adds up to a slice, and the tasks that share it wait for the same', async () => {
  const pacer = new Pacer(10)
  assert.equal(pacer.spend(9), undefined)
  const turn = pacer.spend(1)
  assert.ok(turn instanceof Promise)
  assert.equal(pacer.due, turn)
  assert.equal(pacer.spend(50), turn)
  await turn
  assert.equal(pacer.due, undefined)
  assert.equal(pacer.spend(9), undefined)
  assert.notEqual(pacer.spend(1), undefined)
})

test('inSlices() covers every index once, and lets others in between slices only', async () => {
  const covered: [number, number][] = []
  const work = (from: number, until: number): void => void covered.push([from, until])
  assert.equal(inSlices(ITEMS_PER_SLICE, work), undefined)
  assert.deepEqual(covered.splice(0), [[0, ITEMS_PER_SLICE]])
  const working = inSlices(2 * ITEMS_PER_SLICE + 1, work)
  assert.deepEqual(covered, [[0, ITEMS_PER_SLICE]])
  await working
  assert.deepEqual(covered, [
    [0, ITEMS_PER_SLICE],
    [ITEMS_PER_SLICE, 2 * ITEMS_PER_SLICE],
    [2 * ITEMS_PER_SLICE, 2 * ITEMS_PER_SLICE + 1],
  ])
})
