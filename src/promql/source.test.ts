import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  compileTestPattern,
  isStaleAt,
  setStale,
  TestSource,
} from '../../test/support/promql-series.ts'
import { PromqlError, parseSelector, queryInstant, queryRange, queryType } from './index.ts'

test('read() keeps the bits of a stale marker', async () => {
  const values = Float64Array.of(1, Number.NaN, 3)
  setStale(values, 1)
  const source = new TestSource([{ labels: { __name__: 'a' }, times: [10, 20, 30], values }])
  const samples = await source.read({ refs: [0], from: 10, until: 30, samplesMax: 10 })
  assert.deepEqual([...samples.times], [20, 30])
  assert.ok(isStaleAt(samples.values, 0))
  assert.ok(!isStaleAt(samples.values, 1))
})

test('parseSelector() returns matchers, and refuses what is no selector', () => {
  assert.deepEqual(parseSelector('up{job=~"a|b"}', compileTestPattern), [
    { name: 'job', operation: '=~', value: 'a|b' },
    { name: '__name__', operation: '=', value: 'up' },
  ])
  for (const text of ['up[5m]', 'up offset 5m', '1', 'sum(up)', '{}', '{a=""}', 'up{']) {
    assert.throws(() => parseSelector(text, compileTestPattern), PromqlError, text)
  }
})

test('queryType() names the type of a query', () => {
  assert.equal(queryType('1 + 1', compileTestPattern), 'scalar')
  assert.equal(queryType('up[5m]', compileTestPattern), 'matrix')
})

test('queryInstant() and queryRange() answer without series', async () => {
  const context = { source: new TestSource([]), compilePattern: compileTestPattern }
  const instant = await queryInstant({ text: '1+1', time: 1_000 }, context)
  assert.deepEqual(instant.value, { type: 'scalar', time: 1_000, value: 2 })
  const range = await queryRange({ text: 'up', start: 0, end: 60_000, stepMs: 1_000 }, context)
  assert.deepEqual(range.value, { type: 'matrix', series: [] })
})
