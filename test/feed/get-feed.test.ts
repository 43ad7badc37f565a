import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWER_TEXT_LENGTH_MAX, TEXT_LENGTH_MAX } from '../../src/base/index.ts'
import { openFeedHome } from '../support/feed-home.ts'

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
