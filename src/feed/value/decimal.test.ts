import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { requireFewSamples } from '../statistic/decimal-statistic.ts'
import {
  addDecimals,
  compareDecimals,
  divideDecimal,
  multiplyDecimal,
  readDecimal,
  writeDecimal,
} from './decimal.ts'
import { canonicalDecimal } from './number-text.ts'

const number = fc.record({
  units: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  scale: fc.integer({ min: 0, max: 45 }),
})

/** The units of a number at a scale that every number here and every sum of them has. */
function exact({ units, scale }: { units: bigint; scale: number }): bigint {
  return units * 10n ** BigInt(60 - scale)
}

test('writeDecimal() writes what canonicalDecimal() does, and readDecimal() reads it back', () => {
  fc.assert(
    fc.property(number, (one) => {
      const text = canonicalDecimal(`${one.units}e-${one.scale}`)
      assert.equal(writeDecimal(one), text)
      assert.equal(exact(readDecimal(text ?? '')), exact(one))
    }),
  )
})

test('sums, products and comparisons are exact, whatever the scales', () => {
  fc.assert(
    fc.property(number, number, fc.integer({ min: 0, max: 1e9 }), (a, b, factor) => {
      assert.equal(exact(addDecimals(a, b)), exact(a) + exact(b))
      assert.equal(exact(multiplyDecimal(a, factor)), exact(a) * BigInt(factor))
      const difference = exact(a) - exact(b)
      const sign = difference < 0n ? -1 : difference > 0n ? 1 : 0
      assert.equal(compareDecimals(a, b), sign)
    }),
  )
})

test('divideDecimal() is off by half of its last digit at most', () => {
  const decimals = fc.integer({ min: 0, max: 60 })
  fc.assert(
    fc.property(number, fc.integer({ min: 1, max: 1e12 }), decimals, (a, by, digits) => {
      const quotient = divideDecimal(a, by, digits)
      assert.equal(quotient.scale, digits)
      const error = exact(quotient) * BigInt(by) - exact(a)
      const half = BigInt(by) * 10n ** BigInt(60 - digits)
      assert.ok(2n * (error < 0n ? -error : error) <= half)
    }),
  )
  const check = (text: string, by: number, digits: number, expected: string) =>
    assert.equal(writeDecimal(divideDecimal(readDecimal(text), by, digits)), expected)
  check('1', 3, 5, '0.33333')
  check('2', 3, 5, '0.66667')
  check('5', 10, 0, '1')
  check('-5', 10, 0, '-1')
  check('-0.4', 1, 0, '0')
  check('12.5', 1, 20, '12.5')
})

test('requireFewSamples() bounds what one answer reads', () => {
  requireFewSamples(5_000_000)
  assert.throws(() => requireFewSamples(5_000_001), {
    code: 'bad_input',
    message: /5000001 samples of a BIG_DECIMAL stream in one request. At most 5000000/,
  })
})
