import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { CHUNK_SAMPLES_MAX, emptyColumns, mergeColumns } from '../chunk/index.ts'
import { splitColumns, splitMerged } from './chunk-row.ts'

function columnsOf(start: number, count: number, value: number | string): SampleColumns {
  return {
    count,
    times: Float64Array.from({ length: count }, (_, at) => start + at * 10),
    numbers: Float64Array.from({ length: count }, (_, at) => (typeof value === 'number' ? at : 0)),
    texts: typeof value === 'string' ? Array.from({ length: count }, () => value) : undefined,
  }
}

function samplesOf({ count, times, numbers, texts }: SampleColumns) {
  return Array.from({ length: count }, (_, at) => [times[at], texts?.[at] ?? numbers[at]])
}

test('splitMerged() parts as splitColumns() parts what is merged', () => {
  const counts = fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.constantFrom(CHUNK_SAMPLES_MAX - 1, CHUNK_SAMPLES_MAX),
  )
  const value = fc.constantFrom(0, 0, 0, 'text')
  const newer = fc.tuple(
    fc.integer({ min: -500, max: 50_000 }),
    fc.oneof(counts, fc.constantFrom(CHUNK_SAMPLES_MAX + 1, 9_000)),
    value,
  )
  fc.assert(
    fc.property(newer, counts, value, fc.boolean(), (above, count, kind, isAtEnd) => {
      const group = columnsOf(...above)
      const older = columnsOf(0, count, kind)
      const parted = splitMerged(group, older, isAtEnd)
      const plain = splitColumns(mergeColumns([group, older]), isAtEnd)
      assert.deepEqual(parted.map(samplesOf), plain.map(samplesOf))
    }),
    { numRuns: roundsOf(150) },
  )
})

test('splitMerged() gives one sample after a full chunk a piece of its own, and needs no older', () => {
  const counts = (group: SampleColumns, older: SampleColumns) =>
    splitMerged(group, older, true).map(({ count }) => count)
  const full = columnsOf(0, CHUNK_SAMPLES_MAX, 0)
  assert.deepEqual(counts(columnsOf(50_000, 1, 0), full), [CHUNK_SAMPLES_MAX, 1])
  assert.deepEqual(counts(columnsOf(50_000, 3, 0), columnsOf(0, 5, 0)), [8])
  assert.deepEqual(counts(columnsOf(0, 3, 0), emptyColumns), [3])
})
