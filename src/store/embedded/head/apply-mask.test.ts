import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { applyMask } from './apply-mask.ts'
import { isMasked, Tombstones } from './tombstones.ts'

const removals = fc.array(
  fc.tuple(fc.integer({ min: -5, max: 65 }), fc.integer({ min: 1, max: 9 })),
  { maxLength: 12 },
)

test('applyMask() keeps exactly the samples that no span hides', () => {
  const sampleTimes = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 })
  fc.assert(
    fc.property(sampleTimes, removals, (unsorted, spans) => {
      const times = Float64Array.from(unsorted).sort()
      const tombstones = new Tombstones()
      for (const [from, length] of spans) tombstones.add(1, from, from + length)
      const mask = tombstones.maskOf(1)
      const numbers = times.map((time) => time * 2)
      const texts = Array.from(times, (time) => (time % 3 === 0 ? `at ${time}` : undefined))
      const kept = applyMask({ count: times.length, times, numbers, texts }, mask)
      const expected = [...times].filter((time) => !isMasked(mask, time))
      assert.deepEqual([...kept.times.subarray(0, kept.count)], expected)
      for (const [at, time] of expected.entries()) {
        assert.equal(kept.numbers[at], time * 2)
        assert.equal(kept.texts?.[at], time % 3 === 0 ? `at ${time}` : undefined)
      }
    }),
    { numRuns: 1_000 },
  )
})
