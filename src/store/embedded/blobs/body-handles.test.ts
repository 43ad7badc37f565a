import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyHandles } from './body-handles.ts'

test('take() gives as many as there are, and the next when one is given back, in order', async () => {
  const handles = new BodyHandles(2)
  const order: number[] = []
  const first = await handles.take()
  await handles.take()
  const later = [3, 4].map(async (at) => {
    const give = await handles.take()
    order.push(at)
    return give
  })
  first()
  // Giving back twice gives one handle.
  first()
  const third = await later[0]
  assert.deepEqual(order, [3])
  third()
  await later[1]
  assert.deepEqual(order, [3, 4])
})

test('take() refuses who has waited too long, and goes on with the others', async () => {
  const handles = new BodyHandles(1, 1)
  const give = await handles.take()
  // Timers of the store keep no process alive.
  const alive = setInterval(() => {}, 1_000)
  await assert.rejects(handles.take(), { code: 'overloaded', status: 503 })
  clearInterval(alive)
  give()
  ;(await handles.take())()
})
