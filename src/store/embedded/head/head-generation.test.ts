import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import { applySamples } from './apply-record.ts'
import { HeadGeneration } from './head-generation.ts'
import { SampleSink } from './sample-sink.ts'
import { SlabPool } from './slab-pool.ts'
import { EMPTY_MASK } from './tombstones.ts'

function readAll(generation: HeadGeneration, handle: number): Array<[number, number | string]> {
  const sink = new SampleSink()
  generation.readAll(handle, sink)
  const { count, times, numbers, texts } = sink.columns()
  return Array.from({ length: count }, (_, at) => [times[at], texts?.[at] ?? numbers[at]])
}

test('put() fills more than one slab with samples in order', () => {
  const generation = new HeadGeneration(1)
  for (let time = 0; time < 200_000; time += 1) generation.put(7, time, time, undefined)
  const all = readAll(generation, 7)
  assert.equal(all.length, 200_000)
  assert.ok(all.every(([time, value], at) => time === at && value === at))
})

test('put() keeps a stream in order when it is filled from the end', () => {
  const generation = new HeadGeneration(1)
  for (let time = 5000; time > 0; time -= 1) generation.put(1, time, -time, undefined)
  assert.deepEqual(readAll(generation, 1)[4999], [5000, -5000])
  assert.equal(readAll(generation, 1).length, 5000)
})

test('release() hands memory to the next generation, which shows nothing of what it held', () => {
  const slabs = new SlabPool(2)
  const before = new HeadGeneration(1, slabs)
  for (let time = 0; time < 300_000; time += 1) before.put(1, time, -1, 'old')
  before.release(slabs)
  assert.equal(slabs.count, 2)
  const after = new HeadGeneration(2, slabs)
  for (let time = 0; time < 200_000; time += 1) after.put(1 + (time % 2), time, time, undefined)
  assert.equal(slabs.count, 0)
  for (const handle of [1, 2]) {
    const all = readAll(after, handle)
    assert.equal(all.length, 100_000)
    assert.ok(all.every(([time, value], at) => time === at * 2 + handle - 1 && value === time))
  }
})

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('put' as const), rows: putRows() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('remove' as const),
      handle: fc.integer({ min: 1, max: 3 }),
      from: fc.integer({ min: 0, max: 300 }),
      length: fc.integer({ min: 0, max: 200 }),
    }),
  },
)

function putRows() {
  const value = fc.oneof(fc.integer(), fc.string({ maxLength: 3 }))
  const row = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 300 }), value)
  return fc.array(row, { maxLength: 40 })
}

test('a generation holds what a map by time would, whatever is put and removed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const generation = new HeadGeneration(1)
      const model = new Map([1, 2, 3].map((handle) => [handle, new Map<number, number | string>()]))
      for (const action of steps) {
        if (action.op === 'remove') {
          const until = action.from + action.length
          generation.remove(action.handle, action.from, until)
          const samples = model.get(action.handle)
          for (let time = action.from; time < until; time += 1) samples?.delete(time)
          continue
        }
        const { rows } = action
        applySamples(
          generation,
          {
            count: rows.length,
            handles: Uint32Array.from(rows, (row) => row[0]),
            times: Float64Array.from(rows, (row) => row[1]),
            numbers: Float64Array.from(rows, (row) => (typeof row[2] === 'number' ? row[2] : 0)),
            texts: rows.map((row) => (typeof row[2] === 'string' ? row[2] : undefined)),
            removals: [],
          },
          { start: 0, end: rows.length },
        )
        for (const [handle, time, value] of rows) model.get(handle)?.set(time, value)
      }
      for (const [handle, samples] of model) {
        const expected = [...samples].sort((a, b) => a[0] - b[0])
        assert.deepEqual(readAll(generation, handle), expected)
        const backward = new SampleSink(5)
        const all = { from: 50, until: 250, isLatestFirst: true }
        generation.read(handle, all, EMPTY_MASK, backward)
        const latest = expected.filter(([time]) => time >= 50 && time < 250).reverse()
        const times = latest.slice(0, 5).map(([time]) => time)
        assert.deepEqual([...backward.columns().times], times)
      }
    }),
    { numRuns: roundsOf(300) },
  )
})
