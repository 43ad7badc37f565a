import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedMutex } from './keyed-mutex.ts'

test('run() gives each key to one task at a time and never stops', async () => {
  const mutex = new KeyedMutex<string>()
  const held = new Set<string>()
  const task = (keys: readonly string[]) =>
    mutex.run(keys, async () => {
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
  const mutex = new KeyedMutex<string>()
  await assert.rejects(
    mutex.run(['a'], async () => {
      throw new Error('no')
    }),
  )
  assert.equal(await mutex.run(['a'], async () => 'next'), 'next')
})

test('run() keeps the order within a key, across failures, and lets other keys pass', async () => {
  const mutex = new KeyedMutex<number>()
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const first = mutex.run([1], async () => {
    await gate.promise
    seen.push('first')
    throw new Error('first failed')
  })
  const second = mutex.run([1], async () => {
    seen.push('second')
    return 2
  })
  await mutex.run([2], async () => void seen.push('other key'))
  gate.resolve()
  await assert.rejects(first, /first failed/)
  assert.equal(await second, 2)
  assert.deepEqual(seen, ['other key', 'first', 'second'])
})

test('runWithin() does nothing when others hold a key for longer', async () => {
  const mutex = new KeyedMutex<number>()
  const gate = Promise.withResolvers<void>()
  const busy = mutex.run([1], () => gate.promise)
  let works = 0
  const work = async () => {
    works += 1
    return works
  }
  assert.equal(await mutex.runWithin([1], 0, work), undefined)
  assert.equal(works, 0)
  assert.equal(await mutex.runWithin([2], 0, work), 1)
  const waiting = mutex.runWithin([1], 600_000, work)
  const failing = mutex.runWithin([1], 600_000, () => Promise.reject(new Error('no')))
  assert.equal(works, 1)
  gate.resolve()
  await busy
  assert.equal(await waiting, 2)
  await assert.rejects(failing, /no/)
  assert.equal(works, 2, 'a task that came too late is never run')
})
