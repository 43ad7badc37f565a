import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryCache } from '../../studio/src/api/query-cache.ts'

/** Follows a query until it is told, then stops; answers what was shown at first and then. */
async function lookOnce(cache: QueryCache, fetcher: () => Promise<number>) {
  const first = cache.peek<number>(['a']).data
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = cache.follow(['a'], fetcher, () => {
    const { data, isLoading } = cache.peek(['a'])
    if (data !== undefined && !isLoading) resolve()
  })
  await promise
  stop()
  return [first, cache.peek<number>(['a']).data]
}

test('QueryCache.follow() asks again for what nobody has shown for a while, and shows what it was until then', async () => {
  let now = 0
  let asked = 0
  const cache = new QueryCache(() => now)
  const fetcher = async () => {
    asked += 1
    return asked
  }
  assert.deepEqual(await lookOnce(cache, fetcher), [undefined, 1])
  now += 9_999
  assert.deepEqual(await lookOnce(cache, fetcher), [1, 1])
  now += 2
  assert.deepEqual(await lookOnce(cache, fetcher), [1, 2])
  cache.put(['a'], 7)
  now += 5_000
  assert.deepEqual(await lookOnce(cache, fetcher), [7, 7])
})
