import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStaleAt, setStale } from '../../../test/support/promql-series.ts'
import { Random, testSeeds } from '../../../test/support/random.ts'
import { keepLatestOfSteps } from './latest-of-steps.ts'

test('keepLatestOfSteps() keeps the sample that each time of a step shows', () => {
  const random = new Random(testSeeds(1)[0])
  for (let round = 0; round < 500; round++) {
    const start = random.integer(-50, 50) + random.pick([0, 0, 0.1])
    const stepMs = random.pick([1, 2, 7, 10, 60, 1_000])
    const all: number[] = []
    for (let time = random.integer(-300, 0); all.length < random.integer(0, 60); ) {
      all.push(time)
      time += random.integer(1, random.pick([2, 15, 90]))
    }
    const times = Float64Array.from(all)
    const values = Float64Array.from(all, (_, at) => at)
    const count = keepLatestOfSteps({ count: all.length, times, values }, { start, stepMs })
    const kept = times.subarray(0, count)
    const about = `seed ${random.seed}, round ${round}`
    for (let step = -320; step < 900; step++) {
      const time = start + step * stepMs
      const latest = all.findLastIndex((one) => one <= time)
      const found = kept.findLastIndex((one) => one <= time)
      assert.equal(kept[found], all[latest], about)
      if (found >= 0) assert.equal(values[found], latest, about)
    }
    const steps = new Set(all.map((time) => Math.ceil((time - start) / stepMs)))
    assert.ok(count <= steps.size, about)
    assert.equal(times.at(-1), all.at(-1), about)
  }
})

test('keepLatestOfSteps() keeps the bits of a stale marker', () => {
  const values = Float64Array.of(1, 2, Number.NaN, 3)
  setStale(values, 2)
  const times = Float64Array.of(1, 2, 3, 11)
  assert.equal(keepLatestOfSteps({ count: 4, times, values }, { start: 0, stepMs: 10 }), 2)
  assert.deepEqual([...times.subarray(0, 2)], [3, 11])
  assert.ok(isStaleAt(values, 0))
  assert.equal(values[1], 3)
})
