import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSlab, SLAB_SLOTS_MAX, SlabPool } from './slab-pool.ts'

test('SlabPool hands slabs out again, and gives them back when nobody came for a while', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = new SlabPool(2)
  const slabs = [pool.take(), pool.take(), pool.take()]
  for (const slab of slabs) pool.give(slab)
  // Two are kept; the third, and short ones, are given back at once.
  pool.give(makeSlab(1024))
  assert.equal(pool.count, 2)
  assert.equal(slabs[2].times.length, 0)
  assert.equal(pool.take(), slabs[1])
  context.mock.timers.tick(9_000)
  pool.give(slabs[1])
  context.mock.timers.tick(9_000)
  assert.equal(pool.count, 2)
  context.mock.timers.tick(1_000)
  assert.equal(pool.count, 0)
  assert.deepEqual([slabs[0].times.length, slabs[1].numbers.length], [0, 0])
  assert.equal(pool.take().numbers.length, SLAB_SLOTS_MAX)
})
