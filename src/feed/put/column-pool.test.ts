import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { testSeeds } from '../../../test/support/random.ts'
import { ColumnPool, type SampleRoom } from './column-pool.ts'

const [seed] = testSeeds(1)

test('take() hands a room out again once it was given back, and to nobody else before', () => {
  const pool = new ColumnPool()
  const first = pool.take(1_000)
  assert.equal(first.handles.length, 1_024)
  assert.notEqual(pool.take(1_000), first)
  pool.give(first, 0)
  assert.equal(pool.take(513), first)
})

test(`rooms have one owner, are long enough and have no kinds (WEIR_TEST_SEED=${seed})`, () => {
  const action = fc.record({
    samples: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40_000 })),
    gives: fc.boolean(),
    uses: fc.integer({ min: 0, max: 40_000 }),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const bytesMax = 500_000
      const pool = new ColumnPool(bytesMax)
      const owned: SampleRoom[] = []
      for (const { samples, gives, uses } of actions) {
        const room = pool.take(samples)
        const { handles, times, numbers, kinds } = room
        assert.ok(!owned.includes(room), 'a room has two owners')
        assert.ok(handles.length >= samples, `${handles.length} for ${samples} samples`)
        for (const column of [times, numbers, kinds]) assert.equal(column.length, handles.length)
        assert.ok(!kinds.includes(1), 'kinds of an earlier call are left')
        const used = Math.min(uses, kinds.length)
        kinds.fill(1, 0, used)
        owned.push(room)
        if (!gives) continue
        pool.give(room, used)
        owned.pop()
        assert.ok(pool.bytes <= bytesMax, `${pool.bytes} bytes are kept`)
      }
    }),
    { seed },
  )
})

test('give() keeps no room that is longer than those of usual calls', () => {
  const pool = new ColumnPool()
  pool.give(pool.take(1_000_000), 0)
  assert.equal(pool.bytes, 0)
})
