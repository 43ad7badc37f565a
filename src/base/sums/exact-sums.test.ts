import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  exactMean,
  exactSum,
  nearestDouble,
  totalUnits,
  weightedMean,
} from '../../../test/support/exact-fractions.ts'
import { fc } from '../../../test/support/fast-check.ts'
import { roundsOf } from '../../../test/support/random.ts'
import { roundedQuotient } from './error-free.ts'
import { ExactSums } from './exact-sums.ts'
import { WideSum } from './wide-sum.ts'

const moderate = fc.double({ min: -1e300, max: 1e300, noNaN: true })
const sensor = fc.integer({ min: -500_000, max: 500_000 }).map((integer) => integer / 100)
const odd = fc.constantFrom(0, -0, 5e-324, -5e-324, 2 ** -1_022, 1e16, -1e16, 1, 2 ** 53, 0.1)
const any = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 1e308, 2 ** 1_023, 2 ** 900, 2 ** -900),
)
const numbers = fc.oneof(
  fc.array(any, { maxLength: 60 }),
  fc.array(
    fc.integer({ min: -9, max: 9 }).map((units) => units * 5e-324),
    { maxLength: 60 },
  ),
  fc.array(sensor, { maxLength: 60 }),
  fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 60 }),
  fc.array(fc.oneof(moderate, odd), { maxLength: 60 }),
)

function sumOf(values: readonly number[]): ExactSums {
  const sums = new ExactSums(new Float64Array(1), new Float64Array(1))
  const magnitudeMax = Math.max(0, ...values.map(Math.abs))
  sums.addRange(0, Float64Array.from(values), { start: 0, end: values.length, magnitudeMax })
  return sums
}

test('ExactSums value() is the double nearest to the exact sum', () => {
  fc.assert(
    fc.property(numbers, (values) => assert.equal(sumOf(values).value(0), exactSum(values))),
    { numRuns: roundsOf(2_000) },
  )
})

test('ExactSums value() has the same bits for every way to part and order the values', () => {
  fc.assert(
    fc.property(numbers, fc.array(fc.nat(60)), (values, cuts) => {
      const want = sumOf(values).value(0)
      const oneByOne = new ExactSums(new Float64Array(1), new Float64Array(1))
      for (const value of values.toReversed()) oneByOne.add(0, value)
      assert.equal(oneByOne.value(0), want)
      const parted = new ExactSums(new Float64Array(2), new Float64Array(2))
      const edges = [0, ...cuts.filter((cut) => cut < values.length).sort((a, b) => a - b)]
      edges.forEach((start, at) => {
        const part = sumOf(values.slice(start, edges[at + 1] ?? values.length))
        parted.addSum(1, part, 0)
      })
      assert.equal(parted.value(1), want)
      assert.equal(parted.value(0), 0)
    }),
    { numRuns: roundsOf(2_000) },
  )
})

test('ExactSums parts() add up to the exact sum, unless that is beyond the doubles', () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const parts = sumOf(values).parts(0)
      if (parts === undefined) return assert.ok(!Number.isFinite(exactSum(values)))
      const sum = (list: readonly number[]) => totalUnits(list.map((value) => [value, 1]))
      assert.equal(sum(parts), sum(values))
    }),
    { numRuns: roundsOf(1_000) },
  )
})

test('ExactSums survives cancelling beyond the largest double, and returns a sum that stays there', () => {
  const max = Number.MAX_VALUE
  assert.equal(sumOf([max, max, 1, -max, -max]).value(0), 1)
  assert.equal(sumOf([max, max]).value(0), Number.POSITIVE_INFINITY)
  assert.equal(sumOf([-max, -max]).value(0), Number.NEGATIVE_INFINITY)
  assert.equal(sumOf([max, max]).parts(0), undefined)
  assert.equal(sumOf([5e-324, 5e-324, max, -max]).value(0), 1e-323)
})

test('ExactSums value() of nothing and of negative zeros is +0', () => {
  assert.ok(Object.is(sumOf([]).value(0), 0))
  assert.ok(Object.is(sumOf([-0, -0]).value(0), 0))
  assert.ok(Object.is(sumOf([1e300, 1, -1e300, -1]).value(0), 0))
})

test('ExactSums adds long ranges in two accumulators without rounding', () => {
  const values = Array.from(
    { length: 20_000 },
    (_, index) => Math.round(Math.sin(index) * 1e7) / 100,
  )
  assert.equal(sumOf(values).value(0), exactSum(values))
  const wide = new WideSum()
  for (const value of values) wide.add(value)
  assert.equal(wide.round(), sumOf(values).value(0))
})

const some = numbers.filter((values) => values.length > 0)

test('ExactSums quotient() is the double nearest to the exact mean', () => {
  fc.assert(
    fc.property(some, (values) => {
      const mean = sumOf(values).quotient(0, values.length)
      assert.equal(mean, exactMean(values))
      assert.ok(mean >= Math.min(...values) && mean <= Math.max(...values))
    }),
    { numRuns: roundsOf(5_000) },
  )
})

test('ExactSums quotient() of equal values is that value, however many they are', () => {
  const count = fc.integer({ min: 1, max: 2 ** 53 })
  fc.assert(
    fc.property(fc.oneof(any, sensor, odd), count, (value, many) => {
      const sums = new ExactSums(new Float64Array(1), new Float64Array(1))
      sums.addProduct(0, value, many)
      assert.equal(sums.quotient(0, many), value + 0)
    }),
    { numRuns: roundsOf(5_000) },
  )
})

test('ExactSums quotient() of products is the double nearest to the weighted mean', () => {
  const weight = fc.oneof(
    fc.constantFrom(82_800_000, 86_400_000, 90_000_000, 2_678_400_000, 1),
    fc.integer({ min: 1, max: 400 * 366 * 86_400_000 }),
  )
  const terms = fc.array(fc.tuple(fc.oneof(any, sensor, odd), weight), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(terms, (list) => {
      const sums = new ExactSums(new Float64Array(1), new Float64Array(1))
      for (const [value, factor] of list) sums.addProduct(0, value, factor)
      const weights = list.reduce((sum, [, factor]) => sum + factor, 0)
      assert.equal(sums.quotient(0, weights), weightedMean(list))
    }),
    { numRuns: roundsOf(5_000) },
  )
})

test('roundedQuotient() is sure of every mean in the middle of two doubles, and never wrong', () => {
  assert.equal(roundedQuotient(2 + 2 ** -52, 0, 2), 1)
  const bits = fc.integer({ min: 2 ** 52, max: 2 ** 53 - 1 })
  fc.assert(
    fc.property(bits, fc.integer({ min: 1, max: 2_000 }), fc.integer(), (odd, divisor, below) => {
      // Products of half a unit and the divisor, a little more or less than that.
      const sums = new ExactSums(new Float64Array(1), new Float64Array(1))
      sums.addProduct(0, odd, divisor)
      sums.addProduct(0, 0.5, divisor)
      sums.add(0, (below % 3) * 2 ** -40)
      const total = totalUnits([
        [odd, divisor],
        [0.5, divisor],
        [(below % 3) * 2 ** -40, 1],
      ])
      assert.equal(sums.quotient(0, divisor), nearestDouble(total, BigInt(divisor)))
    }),
    { numRuns: roundsOf(5_000) },
  )
})
