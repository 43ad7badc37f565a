import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { EARLIEST_TIME, TIME_END } from '../../../base/index.ts'
import { isMasked, Tombstones, touchesMask, uniteMasks } from './tombstones.ts'

const span = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([from, length]) => ({ from, until: from + length }))

test('maskOf() hides exactly what was added, in spans that are apart and ascend', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 20 }), (spans) => {
      const tombstones = new Tombstones()
      for (const { from, until } of spans) tombstones.add(3, from, until)
      const mask = tombstones.maskOf(3)
      for (let time = -1; time < 80; time += 1) {
        const isGone = spans.some(({ from, until }) => from <= time && time < until)
        assert.equal(isMasked(mask, time), isGone, `time ${time}`)
        const touches = spans.some(
          (one) => one.from < time + 5 && one.until > time && one.from < one.until,
        )
        assert.equal(touchesMask(mask, time, time + 5), touches, `from ${time}`)
      }
      mask.starts.forEach((start, index) => {
        assert.ok(start < mask.ends[index])
        if (index > 0) assert.ok(mask.ends[index - 1] < start)
      })
      assert.deepEqual(tombstones.maskOf(2), { starts: [], ends: [] })
    }),
  )
})

test('uniteMasks() hides what either hides', () => {
  fc.assert(
    fc.property(fc.array(span), fc.array(span), (ones, others) => {
      const tombstones = new Tombstones()
      for (const { from, until } of ones) tombstones.add(1, from, until)
      for (const { from, until } of others) tombstones.add(2, from, until)
      const [one, other] = [tombstones.maskOf(1), tombstones.maskOf(2)]
      const both = uniteMasks(one, other)
      for (let time = -1; time < 80; time += 1) {
        assert.equal(isMasked(both, time), isMasked(one, time) || isMasked(other, time))
      }
    }),
  )
})

test('coversAllTime() holds once everything was removed', () => {
  const tombstones = new Tombstones()
  tombstones.add(1, EARLIEST_TIME, 0)
  assert.equal(tombstones.coversAllTime(1), false)
  tombstones.add(1, 0, TIME_END)
  assert.equal(tombstones.coversAllTime(1), true)
  assert.equal(tombstones.coversAllTime(2), false)
})
