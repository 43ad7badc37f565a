import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import { ExactSums } from '../../../base/index.ts'
import type { SampleColumns, Summaries, WindowStatistic } from '../../ports/sample-port.ts'
import { DamagedBytes, encodeChunk } from '../chunk/index.ts'
import { foldColumns, foldSummary, SummaryFold } from './summary-fold.ts'
import { readStatistic, readSummary, summarizeChunk } from './summary-record.ts'
import { mergeSummaries, type SummaryTable } from './summary-table.ts'

type Samples = ReadonlyArray<readonly [number, number | string]>

function columnsOf(samples: Samples): SampleColumns {
  const hasTexts = samples.some(([, value]) => typeof value === 'string')
  return {
    count: samples.length,
    times: Float64Array.from(samples, ([time]) => time),
    numbers: Float64Array.from(samples, ([, value]) => (typeof value === 'number' ? value : 7)),
    texts: hasTexts
      ? samples.map(([, value]) => (typeof value === 'string' ? value : undefined))
      : undefined,
  }
}

/** The expected result of each interval, written out plainly. */
function model(samples: Samples, edges: readonly number[]): unknown[] {
  return edges.slice(1).map((until, row) => {
    const inside = samples.filter(([time]) => time >= edges[row] && time < until)
    if (inside.length === 0) return { count: 0 }
    const numbers = inside.filter(
      (sample): sample is [number, number] => sample[1] !== `${sample[1]}`,
    )
    const sums = new ExactSums(new Float64Array(1), new Float64Array(1))
    for (const [, value] of numbers) sums.add(0, value)
    let min: readonly [number, number] | undefined
    let max: readonly [number, number] | undefined
    for (const sample of numbers) {
      if (min === undefined || sample[1] < min[1]) min = sample
      if (max === undefined || sample[1] > max[1]) max = sample
    }
    return {
      count: inside.length,
      numberCount: numbers.length,
      first: inside[0],
      last: inside[inside.length - 1],
      ...(min === undefined ? {} : { sum: sums.value(0), min, max }),
    }
  })
}

function rowsOf(result: Summaries): unknown[] {
  return Array.from({ length: result.length }, (_, row) => {
    if (result.count[row] === 0) return { count: 0 }
    const ends = {
      first: [result.firstTime[row], result.first[row]],
      last: [result.lastTime[row], result.last[row]],
    }
    const counts = { count: result.count[row], numberCount: result.numberCount[row] }
    if (result.numberCount[row] === 0) return { ...counts, ...ends }
    const min = [result.minTime[row], result.min[row]]
    const max = [result.maxTime[row], result.max[row]]
    return { ...counts, ...ends, sum: result.sum[row], min, max }
  })
}

const hourMs = 3_600_000
/** Large enough never to make a summary coarser. */
const chunkBytes = 1_000_000
const value = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3_000, max: 3_000 }).map((integer) => integer / 100) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE) },
)
const decimals = fc.integer({ min: -30_000, max: 30_000 }).map((integer) => integer / 100)
const mixed = fc.oneof(decimals, fc.constantFrom('on', 'off', ''))
const huge = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -(2 ** 50), max: 2 ** 50 }))

const samples = fc
  .record({
    values: fc
      .constantFrom(value, decimals, mixed, huge)
      .chain((kind) => fc.array(kind, { minLength: 128, maxLength: 400 })),
    start: fc.integer({ min: -2_000_000_000_000, max: 2_000_000_000_000 }),
    step: fc.constantFrom(1_000, 10_000, 60_000, 900_000),
    jitter: fc.array(fc.nat(900), { minLength: 400, maxLength: 400 }),
    isRegular: fc.boolean(),
  })
  .map(
    ({ values, start, step, jitter, isRegular }): Samples =>
      values.map((one, index) => [start + index * step + (isRegular ? 0 : jitter[index]), one]),
  )

/** Edges around the samples, some of them on block limits, some on samples, some anywhere. */
function edgesFor(all: Samples, picks: readonly number[], isAligned = false): number[] {
  const [start, end] = [all[0][0], all[all.length - 1][0]]
  const edges = picks.map((pick, index) => {
    const near = start + ((end - start) * pick) / 1_000
    if (index % 3 === 0 || isAligned) return Math.round(near / hourMs) * hourMs
    return index % 3 === 1 ? all[Math.floor((pick / 1_001) * all.length)][0] : Math.round(near)
  })
  return [...new Set(edges)].sort((left, right) => left - right)
}

const picks = fc.array(
  fc.integer({ min: -100, max: 1_100 }).map((pick) => Math.min(1_000, Math.max(0, pick))),
  {
    minLength: 2,
    maxLength: 12,
  },
)

test('foldColumns() returns the results of a plain model for every interval', () => {
  fc.assert(
    fc.property(samples, picks, fc.nat(400), (all, chosen, cut) => {
      const edges = edgesFor(all, chosen)
      const fold = new SummaryFold(Float64Array.from(edges))
      foldColumns(columnsOf(all.slice(cut)), fold)
      foldColumns(columnsOf(all.slice(0, cut)), fold)
      assert.deepEqual(rowsOf(fold.finish()), model(all, edges))
    }),
    { numRuns: roundsOf(300) },
  )
})

test('foldSummary() returns the same bits as the samples do, or leaves the fold untouched', () => {
  const runs = roundsOf(600)
  let folded = 0
  fc.assert(
    fc.property(samples, picks, fc.boolean(), (all, chosen, isAligned) => {
      const edges = edgesFor(all, chosen, isAligned)
      const blocks = readSummary(summarizeChunk(columnsOf(all), chunkBytes))
      const fold = new SummaryFold(Float64Array.from(edges))
      if (blocks !== undefined && foldSummary(blocks, fold)) {
        folded++
        assert.deepEqual(rowsOf(fold.finish()), model(all, edges))
      } else assert.ok(fold.count.every((count) => count === 0))
    }),
    { numRuns: runs },
  )
  assert.ok(folded > runs / 30, `only ${folded} folds used a summary`)
})

test('foldSummary() of the whole span equals the model for every kind of values', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const blocks = readSummary(summarizeChunk(columnsOf(all), chunkBytes))
      if (blocks === undefined) return
      const edges = [all[0][0], all[all.length - 1][0] + 1]
      const fold = new SummaryFold(Float64Array.from(edges))
      assert.ok(foldSummary(blocks, fold))
      assert.deepEqual(rowsOf(fold.finish()), model(all, edges))
    }),
    { numRuns: roundsOf(600) },
  )
})

test('readStatistic() gives what readSummary() does, whatever was read before', () => {
  const runs = roundsOf(300)
  let compared = 0
  const { only, partsOf } = statisticParts
  fc.assert(
    fc.property(samples, fc.constantFrom(...only), (all, statistic) => {
      const record = summarizeChunk(columnsOf(all), chunkBytes, 5)
      const blocks = readSummary(record, 5)
      if (blocks === undefined) return
      compared++
      const found = readStatistic(record, 5, statistic)
      assert.ok(found)
      const edges = Float64Array.of(all[0][0], all[all.length - 1][0] + 1)
      const folds = [blocks, found].map((table) => {
        const fold = new SummaryFold(edges, { statistic })
        assert.ok(foldSummary(table, fold))
        return fold.finish()
      })
      assert.deepEqual(partsOf(folds[1], statistic), partsOf(folds[0], statistic))
      assert.deepEqual(blockTimes(found), blockTimes(blocks))
      assert.throws(() => readStatistic(record, 6, statistic), DamagedBytes)
    }),
    { numRuns: runs },
  )
  assert.ok(compared > runs / 30, `only ${compared} records were compared`)
})

const statisticParts = {
  only: ['min', 'max', 'sum', 'avg', 'count', 'last'] as const,
  partsOf({ count, numberCount, sum, mean, min, max, last }: Summaries, only: WindowStatistic) {
    const columns = { count, sum, avg: mean, min, max, last }
    return { count, numberCount, column: numberCount[0] === 0 ? undefined : columns[only] }
  },
}

function blockTimes({ length, firstTime, lastTime }: SummaryTable): number[][] {
  return [firstTime, lastTime].map((column) => [...column.subarray(0, length)])
}

test('mergeSummaries() joins two folds over the same edges', () => {
  fc.assert(
    fc.property(samples, picks, fc.nat(400), (all, chosen, cut) => {
      const edges = edgesFor(all, chosen)
      const [left, right] = [all.slice(0, cut), all.slice(cut)].map((part) => {
        const fold = new SummaryFold(Float64Array.from(edges))
        foldColumns(columnsOf(part), fold)
        return fold
      })
      mergeSummaries(right, left)
      assert.deepEqual(rowsOf(right.finish()), model(all, edges))
    }),
    { numRuns: roundsOf(200) },
  )
})

function walkEvery(stepMs: number): Samples {
  let state = 5
  let at = 2_137
  return Array.from({ length: 4_096 }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    at += Math.round((state / 2 ** 32 - 0.5) * 6)
    return [1_699_999_990_000 + index * stepMs, at / 100] as const
  })
}

test('summarizeChunk() has hourly blocks for 10-second data and adds little to the chunk', () => {
  const columns = columnsOf(walkEvery(10_000))
  const bytes = encodeChunk(columns, { stream: 1, isRun: false }).length
  const record = summarizeChunk(columns, bytes)
  const share = record.length / bytes
  assert.equal(readSummary(record)?.length, 12)
  assert.ok(share < 0.12, `${record.length} bytes are ${share} of the chunk`)
})

test('summarizeChunk() takes coarser blocks, or none, where fine ones would cost too much', () => {
  const columns = columnsOf(walkEvery(10_000))
  const blocksFor = (bytes: number) => readSummary(summarizeChunk(columns, bytes))?.length ?? 0
  assert.equal(blocksFor(1_500), 12)
  assert.equal(blocksFor(700), 6)
  assert.equal(blocksFor(50), 0)
})

test('summarizeChunk() leaves out what is quicker to decode', () => {
  const f = (all: Samples) => assert.equal(summarizeChunk(columnsOf(all), chunkBytes).length, 0)
  f([[0, 1]])
  f(Array.from({ length: 127 }, (_, index) => [index, index] as const))
  f(Array.from({ length: 200 }, (_, index) => [index, 'long'.repeat(100)] as const))
  f(Array.from({ length: 200 }, (_, index) => [index, Number.MAX_VALUE] as const))
  f(Array.from({ length: 200 }, (_, index) => [index, '\ud800'] as const))
})

test('readSummary() refuses a record with any bit flipped or any byte missing', () => {
  const record = summarizeChunk(columnsOf(walkEvery(10_000).slice(0, 1_000)), chunkBytes)
  assert.ok(record.length > 30)
  for (let bit = 0; bit < record.length * 8; bit++) {
    const flipped = record.slice()
    flipped[bit >> 3] ^= 1 << (bit & 7)
    assert.throws(() => readSummary(flipped), DamagedBytes, `bit ${bit}`)
  }
  for (let length = 1; length < record.length; length++) {
    assert.throws(() => readSummary(record.subarray(0, length)), DamagedBytes)
  }
})
