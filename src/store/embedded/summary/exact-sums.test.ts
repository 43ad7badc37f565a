import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ExactSums } from './exact-sums.ts'
import { WideSum } from './wide-sum.ts'

/** A double as a whole number of 2⁻¹⁰⁷⁴, by repeated doubling. */
function unitsOf(value: number): bigint {
  let shift = 0
  let scaled = Math.abs(value)
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    shift++
  }
  const units = (BigInt(scaled) << 1_074n) >> BigInt(shift)
  return value < 0 ? -units : units
}

function neighbours(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(value))
  const bits = view.getBigUint64(0)
  return [-2n, -1n, 0n, 1n, 2n]
    .filter((step) => bits + step >= 0n)
    .map((step) => {
      view.setBigUint64(0, bits + step)
      return view.getFloat64(0) * Math.sign(value || 1)
    })
    .filter(Number.isFinite)
}

/** Whether a double is the nearest to an exact sum, and the even one of two that are as near. */
function assertNearest(rounded: number, values: readonly number[]): void {
  const exact = values.reduce((sum, value) => sum + unitsOf(value), 0n)
  const distance = (value: number) => {
    const difference = unitsOf(value) - exact
    return difference < 0n ? -difference : difference
  }
  for (const other of neighbours(rounded)) {
    if (other === rounded) continue
    const mine = distance(rounded)
    assert.ok(mine <= distance(other), `${rounded} against ${other}`)
    if (mine === distance(other)) {
      const view = new DataView(new ArrayBuffer(8))
      view.setFloat64(0, rounded)
      assert.equal(view.getUint8(7) & 1, 0, 'ties go to the even double')
    }
  }
}

const moderate = fc.double({ min: -1e300, max: 1e300, noNaN: true })
const sensor = fc.integer({ min: -500_000, max: 500_000 }).map((integer) => integer / 100)
const odd = fc.constantFrom(0, -0, 5e-324, -5e-324, 2 ** -1_022, 1e16, -1e16, 1, 2 ** 53, 0.1)
const numbers = fc.oneof(
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
    fc.property(numbers, (values) => assertNearest(sumOf(values).value(0), values)),
    { numRuns: 2_000 },
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
    { numRuns: 2_000 },
  )
})

test('ExactSums parts() add up to the exact sum', () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const parts = sumOf(values).parts(0) ?? []
      const exact = values.reduce((sum, value) => sum + unitsOf(value), 0n)
      assert.equal(
        parts.reduce((sum, part) => sum + unitsOf(part), 0n),
        exact,
      )
    }),
    { numRuns: 1_000 },
  )
})

test('ExactSums survives cancelling beyond the largest double, and tells a sum that stays there', () => {
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

test('ExactSums adds long ranges in lanes without rounding', () => {
  const values = Array.from(
    { length: 20_000 },
    (_, index) => Math.round(Math.sin(index) * 1e7) / 100,
  )
  assertNearest(sumOf(values).value(0), values)
  const wide = new WideSum()
  for (const value of values) wide.add(value)
  assert.equal(wide.round(), sumOf(values).value(0))
})
