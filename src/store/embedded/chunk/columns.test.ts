import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { concatColumns, cutColumns, mergeColumns } from './columns.ts'

type Plain = Map<number, number | string>

function columnsOf(plain: Plain): SampleColumns {
  const samples = [...plain].sort(([left], [right]) => left - right)
  const hasTexts = samples.some(([, value]) => typeof value === 'string')
  return {
    count: samples.length,
    times: Float64Array.from(samples, ([time]) => time),
    numbers: Float64Array.from(samples, ([, value]) => (typeof value === 'number' ? value : 0)),
    texts: hasTexts
      ? samples.map(([, value]) => (typeof value === 'string' ? value : undefined))
      : undefined,
  }
}

function samplesOf(columns: SampleColumns): Array<[number, number | string]> {
  return Array.from({ length: columns.count }, (_, index) => [
    columns.times[index],
    columns.texts?.[index] ?? columns.numbers[index],
  ])
}

const sorted = (plain: Plain) => [...plain].sort(([left], [right]) => left - right)

const plainColumns = fc
  .array(
    fc.tuple(fc.integer({ min: 0, max: 60 }), fc.oneof(fc.integer(), fc.constantFrom('a', 'b'))),
    { maxLength: 30 },
  )
  .map((samples): Plain => new Map(samples))

test('mergeColumns() keeps per time the sample of the newest column', () => {
  fc.assert(
    fc.property(fc.array(plainColumns, { maxLength: 6 }), (newestFirst) => {
      const expected: Plain = new Map()
      for (const plain of newestFirst.toReversed()) {
        for (const [time, value] of plain) expected.set(time, value)
      }
      assert.deepEqual(samplesOf(mergeColumns(newestFirst.map(columnsOf))), sorted(expected))
    }),
    { numRuns: 1_000 },
  )
})

test('mergeColumns() joins columns that follow each other in any order of age', () => {
  const parts = [7, 1, 4].map((start) => columnsOf(new Map([0, 1, 2].map((n) => [start + n, n]))))
  assert.deepEqual(Array.from(mergeColumns(parts).times), [1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('cutColumns() parts a column at a half-open range', () => {
  const time = fc.integer({ min: -5, max: 65 })
  fc.assert(
    fc.property(plainColumns, time, time, (plain, from, until) => {
      const isInside = ([at]: [number, unknown]) => at >= from && at < until
      const all = sorted(plain)
      assert.deepEqual(
        samplesOf(cutColumns(columnsOf(plain), from, until)),
        all.filter((sample) => isInside(sample)),
      )
    }),
    { numRuns: 1_000 },
  )
})

test('concatColumns() puts texts where they were, also beside columns without any', () => {
  const joined = concatColumns([
    columnsOf(new Map<number, number | string>([[1, 5]])),
    columnsOf(new Map<number, number | string>([[2, 'on']])),
    columnsOf(new Map<number, number | string>([[3, 6]])),
  ])
  assert.deepEqual(samplesOf(joined), [
    [1, 5],
    [2, 'on'],
    [3, 6],
  ])
})
