import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { decimalInteger, scaleDecimals } from './decimals.ts'
import { PACKABLE_INTEGER_MAX } from './integers.ts'

const decimal = fc
  .tuple(fc.integer({ min: -PACKABLE_INTEGER_MAX, max: PACKABLE_INTEGER_MAX }), fc.nat({ max: 15 }))
  .map(([integer, decimals]) => integer / 10 ** decimals)
const odd = fc.oneof(
  decimal,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 0.5, -0.5, 1.5, 2 ** 50, 2 ** 50 + 1, 2 ** 51 + 0.5, 5e-324, 1e300),
)

/** Mostly values of a few decimals, among which few enough others are exceptions. */
const column = fc
  .tuple(
    fc.constantFrom(1, 10, 100),
    fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 64, maxLength: 80 }),
    fc.array(fc.tuple(fc.nat({ max: 63 }), odd), { maxLength: 4 }),
  )
  .map(([scale, integers, others]) => {
    const values = integers.map((integer) => integer / scale)
    for (const [index, other] of others) values[index] = other
    return values
  })

test('scaleDecimals() agrees with decimalInteger() on every value', () => {
  fc.assert(
    fc.property(column, (list) => {
      const scaled = scaleDecimals(Float64Array.from(list))
      assert.ok(scaled !== undefined)
      const { decimals, integers, exceptions } = scaled
      let before = 0
      list.forEach((number, index) => {
        const integer = decimalInteger(number, decimals)
        assert.equal(exceptions.includes(index), integer === undefined)
        before = integer ?? before
        assert.ok(Object.is(integers[index], before))
      })
    }),
    { numRuns: 2_000 },
  )
})

test('scaleDecimals() takes the fewest decimals, and at most one exception in sixteen', () => {
  const f = (list: number[], want: number | undefined) =>
    assert.equal(scaleDecimals(Float64Array.from(list))?.decimals, want)
  const tenths = Array.from({ length: 32 }, (_, index) => index / 10)
  f([1, 2, 3], 0)
  f([1.5, 2], 1)
  f(tenths, 1)
  f([...tenths.slice(2), -0, 1 / 3], 1)
  f([...tenths.slice(3), -0, -0, 1 / 3], undefined)
  f([1 / 3], undefined)
  f([1e300], undefined)
})
