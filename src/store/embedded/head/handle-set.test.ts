import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { testSeeds } from '../../../../test/support/random.ts'
import { HandleSet } from './handle-set.ts'

const [seed] = testSeeds(1)

test(`HandleSet holds what a Set would (WEIR_TEST_SEED=${seed})`, () => {
  const handle = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 1_000_000 }))
  fc.assert(
    fc.property(fc.array(handle), fc.array(handle), (added, asked) => {
      const set = new HandleSet()
      assert.ok(set.isEmpty)
      for (const one of added) set.add(one)
      assert.equal(set.isEmpty, added.length === 0)
      const model = new Set(added)
      assert.equal(set.count, model.size)
      for (const one of [...asked, ...added, 2 ** 31 - 1]) {
        assert.equal(set.has(one), model.has(one), `${one}`)
      }
    }),
    { seed },
  )
})
