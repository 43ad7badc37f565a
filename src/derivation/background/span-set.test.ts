import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { SpanSet } from './span-set.ts'

const span = fc
  .tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 4 }))
  .map(([from, length]) => ({ from, until: from + length }))

test('SpanSet holds every instant that was added, in few stretches that ascend', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 120 }), (added) => {
      const set = new SpanSet()
      for (const one of added) set.add(one)
      const { spans } = set
      assert.ok(spans.length <= 32)
      for (let at = 1; at < spans.length; at += 1) {
        assert.ok(spans[at].from > spans[at - 1].until)
      }
      const isIn = (time: number) => spans.some(({ from, until }) => from <= time && time < until)
      for (const { from, until } of added) {
        for (let time = from; time < until; time += 1) assert.ok(isIn(time), `${time}`)
      }
    }),
  )
})

test('SpanSet adds nothing while few stretches are apart', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 20 }), (added) => {
      const set = new SpanSet()
      for (const one of added) set.add(one)
      const wanted = new Set<number>()
      for (const { from, until } of added) for (let at = from; at < until; at += 1) wanted.add(at)
      const held = set.spans.reduce((sum, { from, until }) => sum + until - from, 0)
      assert.equal(held, wanted.size)
    }),
  )
})
