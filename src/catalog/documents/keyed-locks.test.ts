import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedLocks } from './keyed-locks.ts'

test('run() gives each key to one task at a time and never stops', async () => {
  const locks = new KeyedLocks()
  const held = new Set<string>()
  const task = (keys: readonly string[]) =>
    locks.run(keys, async () => {
      for (const key of new Set(keys)) {
        assert.ok(!held.has(key), `${key} is held twice`)
        held.add(key)
      }
      await new Promise((resolve) => setImmediate(resolve))
      for (const key of keys) held.delete(key)
    })
  const plans = [['a', 'b'], ['b', 'a'], ['c', 'a', 'a'], ['b', 'c'], ['c'], ['a'], []]
  await Promise.all([...plans, ...plans.toReversed()].map(task))
  assert.equal(held.size, 0)
})

test('run() lets go of its keys when the task fails', async () => {
  const locks = new KeyedLocks()
  await assert.rejects(
    locks.run(['a'], async () => {
      throw new Error('no')
    }),
  )
  assert.equal(await locks.run(['a'], async () => 'next'), 'next')
})
