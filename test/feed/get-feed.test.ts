import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWER_TEXT_LENGTH_MAX, TEXT_LENGTH_MAX } from '../../src/base/index.ts'
import { anyFeed, openFeedHome } from '../support/feed-home.ts'

test('get() of a component with thousands of silent streams leaves turns to others', async (t) => {
  const ids = Array.from({ length: 2_000 }, (_, at) => [`s${at}`, {}])
  const home = await openFeedHome(Object.fromEntries(ids))
  t.after(() => home.close())
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  assert.deepEqual(await home.get(), [])
  clearImmediate(next)
  assert.ok(turns >= 5, `${turns} turns`)
})

test('texts are bounded one by one and in an answer, which is built in memory', async (t) => {
  const home = await openFeedHome({ text: { valueType: 'STRING' } })
  t.after(() => home.close())
  const text = 'x'.repeat(TEXT_LENGTH_MAX)
  const put = (time: number, data: string) =>
    home.putJson([{ compId: 'c', streamId: 'text', data, time }])
  await assert.rejects(put(1, `${text}x`), /at most 1000000 are allowed/)
  assert.deepEqual(await home.get(), [])
  const fitting = ANSWER_TEXT_LENGTH_MAX / TEXT_LENGTH_MAX
  for (let time = 0; time <= fitting; time += 1) await put(time, text)
  await assert.rejects(home.get(), /ask for fewer by a smaller "limit"/)
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
