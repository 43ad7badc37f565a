import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryCache } from '../../studio/src/api/query-cache.ts'

/** Follows a query until it has data. Returns the first and the last state. */
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

const KEY = ['list']
const nothing = () => {}

/** A fetcher whose answers the test gives, one after another. */
function answersLater<T>() {
  const given: Array<(answer: T) => void> = []
  const signals: AbortSignal[] = []
  const fetcher = (signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<T>((resolve) => given.push(resolve))
  }
  const answer = async (at: number, value: T) => {
    given[at](value)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { fetcher, answer, signals }
}

test('an answer that was put is not overwritten by a fetch that began before', async () => {
  const cache = new QueryCache()
  const { fetcher, answer, signals } = answersLater<string>()
  const leave = cache.follow(KEY, fetcher, nothing)
  cache.put(KEY, 'saved')
  await answer(0, 'before the save')
  assert.deepEqual(cache.peek(KEY), { data: 'saved', error: undefined, isLoading: false })
  assert.deepEqual(
    [signals.length, signals[0].aborted],
    [1, true],
    'and nothing is asked for again',
  )
  cache.invalidate(KEY)
  await answer(1, 'later')
  assert.equal(cache.peek(KEY).data, 'later')
  leave()
})

test('news are in the answer of a fetch that began before them', async () => {
  const cache = new QueryCache()
  const { fetcher, answer } = answersLater<number[]>()
  const add = (one: number) => (before: number[] | undefined) =>
    before?.includes(one) === true ? before : [...(before ?? []), one]
  const leave = cache.follow(KEY, fetcher, nothing)
  cache.put<number[]>(KEY, add(3))
  assert.deepEqual(cache.peek(KEY).data, [3])
  cache.put<number[]>(KEY, add(4))
  await answer(0, [1, 2, 3])
  assert.deepEqual(cache.peek(KEY).data, [1, 2, 3, 4])
  // What the next fetch answers knows of them.
  cache.invalidate(KEY)
  await answer(1, [1, 2])
  assert.deepEqual(cache.peek(KEY).data, [1, 2])
  leave()
})

test('after more news than are kept an answer is asked for again', async () => {
  const cache = new QueryCache()
  const { fetcher, answer, signals } = answersLater<number>()
  const leave = cache.follow(KEY, fetcher, nothing)
  for (let at = 0; at < 1_002; at += 1) cache.put<number>(KEY, (before = 0) => before + 1)
  await answer(0, 0)
  assert.equal(signals.length, 2)
  await answer(1, 5_000)
  assert.equal(cache.peek(KEY).data, 5_000)
  assert.equal(signals.length, 2, 'once is enough')
  leave()
})

test('news of a query that nobody follows do not make an old answer fresh', async () => {
  const cache = new QueryCache()
  const { fetcher, answer, signals } = answersLater<string>()
  cache.follow(KEY, fetcher, nothing)()
  cache.put<string>(KEY, (before) => `${before}!`)
  const leave = cache.follow(KEY, fetcher, nothing)
  assert.equal(signals.length, 2)
  await answer(1, 'asked')
  assert.equal(cache.peek(KEY).data, 'asked')
  leave()
})

test('who leaves and comes back at once gets an answer', async () => {
  const cache = new QueryCache()
  const { fetcher, answer, signals } = answersLater<string>()
  cache.follow(KEY, fetcher, nothing)()
  const leave = cache.follow(KEY, fetcher, nothing)
  await answer(0, 'given up')
  assert.equal(cache.peek(KEY).data, undefined)
  await answer(1, 'there')
  assert.deepEqual([cache.peek(KEY).data, signals[0].aborted], ['there', true])
  leave()
})

test('QueryCache.invalidate() asks for nothing that is gone until somebody looks for it', async () => {
  const cache = new QueryCache()
  const asked: string[] = []
  const follow = (...key: string[]) =>
    cache.follow(
      key,
      async () => {
        asked.push(key.join())
      },
      nothing,
    )
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const stops = [follow('record', 'unit', 'a'), follow('record', 'unit', 'b')]
  await settled()
  asked.length = 0
  cache.invalidate(['record', 'unit'], 'a')
  await settled()
  assert.deepEqual(asked, ['record,unit,b'])
  for (const stop of stops) stop()
  follow('record', 'unit', 'a')
  await settled()
  assert.deepEqual(asked, ['record,unit,b', 'record,unit,a'])
})
