import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import { rowSum, wrapRowSum } from './row-sum.ts'

const SUM_END = 2 ** 52
const time = fc.integer({ min: -(2 ** 52), max: 2 ** 52 })
const rows = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 48 }),
  level: fc.constantFrom(0, 1, 9),
  start: time,
  last: time,
  count: fc.integer({ min: 1, max: 4_096 }),
})

test('rowSum() is a whole number below 2^52, and another one when a bit of a field is another', () => {
  const fields = fc.constantFrom('id', 'level', 'start', 'last', 'count')
  fc.assert(
    fc.property(rows, fields, fc.integer({ min: 0, max: 51 }), (row, field, bit) => {
      const sum = rowSum(row)
      assert.ok(Number.isSafeInteger(sum) && sum >= 0 && sum < SUM_END)
      const isSet = Math.floor(row[field] / 2 ** bit) % 2 !== 0
      const changed = { ...row, [field]: row[field] + (isSet ? -1 : 1) * 2 ** bit }
      assert.notEqual(rowSum(changed), sum)
    }),
    { numRuns: roundsOf(2_000) },
  )
})

test('wrapRowSum() takes out what it added, in any order', () => {
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 20 }), (many) => {
      const added = many.reduce((sum, row) => wrapRowSum(sum + rowSum(row)), 0)
      assert.ok(added >= 0 && added < SUM_END)
      assert.equal(
        many.reduce((sum, row) => wrapRowSum(sum - rowSum(row)), added),
        0,
      )
    }),
    { numRuns: roundsOf(200) },
  )
})
