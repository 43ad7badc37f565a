import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
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
