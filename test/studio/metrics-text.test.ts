import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quantileOf, readMetrics, sumOf } from '../../studio/src/pages/admin/health/metrics-text.ts'

/** A histogram of calls of two kinds: how many took up to 1 s, and how many in all. */
function looked(quick: { feed: number; live: number }, all: { feed: number; live: number }) {
  const rows = (['feed', 'live'] as const).flatMap((call) => [
    `d_bucket{call="${call}",le="1"} ${quick[call]}`,
    `d_bucket{call="${call}",le="+Inf"} ${all[call]}`,
  ])
  return readMetrics(`# HELP d Durations\n# TYPE d histogram\n${rows.join('\n')}\n`)
}

test('a quantile is that of the calls between two looks, without a kind that is left out', () => {
  const before = looked({ feed: 5, live: 0 }, { feed: 9, live: 1 })
  const now = looked({ feed: 105, live: 0 }, { feed: 109, live: 4 })
  assert.equal(quantileOf(0.99, 'd', { now, before }), Number.POSITIVE_INFINITY)
  assert.equal(quantileOf(0.99, 'd', { now, before, without: 'call="live"' }), 1)
  assert.equal(quantileOf(0.99, 'd', { now: before, before, without: 'call="live"' }), undefined)
})

test('a sum is over all labels, or those that hold a text', () => {
  const metrics = readMetrics('a{x="1"} 2\na{x="2"} 3\nab 7\n')
  assert.equal(sumOf(metrics, 'a'), 5)
  assert.equal(sumOf(metrics, 'a', 'x="2"'), 3)
})
