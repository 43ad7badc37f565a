import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallQueue } from './call-queue.ts'

const everyone = () => true
const alike = () => 0

test('CallQueue.shift() lets owners take turns, and each its items in order', () => {
  const queue = new CallQueue<string>({ total: 10, perOwner: 5 })
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item[0], item)
  const taken: (string | undefined)[] = []
  while (queue.count > 0) taken.push(queue.shift(everyone, alike))
  assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.equal(queue.shift(everyone, alike), undefined)
})

test('CallQueue.shift() passes over who may not go, without taking the turn', () => {
  const queue = new CallQueue<string>({ total: 10, perOwner: 5 })
  for (const item of ['a1', 'b1', 'a2']) queue.push(item[0], item)
  assert.equal(
    queue.shift((owner) => owner !== 'a', alike),
    'b1',
  )
  assert.equal(
    queue.shift((owner) => owner !== 'a', alike),
    undefined,
  )
  assert.equal(queue.shift(everyone, alike), 'a1')
  assert.equal(queue.count, 1)
})

test('CallQueue.shift() lets the owner with the lowest cost go first', () => {
  const queue = new CallQueue<string>({ total: 10, perOwner: 5 })
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.push(item[0], item)
  const costs: Record<string, number> = { a: 5, b: 9, c: 1 }
  const taken: (string | undefined)[] = []
  while (queue.count > 0) taken.push(queue.shift(everyone, (owner) => costs[owner]))
  assert.deepEqual(taken, ['c1', 'a1', 'a2', 'b1'])
})

test('CallQueue.push() says no when all or one owner have too much, remove() makes room', () => {
  const queue = new CallQueue<string>({ total: 3, perOwner: 2 })
  assert.ok(queue.push('a', 'a1'))
  assert.ok(queue.push('a', 'a2'))
  assert.ok(!queue.push('a', 'a3'))
  assert.ok(queue.push('b', 'b1'))
  assert.ok(!queue.push('c', 'c1'))
  assert.ok(queue.remove('a', 'a1'))
  assert.ok(!queue.remove('a', 'a1'))
  assert.ok(queue.push('c', 'c1'))
  assert.deepEqual([...queue].sort(), ['a2', 'b1', 'c1'])
  assert.equal(queue.clear().length, 3)
  assert.equal(queue.count, 0)
})
