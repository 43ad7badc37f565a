import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capRateFigures, readRateFigures } from './rate-figures.ts'

test('capRateFigures() narrows calls at once and calls over time, each for itself', () => {
  const ceiling = readRateFigures('feed=1000/10s,admin=off,failed=10/1m')
  const check = (text: string, calls: number | undefined, perMs: number | undefined) => {
    const { feed } = capRateFigures(readRateFigures(text), ceiling)
    assert.deepEqual([feed?.calls, feed?.perMs], [calls, perMs], text)
  }
  check('off', 1_000, 10_000)
  check('feed=100/1s', 100, 1_000)
  check('feed=500/1s', 500, 5_000)
  check('feed=2000/100s', 1_000, 50_000)
  check('feed=10/1h', 10, 3_600_000)
  assert.equal(capRateFigures(readRateFigures('off'), ceiling).admin, undefined)
  assert.equal(capRateFigures(readRateFigures('off'), ceiling).failed?.calls, 10)
})
