import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HttpMetrics } from './http-metrics.ts'

test('requests are counted by call and status, in whatever order they come', () => {
  const metrics = new HttpMetrics()
  const observe = (method: string, route: string, status: number) =>
    metrics.observe({ method, route, status, seconds: 0.002, code: undefined })
  const put = '/api/feed'
  const file = '/api/comp/:compId/stream/:streamId/feed/file'
  for (const status of [200, 200, 400, 200]) observe('PUT', put, status)
  for (const method of ['GET', 'PUT', 'PUT', 'GET', 'GET']) observe(method, file, 200)
  observe('PUT', put, 200)
  const text = metrics.text()
  const countOf = (call: string, status: number) =>
    Number(text.match(`weir_http_requests_total{call="${call}",status="${status}"} (\\d+)`)?.[1])
  assert.deepEqual([countOf('feed_put', 200), countOf('feed_put', 400)], [4, 1])
  assert.deepEqual([countOf('file_get', 200), countOf('file_put', 200)], [3, 2])
})
