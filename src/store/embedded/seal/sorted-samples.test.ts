import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { orderSamples, SortedSamples } from './sorted-samples.ts'

type Row = readonly [handle: number, time: number, value: number]

const samplesOf = ({ count, times, numbers }: SampleColumns): Array<[number, number]> =>
  Array.from({ length: count }, (_, at) => [times[at], numbers[at]])

/** What a map by time holds after all were put. */
function modelOf(samples: ReadonlyArray<readonly [number, number]>): Array<[number, number]> {
  return [...new Map(samples)].sort(([left], [right]) => left - right)
}

function order(samples: ReadonlyArray<readonly [number, number]>): Array<[number, number]> {
  const times = Float64Array.from(samples, ([time]) => time)
  const numbers = Float64Array.from(samples, ([, value]) => value)
  return samplesOf(orderSamples(times, numbers))
}

test('orderSamples() keeps per time the sample that came last', () => {
  const sample = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.double({ noNaN: true }))
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 200 }), (samples) => {
      assert.deepEqual(order(samples), modelOf(samples))
    }),
    { numRuns: roundsOf(500) },
  )
})

test('orderSamples() takes a stream that was filled from its end, and one sent twice', () => {
  const rising = Array.from({ length: 3_000 }, (_, at) => [at * 1_000, at] as const)
  const falling = rising.toReversed()
  // The few at the front are in order when the moves of the others become too many.
  const mixed = [...rising.slice(0, 10), ...falling, [5_000, -1] as const]
  for (const samples of [
    falling,
    mixed,
    [...rising, ...rising.map(([time]) => [time, 7] as const)],
  ])
    assert.deepEqual(order(samples), modelOf(samples))
})

function columnsOf(rows: readonly Row[]) {
  return {
    handles: Uint32Array.from(rows, ([handle]) => handle),
    times: Float64Array.from(rows, ([, time]) => time),
    numbers: Float64Array.from(rows, ([, , value]) => value),
  }
}

/** Counts, excludes and puts rows in records of a few. */
function fill(sorted: SortedSamples, rows: readonly Row[], excluded: readonly number[]): number {
  sorted.clear()
  const columns = columnsOf(rows)
  const records = Array.from({ length: Math.ceil(rows.length / 7) }, (_, record) => {
    const start = record * 7
    const count = Math.min(7, rows.length - start)
    return { timesAt: start, numbersAt: start, handlesAt: start, count }
  })
  for (const record of records) sorted.count(columns, record)
  for (const handle of excluded) sorted.exclude(handle)
  return records.reduce((leftOut, record) => leftOut + sorted.put(columns, record), 0)
}

test('SortedSamples brings the samples of each stream together, segment after segment', () => {
  const handle = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1_023, 1_024, 5_000))
  const row = fc.tuple(handle, fc.integer({ min: 0, max: 40 }), fc.integer())
  const segment = fc.tuple(fc.array(row, { maxLength: 120 }), fc.uniqueArray(handle))
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), (segments) => {
      const sorted = new SortedSamples()
      for (const [rows, excluded] of segments) {
        const leftOut = fill(sorted, rows, excluded)
        assert.equal(leftOut, rows.filter(([stream]) => excluded.includes(stream)).length)
        for (const stream of [1, 2, 3, 4, 5, 6, 1_023, 1_024, 5_000, 9_000]) {
          const own = rows.filter(([other]) => other === stream && !excluded.includes(stream))
          assert.equal(sorted.hasSamples(stream), own.length > 0)
          assert.ok(own.length === 0 || stream < sorted.handleEnd)
          const model = modelOf(own.map(([, time, value]) => [time, value]))
          if (own.length > 0) assert.deepEqual(samplesOf(sorted.columnsOf(stream)), model)
        }
      }
    }),
    { numRuns: roundsOf(300) },
  )
})

test('SortedSamples serves the next segment after its memory was let go', () => {
  const sorted = new SortedSamples()
  const rows: Row[] = [
    [1, 10, 1],
    [1, 20, 2],
  ]
  fill(sorted, rows, [])
  sorted.release()
  fill(sorted, rows, [])
  assert.deepEqual(samplesOf(sorted.columnsOf(1)), [
    [10, 1],
    [20, 2],
  ])
})
