import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWER_BYTES_MAX, TEXT_LENGTH_MAX } from '../../src/base/index.ts'
import type { FeedRead } from '../../src/http/feed/feed-calls.ts'
import { anyFeed, keyWith, openFeed, openFeedHome, pairs, refused } from '../support/feed-home.ts'
import { HOUR, hourly, hours, interval, T0 } from '../support/hourly-stream.ts'

test('get() of a component with thousands of silent streams leaves turns to others', async (t) => {
  const ids = Array.from({ length: 2_000 }, (_, at) => [`s${at}`, {}])
  const home = await openFeedHome(Object.fromEntries(ids))
  t.after(() => home.close())
  let iterations = 0
  const count = () => {
    iterations += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  assert.deepEqual(await home.get(), [])
  clearImmediate(next)
  assert.ok(iterations >= 5, `${iterations} turns`)
})

test('texts are bounded one by one and in an answer, which is built in memory', async (t) => {
  const home = await openFeedHome({ text: { valueType: 'STRING' } })
  t.after(() => home.close())
  const text = 'x'.repeat(TEXT_LENGTH_MAX)
  const put = (time: number, data: string) =>
    home.putJson([{ compId: 'c', streamId: 'text', data, time }])
  await assert.rejects(put(1, `${text}x`), /at most 1000000 are allowed/)
  assert.deepEqual(await home.get(), [])
  const fitting = ANSWER_BYTES_MAX / TEXT_LENGTH_MAX
  for (let time = 0; time <= fitting; time += 1) await put(time, text)
  await assert.rejects(home.get(), /Use a smaller "limit"/)
  assert.equal((await home.get('text', 'limit=2')).length, 2)
})

test('an interval that begins before 1900 is found, and deleted, by a range that lies there', async (t) => {
  const month = {
    streamType: 'intvl_stream',
    baseCycle: { id: 'month' },
    valueType: 'DOUBLE',
  } as const
  const home = await openFeedHome({ m: month })
  t.after(() => home.close())
  const [time, sdTime] = [Date.parse('1900-01-01'), Date.parse('1899-12-01')]
  await home.putJson([{ compId: 'c', streamId: 'm', data: 7, time }])
  const december = `sd=${Date.parse('1899-12-10')}&ed=${Date.parse('1899-12-11')}`
  const sample = { time, data: 7, sdTime }
  assert.deepEqual(await home.get('m', `${december}&retIntvlSd`), [sample])
  assert.deepEqual(await home.last('m', `${december}&retIntvlSd`), [sample])
  assert.deepEqual(await home.get('m', `ed=${time}&retIntvlSd`), [sample])
  const outside = [
    `sd=${Date.parse('1899-11-10')}&ed=${sdTime}`,
    `sd=${Number.MIN_SAFE_INTEGER}&ed=-8640000000000000`,
    `sd=${time}&ed=${Date.parse('1900-02-01')}`,
    `sd=${Date.parse('2262-01-01')}&ed=${Number.MAX_SAFE_INTEGER}`,
  ]
  const remove = (query: string) =>
    home.calls.delete(anyFeed, { compId: 'c', streamId: 'm' }, query)
  for (const query of outside) {
    assert.deepEqual(await home.get('m', query), [], query)
    await remove(query)
  }
  assert.deepEqual(await home.get('m', 'retIntvlSd'), [sample])
  await remove(december)
  assert.deepEqual(await home.get('m'), [])
})

test('get() returns the intervals that overlap the range, with gaps inside it only', async (t) => {
  const feed = await openFeed(t, { i: interval })
  await hours(feed, [[1, 1], [3, 3], [6, 6]]) // biome-ignore format: short
  const ask = (from: number, until: number, more = '') =>
    hourly(feed, `sd=${T0 + from * HOUR}&ed=${T0 + until * HOUR}${more}`)
  assert.deepEqual(await ask(1, 3), [[3, 3], [2, null]]) // biome-ignore format: short
  assert.deepEqual(await ask(0, 1), [[1, 1]])
  assert.deepEqual(await ask(0.5, 0.6), [[1, 1]])
  assert.deepEqual(await ask(3, 5), [[5, null], [4, null]]) // biome-ignore format: short
  assert.deepEqual(await ask(6, 9), [])
  assert.deepEqual(await ask(-5, 0), [])
  assert.deepEqual(await ask(2, 2), [])
  assert.deepEqual(await ask(0, 9, '&limit=2'), [[6, 6], [5, null]]) // biome-ignore format: short
  assert.deepEqual(await hourly(feed, `ed=${T0 + 2 * HOUR}`), [[2, null], [1, 1]]) // biome-ignore format: short
  const [first] = await feed.get('i', `limit=1&retIntvlSd`)
  assert.deepEqual(first, { time: T0 + 6 * HOUR, data: 6, sdTime: T0 + 5 * HOUR })
  const [lastInside] = await feed.last('i', `sd=${T0}&ed=${T0 + 5 * HOUR}&retIntvlSd`)
  assert.deepEqual(lastInside, { time: T0 + 3 * HOUR, data: 3, sdTime: T0 + 2 * HOUR })
})

test('what get() returned can be put back unchanged', async (t) => {
  const feed = await openFeed(t, { i: interval })
  await hours(feed, [[1, 1], [3, 3], [6, 6]]) // biome-ignore format: short
  const shown = await feed.get('i', 'retCompId&retStreamId')
  await feed.putJson(shown)
  assert.deepEqual(await feed.get('i', 'retCompId&retStreamId'), shown)
})

test('get() spends the limit stream by stream, latest first', async (t) => {
  const feed = await openFeed(t, { a: {}, empty: {}, b: {} })
  await feed.put('compId=c&a=1,2,3&b=x,y,z&time=1,2,3')
  assert.equal(
    await feed.getText(undefined, 'limit=4&retStreamId'),
    '[{"streamId":"a","time":3,"data":3},{"streamId":"a","time":2,"data":2},' +
      '{"streamId":"a","time":1,"data":1},{"streamId":"b","time":3,"data":"z"}]',
  )
  assert.deepEqual(pairs(await feed.get('a', 'sd=1&ed=3')), [[2, 2], [1, 1]]) // biome-ignore format: short
  assert.deepEqual(pairs(await feed.get('a', 'ed=2')), [[1, 1]])
  assert.deepEqual(pairs(await feed.last()), [[3, 3], [3, 'z']]) // biome-ignore format: short
  assert.deepEqual(pairs(await feed.last(undefined, 'ed=3&limit=1')), [[2, 2]])
})

test('get() refuses what does not exist or may not be read', async (t) => {
  const feed = await openFeed(t, { a: {} })
  const get = (compId: string, streamId?: string, principal = anyFeed) =>
    refused(feed.calls.read(principal, { call: 'get', ids: { compId, streamId }, query: '' }))
  assert.equal((await get('x')).status, 404)
  assert.equal((await get('c', 'x')).status, 404)
  const putOnly = keyWith(['component/*/feed', 'PUT'])
  assert.equal((await get('c', 'a', putOnly)).status, 403)
  assert.equal((await get('c', undefined, putOnly)).status, 403)
})

test('delete() takes out exactly what a get of the range shows', async (t) => {
  const feed = await openFeed(t, { a: {}, i: interval })
  const remove = (streamId: string, query: string, principal = anyFeed) =>
    feed.calls.delete(principal, { compId: 'c', streamId }, query)
  await feed.put('compId=c&a=1,2,3,4&time=1,2,3,4')
  await hours(feed, [[1, 1], [2, 2], [3, 3]]) // biome-ignore format: short
  await remove('a', 'sd=2&ed=4')
  assert.deepEqual(pairs(await feed.get('a')), [[4, 4], [1, 1]]) // biome-ignore format: short
  await remove('a', 'sd=4&ed=4')
  assert.equal((await feed.get('a')).length, 2)
  await remove('i', `sd=${T0 + HOUR}&ed=${T0 + 2 * HOUR}`)
  assert.deepEqual(await hourly(feed), [[3, 3], [2, null], [1, 1]]) // biome-ignore format: short
  assert.equal((await refused(remove('a', 'sd=4'))).status, 400)
  assert.equal((await refused(remove('a', ''))).status, 400)
  assert.equal((await refused(remove('a', 'sd=5&ed=4'))).status, 400)
  const noDelete = keyWith(['component/*/feed', 'PUT GET'])
  assert.equal((await refused(remove('a', 'sd=0&ed=9', noDelete))).status, 403)
  assert.equal((await feed.get('a')).length, 2)
})

test('get() shows units, formatted values and file addresses', async (t) => {
  const feed = await openFeed(t, { b: { valueType: 'BOOLEAN' }, f: { valueType: 'FILE' } })
  const unit = await feed.catalog.units.insert(keyWith(['*', 'PUT']), {
    symbol: 'C',
    numberFormat: '0.00',
  })
  await feed.add('u', { a: { unit: { uid: unit.uid }, valueType: 'DOUBLE' } })
  await feed.put('compId=c&b=1&time=1')
  await feed.put('compId=u&a=20&time=1')
  const shown = await feed.calls.read(anyFeed, {
    call: 'get',
    ids: { compId: 'u', streamId: 'a' },
    query: 'retFData&retUnit',
  })
  assert.equal(String(shown), '[{"time":1,"data":20,"fData":"20.00C","unit":"C"}]')
  assert.deepEqual(await feed.get(undefined, 'retFData&retUnit'), [
    { time: 1, data: true, fData: 'true', unit: '' },
  ])
  const handle = feed.catalog.index.resolve('o', 'c', 'f')
  await feed.store.append({
    count: 1,
    handles: Uint32Array.of(handle),
    times: Float64Array.of(9),
    numbers: new Float64Array(1),
    texts: ['{}'],
    removals: [],
  })
  assert.deepEqual(await feed.get('f'), [{ time: 9, data: 'file:{}' }])
})

test('a read of many streams ends once nobody waits for it', async (t) => {
  const ids = Array.from({ length: 200 }, (_, at) => [`s${at}`, {}])
  const home = await openFeedHome(Object.fromEntries(ids))
  t.after(() => home.close())
  const all = { compId: 'c', streamId: undefined }
  const periods = { ...all, cycleId: 'day', statId: 'max' }
  const reads: FeedRead[] = [
    { call: 'get', ids: all, query: '' },
    { call: 'lastValue', ids: all, query: 'limit=10' },
    { call: 'lastValue', ids: all, query: 'sd=0&ed=9' },
    { call: 'statistic', ids: periods, query: '' },
    { call: 'lastStatistic', ids: periods, query: '' },
  ]
  for (const read of reads) {
    let asked = 0
    const isGone = () => {
      asked += 1
      return asked === 3
    }
    const reading = home.calls.read(anyFeed, read, { hold: (share) => share.release(), isGone })
    assert.equal((await refused(reading)).code, 'overloaded', read.call)
    assert.equal(asked, 3)
  }
})

test('a read of many streams begins in a turn of its own, as hundreds may come in one', async (t) => {
  const ids = Array.from({ length: 100 }, (_, at) => [`s${at}`, { valueType: 'DOUBLE' }])
  const home = await openFeedHome(Object.fromEntries(ids))
  t.after(() => home.close())
  const first = home.catalog.index.resolve('o', 'c', 's0')
  const reading = home.get()
  await home.store.append({
    count: 1,
    handles: Uint32Array.of(first),
    removals: [],
    texts: undefined,
    times: Float64Array.of(1),
    numbers: Float64Array.of(21),
  })
  assert.deepEqual(await reading, [{ time: 1, data: 21 }])
})
