import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedSlots } from './bounded-slots.ts'

test('BoundedSlots.place() keeps what is used, and reuses the place used longest ago', () => {
  const slots = new BoundedSlots<string>(2)
  assert.deepEqual(slots.place('a', 'A'), { slot: 0, isKept: false })
  assert.deepEqual(slots.place('b', 'B'), { slot: 1, isKept: false })
  assert.deepEqual(slots.place('a', 'A'), { slot: 0, isKept: true })
  assert.deepEqual(slots.place('c', 'C'), { slot: 1, isKept: false })
  assert.equal(slots.find('b'), undefined)
  assert.deepEqual(slots.place('a', 'A changed'), { slot: 0, isKept: false })
  assert.equal(slots.find('a'), 'A changed')
})
