import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStaleAt, setStale, TestSource } from '../../test/support/promql-series.ts'
import type { InstantQuery, QueryContext, QueryResult, QueryValue, SteppedQuery } from './index.ts'

export type EntryPoints = [InstantQuery, QueryContext, QueryResult, QueryValue, SteppedQuery]

test('read() keeps the bits of a stale marker', async () => {
  const values = Float64Array.of(1, Number.NaN, 3)
  setStale(values, 1)
  const source = new TestSource([{ labels: { __name__: 'a' }, times: [10, 20, 30], values }])
  const samples = await source.read({ refs: [0], from: 10, until: 30, samplesMax: 10 })
  assert.deepEqual([...samples.times], [20, 30])
  assert.ok(isStaleAt(samples.values, 0))
  assert.ok(!isStaleAt(samples.values, 1))
})
