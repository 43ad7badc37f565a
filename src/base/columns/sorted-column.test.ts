import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { countAtMost, countBelow } from './sorted-column.ts'

test('countAtMost() and countBelow() count as a walk through the column does', () => {
  const small = fc.integer({ min: -20, max: 20 })
  fc.assert(
    fc.property(fc.array(small), small, (values, value) => {
      const column = Float64Array.from(values).sort()
      assert.equal(countAtMost(column, value), values.filter((one) => one <= value).length)
      assert.equal(countBelow(column, value), values.filter((one) => one < value).length)
    }),
  )
})

test('countBelow() looks only at the first count entries', () => {
  const times = Float64Array.of(10, 20, 30, 99, 99)
  const f = (time: number, want: number) => assert.equal(countBelow(times, time, 3), want)
  f(5, 0)
  f(10, 0)
  f(11, 1)
  f(30, 2)
  f(31, 3)
  f(99, 3)
})
